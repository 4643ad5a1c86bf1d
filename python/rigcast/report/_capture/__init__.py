"""The page of a capture."""
