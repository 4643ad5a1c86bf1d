"""Argument types that several commands share; each refuses a wrong value with one sentence."""

from __future__ import annotations

import argparse
import contextlib
import stat
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

from rigcast._safe_reading import KINDS
from rigcast._validate import LONGEST_UNIT, MOST_INDEX, MOST_THREADS, RATES, SHORTEST_UNIT

UNITS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}


_promise: ContextVar[Callable[[Path], bool]] = ContextVar("promise", default=lambda _: False)


@contextlib.contextmanager
def promised(promise: Callable[[Path], bool]) -> Iterator[None]:
    """Inside the block, paths need not exist for which ``promise(path)`` is true: something else will make them."""
    token = _promise.set(promise)
    try:
        yield
    finally:
        _promise.reset(token)


def existing(text: str) -> Path:
    """A file or folder that must be there."""
    path = Path(text)
    if not path.exists() and not _promise.get()(path):
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    if path.exists() and not path.is_file() and not path.is_dir():
        kind = KINDS.get(stat.S_IFMT(path.stat().st_mode), "no regular file")
        raise argparse.ArgumentTypeError(f"{text} is {kind}; it must be a file")
    return path


def existing_file(text: str) -> Path:
    """A file that must be there."""
    path = existing(text)
    if path.exists() and not path.is_file() and not _promise.get()(path):
        raise argparse.ArgumentTypeError(f"{text} is a folder; it must be a file")
    return path


def output(text: str) -> Path:
    """A file or folder to write, whose own folder must be there."""
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {path.parent} does not exist")
    return path


def data_set(text: str) -> Path:
    """A folder that a command makes, or goes on with: it refuses a finished one of other settings itself."""
    path = output(text)
    if path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is a file; it must be a folder, or a name for a new one")
    return path


class OutputFile:
    """A file to write: :func:`output`, no folder, and of a format that there is a writer for.

    Parameters
    ----------
    *suffixes : str
        What its name may end in, with the dot, in lower case.
    """

    def __init__(self, *suffixes: str) -> None:
        self.suffixes = suffixes

    def __call__(self, text: str) -> Path:
        path = output(text)
        if path.suffix.lower() not in self.suffixes:
            formats = " or ".join(filter(None, [", ".join(self.suffixes[:-1]), self.suffixes[-1]]))
            raise argparse.ArgumentTypeError(f"{path} has a format that cannot be written; it must end in {formats}")
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{path} is a folder; it must be a file")
        return path


page = OutputFile(".html", ".htm")


class KeptFile(OutputFile):
    """An :class:`OutputFile` that the next run reads: one that is there is gone on with."""


def name_values(actions: Iterable[argparse.Action]) -> None:
    """Call whole numbers N in the help, in every command."""
    for action in actions:
        whole = action.type in (count, seed, port, threads) or isinstance(action.type, CountTo)
        if whole and action.option_strings and action.metavar is None:
            action.metavar = "N"


def count(text: str) -> int:
    """A whole number, at least 1, and one that the engine counts with."""
    return _at_least(text, 1, MOST_INDEX)


class CountTo:
    """A whole number from 1 to ``most``, where more would take memory or time that nobody wants to give."""

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, text: str) -> int:
        return _at_least(text, 1, self.most)


def port(text: str) -> int:
    """A port of TCP; 0 takes a free one."""
    return _at_least(text, 0, 65535)


def seed(text: str) -> int:
    """A whole number, at least 0."""
    return _at_least(text, 0)


def positive(text: str) -> float:
    """A positive number."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def rate(text: str) -> float:
    """Frames per second."""
    slowest, fastest = RATES["least"], RATES["most"]
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not slowest <= value <= fastest:
        raise argparse.ArgumentTypeError(f"{text} is no number of frames per second, {slowest:g} to {fastest:g}")
    return value


def share(text: str) -> float:
    """A number between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number between 0 and 1")
    return value


def degrees_or_source(text: str) -> float | str:
    """A positive number, or one of the words ``actions`` and ``people``."""
    if text in ("actions", "people"):
        return text
    try:
        return positive(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text} is neither a positive number of degrees nor: actions, people"
        ) from None


def unit(text: str) -> float:
    """Meters in a unit, by its name or as a number."""
    try:
        meters = UNITS[text] if text in UNITS else float(text)
    except ValueError:
        meters = 0.0
    if not SHORTEST_UNIT <= meters <= LONGEST_UNIT:
        raise argparse.ArgumentTypeError(f"{text} is no unit; it must be {', '.join(UNITS)}, or its length in meters")
    return meters


def threads(text: str) -> int:
    """A number of threads or processes, 0 for all processors that this process may use."""
    return _at_least(text, 0, MOST_THREADS)


def add_workers(parser: argparse.ArgumentParser, help: str) -> None:
    """``--workers``, or ``--scheduler`` in its place."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--workers", metavar="N", type=threads, default=1, help=help)
    workers.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the workers of a Dask scheduler instead: tcp://HOST:PORT, tls://HOST:PORT or a scheduler file (.json)",
    )


def add_threads(parser: argparse._ActionsContainer) -> None:
    """``--threads``, with the same words in every command."""
    parser.add_argument(
        "--threads", metavar="N", type=threads, default=0, help="0, the default: all processors that it may use"
    )


def add_restart(parser: argparse._ActionsContainer) -> None:
    """``--restart``, with the same words in every command."""
    parser.add_argument(
        "--restart", action="store_true", help="begin anew instead of going on where an interrupted run stopped"
    )


def _at_least(text: str, least: int, most: int = 2**63 - 1) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        limit = "" if value < least else f" and at most {most}"
        raise argparse.ArgumentTypeError(f"{text[:100]} is not a whole number of at least {least}{limit}")
    return value
