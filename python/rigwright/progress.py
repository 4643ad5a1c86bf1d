"""How long work reports where it is: a plain record handed to a callback, drawn by whoever called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "ProgressCallback"]


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
    """

    stage: str
    done: float
    total: float
    message: str = ""


ProgressCallback = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Show nothing."""
