"""The page of a solved shot."""
