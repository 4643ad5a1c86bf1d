"""Commands of facial capture."""
