"""Output for a person: lines and tables on stdout, progress on stderr."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from rigcast._text import escaped
from rigcast.cli._result import as_json
from rigcast.progress import Progress, ProgressCallback

WIDEST = 60  # a longer name is printed whole, and the others are not padded to it
FIRST_INTERVAL, LINE_INTERVAL = 1.0, 5.0  # seconds between progress lines where there is no terminal
RECORD_INTERVAL = 0.2  # and between records of a stage, for programs


def say(text: str, stream: TextIO | None, end: str = "\n") -> OSError | None:
    """Print a line at once, and return why it could not be printed.

    A closed or full stream costs nobody the work. Letters that the stream's encoding lacks are escaped, and so are
    control characters, line ends among them.
    """
    if stream is None or stream.closed:
        return OSError(errno.EBADF, "the stream is closed")
    try:
        encoding = stream.encoding or "utf-8"
        print(escaped(text).encode(encoding, "backslashreplace").decode(encoding), end=end, file=stream, flush=True)
    except OSError as error:
        silence(stream)
        return error
    return None


def silence(stream: TextIO) -> None:
    """Send what a broken stream still holds to nowhere, or Python says at its end that it could not be written."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Console:
    """Draws for a person. What cannot be printed stops no work: ask :meth:`finish` when it is done.

    Parameters
    ----------
    quiet : bool
        Print nothing on stdout (it belongs to a JSON object); progress still goes to stderr.
    records : callable, optional
        Receives progress in place of bars and lines.
    """

    def __init__(self, quiet: bool = False, records: ProgressCallback | None = None) -> None:
        self.quiet = quiet
        self._records = records
        self._unprinted: OSError | None = None

    def line(self, text: str = "") -> None:
        """One line on stdout."""
        if not self.quiet:
            self.result(text)

    def result(self, text: str) -> None:
        """One line on stdout, though quiet."""
        if self._unprinted is None:
            self._unprinted = say(text, sys.stdout)

    def finish(self) -> None:
        """Raise ``OSError`` if any line could not be printed."""
        error = self._unprinted
        if isinstance(error, BrokenPipeError):
            raise error
        if error is not None:
            raise OSError(f"done, but the result could not be printed ({error.strerror})")

    def pairs(self, entries: Sequence[tuple[str, object]], indent: int = 0) -> None:
        """Names and values, aligned."""
        width = min(max((len(name) for name, _ in entries), default=0), WIDEST)
        for name, value in entries:
            self.line(f"{' ' * indent}{name:<{width}}  {value}")

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table: the first column to the left, the others, figures, to the right."""
        cells = [[escaped(str(cell)) for cell in row] for row in [headers, *rows]]
        widths = [min(max(len(row[column]) for row in cells), WIDEST) for column in range(len(headers))]
        for number, row in enumerate(cells):
            figures = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
            self.line("  ".join([f"{row[0]:<{widths[0]}}", *figures]))
            if number == 0:
                self.line("  ".join("-" * width for width in widths))

    @contextlib.contextmanager
    def progress(self) -> Iterator[ProgressCallback]:
        """A callback that draws progress: bars on a terminal with rich, else a line every few seconds.

        Nothing is drawn where stderr is closed or full.
        """
        if self._records is not None:
            yield self._records
            return
        terminal = sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
        bars = _bars() if terminal else None
        if bars is None:
            yield Lines(sys.stderr)
            return
        try:
            with contextlib.suppress(OSError):
                bars.start()
            yield Bars(bars)
        finally:
            with contextlib.suppress(OSError):
                bars.stop()


class Lines:
    """Progress as lines: when a stage begins, after a second, two, four, then every few, and when it is done."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream
        self.stage = ""
        self.finished = False
        self.printed = 0.0
        self.interval = FIRST_INTERVAL

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        begins = progress.stage != self.stage
        ends = 0 < progress.total <= progress.done and not (self.finished and not begins)
        if not begins and not ends and (self.finished or now - self.printed < self.interval):
            return
        self.interval = FIRST_INTERVAL if begins else min(2.0 * self.interval, LINE_INTERVAL)
        self.stage, self.finished, self.printed = progress.stage, ends, now
        of = f" {amount(progress)}" if progress.total > 0 else ""
        note = f", {progress.message}" if progress.message else ""
        if say(f"{progress.stage}{of}{note}", self.stream) is not None:
            self.stream = None


def amount(progress: Progress) -> str:
    """The progress in words: ``120 of 5000``, or a share of one as ``24%``."""
    if progress.total == 1.0:
        return f"{progress.done:.0%}"
    return f"{progress.done:.0f} of {progress.total:.0f}"


class JsonLines:
    """Progress as JSON, one object per line: when a stage begins, every fifth of a second, and when it is done.

    Parameters
    ----------
    stream : text stream or None
        A closed or full one is given up.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream
        self.stage = ""
        self.written = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        complete = 0 < progress.total <= progress.done
        if progress.stage == self.stage and not complete and now - self.written < RECORD_INTERVAL:
            return
        self.stage, self.written = progress.stage, now
        record = {"stage": progress.stage, "done": float(progress.done), "total": float(progress.total)}
        line = json.dumps(as_json({**record, "message": progress.message}))
        if say(line, self.stream) is not None:
            self.stream = None


class Bars:
    """Progress as a rich bar; a stage's bar makes room for the next one's."""

    def __init__(self, bars: Any) -> None:
        self.bars = bars
        self.stage = ""
        self.task: Any = None

    def __call__(self, progress: Progress) -> None:
        total = progress.total if progress.total > 0 else None
        if progress.stage != self.stage:
            if self.task is not None:
                self.bars.remove_task(self.task)
            self.stage, self.task = progress.stage, self.bars.add_task(progress.stage, total=total, note="")
        with contextlib.suppress(OSError):
            self.bars.update(self.task, completed=progress.done, total=total, note=progress.message)


def _bars() -> Any:
    """A rich progress display on stderr, or None where rich is missing."""
    try:
        from rich import progress
        from rich.console import Console as RichConsole
        from rich.table import Column
    except ImportError:
        return None
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        progress.BarColumn(bar_width=20),
        progress.TaskProgressColumn(table_column=Column(no_wrap=True, width=4, justify="right")),
        progress.TimeRemainingColumn(elapsed_when_finished=True, table_column=Column(no_wrap=True)),
        progress.TextColumn("{task.fields[note]}", style="dim", markup=False, table_column=rest),
        console=RichConsole(stderr=True),
        expand=True,
        transient=True,
    )
