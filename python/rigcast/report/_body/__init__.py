"""The page of a learned model."""
