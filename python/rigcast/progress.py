"""Progress of long work: records handed to a callback, or a bar in a terminal or notebook."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from rigcast.errors import ArgumentError

__all__ = ["Progress", "ProgressCallback", "ProgressOption", "as_callback"]


@dataclass(frozen=True)
class Progress:
    """One report of a running job.

    Attributes
    ----------
    stage : str
        What is being done, as a short phrase: ``"sampling"``.
    done, total : float
        Work finished and work in all, in the same unit; ``total`` 0 means unknown.
    message : str
        A figure worth showing: ``"error 0.41 mm"``.

    Examples
    --------
    >>> rc.progress.Progress("sampling", 20, 100)
    Progress(stage='sampling', done=20, total=100, message='')
    """

    stage: str
    done: float
    total: float
    message: str = ""


#: A function that receives the records of long work.
ProgressCallback: TypeAlias = Callable[[Progress], None]

#: The values of every ``progress=``: True draws a bar, a callable gets the records, None and False show nothing.
ProgressOption: TypeAlias = ProgressCallback | bool | None


def as_callback(progress: ProgressOption) -> ProgressCallback:
    """Return the callback that a ``progress=`` argument asks for.

    Parameters
    ----------
    progress : callable, bool or None
        A callable is returned as it is; what it raises ends the work. True: a bar on stderr, drawn in place in a
        terminal and in a notebook, as lines every few seconds elsewhere. A bar never fails the work. None or False:
        a callback that does nothing.

    Raises
    ------
    ValueError
        If ``progress`` is anything else.

    Examples
    --------
    >>> from rigcast.progress import Progress, as_callback
    >>> as_callback(print)(Progress("sampling", 64, 512))
    Progress(stage='sampling', done=64, total=512, message='')
    >>> as_callback(None)(Progress("sampling", 64, 512))
    """
    if progress is None or progress is False:
        return silent
    if progress is True:
        return Bar(sys.stderr)
    given: object = progress
    if not callable(given):
        expected = "True, a callable that takes a Progress, or None"
        raise ArgumentError("", "progress", f"{given!r}"[:60], expected)
    return progress


def silent(_: Progress) -> None:
    """Show nothing."""


WIDTH = 24  # characters of a bar
LINE = 100  # characters of the line with its words, where the terminal does not say how long it is
IN_PLACE, AS_LINES = 0.1, 5.0  # seconds between two drawings


class Bar:
    """Draws progress as one line of text. A finished stage keeps its line, any other makes room for the next one.

    Parameters
    ----------
    stream : text stream
        Redrawn in place (carriage return) if it is a terminal or a notebook's cell.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._in_place = _redraws(stream)
        self._styled = _rich_bar() if self._in_place and not _is_notebook(stream) else None
        self._stage: str | None = None
        self._complete = False
        self._drawn_at = 0.0
        self._open_length = 0  # of the line that the cursor stands in

    def __call__(self, progress: Progress) -> None:
        """Draw, at most ten times per second; a failing stream is ignored."""
        now = time.monotonic()
        begins = progress.stage != self._stage
        completes = 0 < progress.total <= progress.done
        repeats = completes and self._complete and not begins
        interval = IN_PLACE if self._in_place else AS_LINES
        if repeats or not (begins or completes or now - self._drawn_at >= interval):
            return
        self._stage, self._complete, self._drawn_at = progress.stage, completes, now
        self._draw(progress)
        if completes:
            self.close()

    def close(self) -> None:
        """End the line that the cursor stands in."""
        if self._open_length:
            self._open_length = 0
            self._write("\n")

    def __del__(self) -> None:
        self.close()

    def _draw(self, progress: Progress) -> None:
        share = min(max(progress.done / progress.total, 0.0), 1.0) if progress.total > 0 else None
        note = f"  {progress.message}" if progress.message else ""
        if share is None:
            before, bar, after = progress.stage, "", note
        else:
            before, bar, after = f"{progress.stage}  ", _plain_bar(share), f" {share:4.0%}{note}"
        line = shutil.get_terminal_size((LINE, 0)).columns - 1
        after = after[: max(line - len(before) - len(bar), 0)]
        length = len(before) + len(bar) + len(after)
        if bar and share is not None and self._styled is not None:
            with contextlib.suppress(Exception):
                bar = self._styled(share)
        if self._in_place:
            self._write(f"\r{before}{bar}{after}{' ' * max(self._open_length - length, 0)}")
            self._open_length = length
        else:
            self._write(f"{before}{bar}{after}\n")

    def _write(self, text: str) -> None:
        with contextlib.suppress(Exception):  # a closed or full stderr must not cost the work
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()


def _plain_bar(share: float) -> str:
    full = round(WIDTH * share)
    return f"[{'#' * full}{' ' * (WIDTH - full)}]"


def _rich_bar() -> Callable[[float], str] | None:
    """The bar of rich with its colors as text, or None if rich is missing."""
    try:
        from rich.console import Console
        from rich.progress_bar import ProgressBar
    except ImportError:
        return None
    console = Console(stderr=True, width=WIDTH + 2)

    def drawn(share: float) -> str:
        with console.capture() as capture:
            console.print(ProgressBar(total=1.0, completed=share, width=WIDTH + 2), end="")
        return str(capture.get())

    return drawn


def _redraws(stream: TextIO | None) -> bool:
    try:
        return stream is not None and (stream.isatty() or _is_notebook(stream))
    except (AttributeError, ValueError):  # a closed stream, or an object with write() alone
        return False


def _is_notebook(stream: object) -> bool:
    return type(stream).__module__.partition(".")[0] == "ipykernel"
