"""What hosts pay to call the engine through the C library."""
