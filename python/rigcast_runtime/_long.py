"""Long calls: progress, and Ctrl-C within a fraction of a second."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Optional

from ._library import bad_argument, call
from ._structures import REPORTS, CDragTask, CShot

BETWEEN_REPORTS = 0.05  # seconds
ProgressCallback = Optional[Callable[[int, int], object]]


def check_progress(function: str, progress: object) -> None:
    """Raise an ArgumentError unless ``progress`` may be called or is None."""
    if progress is not None and not callable(progress):
        got = f"a {type(progress).__name__}"
        raise bad_argument(function, "progress", got, "a function of the frames that are done, and of all, or None")


class _Work:
    """A call on a thread of its own, which can be cancelled: Python handles signals on the main thread alone."""

    def __init__(self, name: str, task: CShot | CDragTask, arguments: tuple[object, ...]) -> None:
        self.done, self.total = 0, 0
        self.ends, self.finished = False, threading.Event()
        self.error: BaseException | None = None
        self._name, self._arguments = name, arguments
        task.progress = self._reports = REPORTS(self._report)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _report(self, _: object, done: int, total: int) -> int:
        self.done, self.total = done, total
        return int(self.ends)

    def _run(self) -> None:
        try:
            call(self._name, *self._arguments)
        except BaseException as error:  # noqa: BLE001  # raised again on the thread of the caller
            self.error = error
        finally:
            self.finished.set()


def call_long(name: str, task: CShot | CDragTask, progress: ProgressCallback, *arguments: object) -> None:
    """Call a function of the library with a task that reports; Ctrl-C and what ``progress`` raises end it.

    ``progress`` is called on this thread, at last with all frames.
    """
    work = _Work(name, task, arguments)
    work.start()
    shown = -1
    try:
        while not work.finished.wait(BETWEEN_REPORTS):
            if progress is not None and work.total and work.done != shown:
                shown = work.done
                progress(work.done, work.total)
    except BaseException:
        work.ends = True
        work.finished.wait()
        raise
    if work.error is not None:
        raise work.error
    if progress is not None:
        progress(work.total, work.total)
