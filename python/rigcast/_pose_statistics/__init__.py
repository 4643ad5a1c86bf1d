"""Statistics of training poses: which columns vary, and how far a pose is from them."""
