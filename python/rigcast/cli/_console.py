"""Output for a person: lines and tables on stdout, progress on stderr."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from rigcast._text import escaped
from rigcast.cli._result import Result, as_json
from rigcast.cli._streams import say, width_of, wrapped
from rigcast.progress import Progress, ProgressCallback

WIDEST = 60  # a longer name is printed whole, and the others are not padded to it
FIRST_INTERVAL, LINE_INTERVAL = 1.0, 5.0  # seconds between progress lines where there is no terminal
RECORD_INTERVAL = 0.2  # and between records of a stage, for programs


class Console:
    """Draws for a person. What cannot be printed stops no work: ask :meth:`finish` when it is done.

    Parameters
    ----------
    quiet : bool
        Print nothing on stdout (it belongs to a JSON object); progress still goes to stderr.
    records : callable, optional
        Receives progress in place of bars and lines.

    Attributes
    ----------
    notes : list of str
        What readers said of files while the command ran, each once.
    stages : dict
        Seconds of each stage of progress, by its name.
    has_object : bool
        Whether the JSON object of the command is printed.
    """

    def __init__(self, quiet: bool = False, records: ProgressCallback | None = None) -> None:
        self.quiet = quiet
        self.notes: list[str] = []
        self.stages: dict[str, float] = {}
        self._records = records
        self._unprinted: OSError | None = None
        self._object: Callable[[Result], Result] | None = None
        self.has_object = False
        self._began = time.monotonic()

    def elapsed(self) -> float:
        """Seconds since the command began."""
        return time.monotonic() - self._began

    def line(self, text: str = "", indent: int | None = None) -> None:
        """One line on stdout; on a terminal as several, if it is longer than that is wide."""
        if not self.quiet:
            for part in wrapped(escaped(text), width_of(sys.stdout), indent):
                self.result(part)

    def result(self, text: str) -> None:
        """One line on stdout, as it is and though quiet."""
        if self._unprinted is None:
            self._unprinted = say(text, sys.stdout)

    def promise_object(self, completed: Callable[[Result], Result]) -> None:
        """The result belongs on stdout as one JSON object, completed by what the command line knows of it."""
        self._object = completed

    def put_object(self, result: Result) -> None:
        """Print the JSON object that was promised, once: early by commands that stay, else when they are done."""
        if self._object is not None:
            completed, self._object, self.has_object = self._object, None, True
            self.result(json.dumps(as_json(completed(result))))

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
            self.line(f"{' ' * indent}{name:<{width}}  {value}", indent + width + 2)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table: the first column to the left, the others, figures, to the right."""
        cells = [[escaped(str(cell)) for cell in row] for row in [headers, *rows]]
        widths = [min(max(len(row[column]) for row in cells), WIDEST) for column in range(len(headers))]
        for number, row in enumerate(cells):
            figures = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines = ["  ".join([f"{row[0]:<{widths[0]}}", *figures])]
            lines += ["  ".join("-" * width for width in widths)] * (number == 0)
            for line in lines if not self.quiet else []:
                self.result(line)  # a row is a row, though it is wide

    @contextlib.contextmanager
    def progress(self) -> Iterator[ProgressCallback]:
        """A callback that draws progress: bars on a terminal with rich, else a line every few seconds.

        Nothing is drawn where stderr is closed or full.
        """
        with self._drawn() as draw:
            clock = StageSeconds(self.stages, draw)
            try:
                yield clock
            finally:
                clock.stop()

    @contextlib.contextmanager
    def _drawn(self) -> Iterator[ProgressCallback]:
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


class StageSeconds:
    """Adds up the seconds of each stage, and passes progress on."""

    def __init__(self, seconds: dict[str, float], draw: ProgressCallback) -> None:
        self.seconds, self.draw = seconds, draw
        self.stage, self.began = "", time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self.stage:
            self.stop()
            self.stage = progress.stage
        self.draw(progress)

    def stop(self) -> None:
        """Count the stage that is at work."""
        now = time.monotonic()
        if self.stage:
            self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + now - self.began
        self.stage, self.began = "", now


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


def spent(console: Console) -> str:
    """Seconds of the stages of a command, and its memory, in words."""
    took = [f"{stage} {seconds:.2f} s" for stage, seconds in console.stages.items()]
    total = f"{console.elapsed():.2f} s in all, {time.process_time():.2f} s of processors since the start"
    return ", ".join([*took, total, *_memory()])


def _memory() -> list[str]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    unit = 1 if sys.platform == "darwin" else 1024
    return [f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6:.0f} MB of memory at most"]
