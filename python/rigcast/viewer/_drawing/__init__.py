"""What a page draws: index buffers, colors of the skin, and how materials look."""
