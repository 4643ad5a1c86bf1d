"""Cost of calls to the engine through the C library, which hosts use."""
