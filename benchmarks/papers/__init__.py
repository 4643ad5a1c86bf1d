"""Experiments that made a table of the documentation once: kept as they ran, neither linted nor tested."""
