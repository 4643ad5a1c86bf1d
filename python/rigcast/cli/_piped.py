"""``--piped``: a command that another program runs: progress as records, and the end of stdin as Ctrl-C."""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

from rigcast.cli._console import say
from rigcast.cli._result import as_json
from rigcast.progress import Progress

INTERVAL = 0.2  # seconds between two records of a stage


class Records:
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
        if progress.stage == self.stage and not complete and now - self.written < INTERVAL:
            return
        self.stage, self.written = progress.stage, now
        record = {"stage": progress.stage, "done": float(progress.done), "total": float(progress.total)}
        line = json.dumps(as_json({**record, "message": progress.message}))
        if say(line, self.stream) is not None:
            self.stream = None


@contextlib.contextmanager
def ended_by_stdin() -> Iterator[None]:
    """Inside the block the end of stdin is Ctrl-C: whoever runs this process closes the pipe, or dies.

    Nothing is read from a terminal, or without a stdin.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        yield
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a program that a shell started in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    finished = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=[sys.stdin.fileno(), finished], daemon=True).start()
    try:
        yield
    finally:
        finished.set()


def _wait_for_the_end(stream: int, finished: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(stream, 4096):
            pass
    if finished.is_set():
        return
    if hasattr(signal, "pthread_kill") and (main := threading.main_thread().ident) is not None:
        signal.pthread_kill(main, signal.SIGINT)  # ends a call that waits, too
    else:
        _thread.interrupt_main()
