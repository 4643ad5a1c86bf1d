"""The drawn scene: index buffers, colors of the skin, and how materials look."""
