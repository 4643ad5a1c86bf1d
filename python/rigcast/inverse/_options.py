"""How a method runs; what it minimizes is the problem's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigcast._validate import bad_argument, check_threads
from rigcast.progress import ProgressCallback, silent

MOST_ITERATIONS = 2**31 - 1


@dataclass(frozen=True)
class Options:
    """Settings that every method understands.

    Attributes
    ----------
    tolerance : float
        Relative optimality at which a frame counts as solved.
    max_iterations : int or None
        A frame's limit; None: the method's own.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : callable
    device : str
    joint : bool or None
    """

    tolerance: float = 1e-9
    max_iterations: int | None = None
    threads: int = 0
    progress: ProgressCallback = silent
    device: str = "cpu"
    joint: bool | None = None

    def __post_init__(self) -> None:
        number = isinstance(self.tolerance, (int, float, np.number))
        if not (number and np.isfinite(self.tolerance) and self.tolerance >= 0):
            raise bad_argument("solve", "tolerance", repr(self.tolerance), "a finite number >= 0")
        whole = isinstance(self.max_iterations, (int, np.integer))
        if self.max_iterations is not None and not (whole and 1 <= self.max_iterations <= MOST_ITERATIONS):
            expected = f"a whole number from 1 to {MOST_ITERATIONS}"
            raise bad_argument("solve", "max_iterations", repr(self.max_iterations), expected)
        check_threads("solve", self.threads)
        if self.joint is not None and not isinstance(self.joint, bool):
            raise bad_argument("solve", "joint", repr(self.joint), "True, False or None")
