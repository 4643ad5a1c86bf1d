"""File formats, one package or module each: reading and writing side by side."""
