"""Pages of the view that need no server: recorded frames, or the model itself."""
