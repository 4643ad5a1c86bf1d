"""Live Link Face CSV files."""
