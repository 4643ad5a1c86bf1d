"""The command line: ``rigwright doctor | sample | train | evaluate | solve | report | bench | info``."""

from rigwright.cli.dispatch import main

__all__ = ["main"]
