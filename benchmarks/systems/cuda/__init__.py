"""What needs an NVIDIA GPU."""
