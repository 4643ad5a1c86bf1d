"""Ctrl-C that waits for a good moment, or that the end of stdin stands for."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

SOON = 0.5  # seconds in which work that is kept in parts may finish the part in work
STEP = 0.2  # seconds: how soon a wait for a thread notices Ctrl-C
_outer: list[Callable[[int, FrameType | None], None]] = []  # handlers of the blocks entered, innermost last


@contextlib.contextmanager
def held_back(within: float | None = None, message: Callable[[], str] | None = None) -> Iterator[Callable[[], bool]]:
    """Hold the first Ctrl-C back inside the block; a second one acts at once.

    Parameters
    ----------
    within : float, optional
        Seconds after which the first one acts, too.
    message : callable, optional
        Returns the text of a ``KeyboardInterrupt`` that acts inside the block.

    Yields
    ------
    callable
        Whether Ctrl-C was pressed: ask between steps, bring the work into safety, then raise ``KeyboardInterrupt``.
        Outside the main thread nothing is held back. Where blocks are nested, a press that the inner one ended without
        acting on is passed to the outer one.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    again = None if within is None else threading.Timer(within, _thread.interrupt_main)

    def note(_number: int, _frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt(*([] if message is None else [message()]))
        pressed.set()
        if again is not None:
            again.daemon = True
            again.start()

    before = signal.signal(signal.SIGINT, note)
    _outer.append(note)
    try:
        yield pressed.is_set
    finally:
        if again is not None:
            again.cancel()
        _outer.pop()
        signal.signal(signal.SIGINT, before)
    if pressed.is_set() and _outer and before is _outer[-1]:
        _outer[-1](signal.SIGINT, None)


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


_terminated = threading.Event()


@contextlib.contextmanager
def ended_by_terminate() -> Iterator[None]:
    """Inside the block SIGTERM, as of ``kill`` or of a queue's time limit, is Ctrl-C: work is brought into safety.

    Outside the main thread, or where a handler is set, nothing changes.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        _terminated.set()
        if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):  # as in a shell's background
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    _terminated.clear()
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def was_terminated() -> bool:
    """True if the last block of :func:`ended_by_terminate` got SIGTERM."""
    return _terminated.is_set()


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


def wait_for(thread: threading.Thread, seconds: float | None = None) -> None:
    """Block until a thread has ended, or for some time; Ctrl-C ends the wait on every system."""
    until = None if seconds is None else time.monotonic() + seconds
    while thread.is_alive() and (until is None or time.monotonic() < until):
        thread.join(STEP if until is None else max(0.0, min(STEP, until - time.monotonic())))
