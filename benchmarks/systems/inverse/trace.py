"""Traces of methods: objective against processor time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Trace:
    """The best objective of a run after each of its steps, by seconds of processor time since the trace began.

    Parameters
    ----------
    goal : float
        The run ends once its objective is no larger.
    limit : float
        Seconds after which it ends anyway.
    """

    def __init__(self, goal: float = float("-inf"), limit: float = float("inf")) -> None:
        self.goal, self.limit = goal, limit
        self.seconds: list[float] = []
        self.objectives: list[float] = []
        self._started = time.process_time()

    def add(self, objective: float) -> bool:
        """Note a step; whether the run is to end."""
        self.seconds.append(time.process_time() - self._started)
        self.objectives.append(min(objective, self.best))
        return self.best <= self.goal or self.seconds[-1] > self.limit

    @property
    def best(self) -> float:
        return self.objectives[-1] if self.objectives else float("inf")

    @property
    def total(self) -> float:
        """Seconds of all steps."""
        return self.seconds[-1] if self.seconds else 0.0

    def reached(self, goal: float) -> float | None:
        """Seconds until the objective was no larger than ``goal``; None if it never was."""
        steps = zip(self.seconds, self.objectives, strict=True)
        return next((seconds for seconds, objective in steps if objective <= goal), None)


def spent(work: Callable[[], Result], runs: int = 1) -> tuple[float, Result]:
    """Median processor seconds of a call, after one that is not timed where there are several, and the last result."""
    times = []
    for _ in range(runs + (runs > 1)):
        started = time.process_time()
        result = work()
        times.append(time.process_time() - started)
    return statistics.median(times[runs > 1 :]), result
