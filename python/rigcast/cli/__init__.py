"""The command line: ``rigcast COMMAND``, one module of `_commands` per command (``_overview.COMMANDS``)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from rigcast.cli._overview import COMMANDS, answer, show

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; Ctrl-C is one line and 130, while the commands load too.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; default those of this process.
    """
    _hold_standard_streams()
    words = answer(sys.argv[1:] if argv is None else argv)
    if isinstance(words, str):
        return show(words)
    loading = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if loading:  # an exception here would come out of packages that make another one of it
        signal.signal(signal.SIGINT, _leave)
    from rigcast.cli import _dispatch as dispatch

    known = words[0] in COMMANDS
    commands = dispatch.commands_of(words) if known else None
    if loading:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return dispatch.main(words, commands)


def _hold_standard_streams() -> None:
    """Open closed standard streams to nowhere: the next file would take their numbers, and what is printed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"rigcast: interrupted\n")
    os._exit(130)
