"""The command line: ``rigwright COMMAND``, one module of this package a command (``dispatch.COMMANDS``)."""

from rigwright.cli.dispatch import main

__all__ = ["main"]
