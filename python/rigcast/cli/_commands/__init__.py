"""One module per command: its summary, example, arguments and work."""
