"""What is said of a file, or of data, where the result has no place for a note."""

from __future__ import annotations

import warnings

from rigcast.errors import InputWarning


def tell(*notes: str) -> None:
    """Warn with each note that is not empty; a command prints them as its notes."""
    for note in filter(None, notes):
        warnings.warn(note, InputWarning, stacklevel=2)
