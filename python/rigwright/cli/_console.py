"""What a person sees: lines and tables on stdout, progress on stderr."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from rigwright._text import escaped
from rigwright.progress import Progress, ProgressCallback

WIDEST = 60  # a longer name is printed whole, and the others are not padded to it
FIRST_INTERVAL, LINE_INTERVAL = 1.0, 5.0  # seconds between progress lines where there is no terminal


class Console:
    """Draws for a person.

    Parameters
    ----------
    quiet : bool
        Print nothing on stdout (it belongs to a JSON object); progress still goes to stderr.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def line(self, text: str = "") -> None:
        """One line on stdout."""
        if not self.quiet:
            print(escaped(text), flush=True)

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
        """A callback that draws progress: bars on a terminal with rich, else a line every few seconds."""
        bars = _bars() if sys.stderr.isatty() else None
        if bars is None:
            yield Lines(sys.stderr)
            return
        with bars:
            yield Bars(bars)


class Lines:
    """Progress as lines: when a stage begins, after a second, two, four, then every few, and when it is done."""

    def __init__(self, stream: TextIO) -> None:
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
        print(escaped(f"{progress.stage}{of}{note}"), file=self.stream, flush=True)


def amount(progress: Progress) -> str:
    """How far: ``120 of 5000``, or a share of one as ``24%``."""
    if progress.total == 1.0:
        return f"{progress.done:.0%}"
    return f"{progress.done:.0f} of {progress.total:.0f}"


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
