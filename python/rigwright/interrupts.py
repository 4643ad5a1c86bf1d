"""Ctrl-C that waits for a good moment."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def held_back() -> Iterator[Callable[[], bool]]:
    """Hold the first Ctrl-C back inside the block; a second one acts at once.

    Yields
    ------
    callable
        Whether Ctrl-C was pressed: ask between steps, bring the work into safety, then raise ``KeyboardInterrupt``.
        Outside the main thread nothing is held back.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
