"""The command line: ``rigwright COMMAND``, one module of this package a command (``dispatch.COMMANDS``)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; Ctrl-C is one line and 130, while the commands load too.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; default those of this process.
    """
    loading = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if loading:  # an exception here would come out of packages that make another one of it
        signal.signal(signal.SIGINT, _leave)
    from rigwright.cli import _dispatch as dispatch

    commands = dispatch.load_commands()
    if loading:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return dispatch.main(argv, commands)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.stderr.write("rigwright: interrupted\n")
    sys.stderr.flush()
    os._exit(130)
