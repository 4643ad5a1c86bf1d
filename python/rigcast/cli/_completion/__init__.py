"""Scripts that make shells complete command lines: written from the parsers, so that no Python runs at a key press."""
