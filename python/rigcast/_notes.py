"""Notes about files and data: from functions whose results have no place for a note, to whoever opens files."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar

from rigcast.errors import InputWarning

Listener = Callable[[str, str, bool], None]  # the source's name, the note, whether it is inherited
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(*notes: str) -> None:
    """Warn with each note that is not empty; a command prints them as its notes."""
    for note in filter(None, notes):
        warnings.warn(note, InputWarning, stacklevel=2)


def hear(name: str, notes: Iterable[str], inherited: bool) -> None:
    """Tell the notes of a source that was opened, which holds them itself, to the listener, if there is one.

    Inherited notes are those of the file that a data set or a model was made of.
    """
    listener = _listener.get()
    if listener is not None:
        for note in notes:
            listener(name, note, inherited)


@contextlib.contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Call ``listener`` with the notes of every source that is opened inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
