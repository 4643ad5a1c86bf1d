"""A budget of minutes: how many threads steps use, when they end, and whether there were enough of them.

PyTorch's threads wait for each other by spinning: while other programs run, two can be ten times slower than one. Which
number is faster depends on the networks and on the load, so it is measured on the steps themselves.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

RESERVE = 0.03  # part of a time budget for what is not measured beforehand, such as writing the model
ENOUGH = 1000  # steps; with fewer, networks have learned little
TRIED = 3  # steps per number of threads; the first of them warms up
WINDOW = 8  # steps whose median shows that steps have become slower or faster
JUMP = 1.6  # times the duration of a step at which numbers of threads are compared again
EVALUATED = 0.1  # part of the time that evaluations take at most
MOST_PREPARED, ASSUMED = 0.6, 0.1  # parts of a time budget: after the one, the ending is taken to be the other
REHEARSED = (1 / 8, 1 / 3)  # shares of the rows

Clock = Callable[[], float]


class ThreadChoice:
    """One thread, or the most: whichever makes steps faster, compared again when steps become slower or faster.

    Parameters
    ----------
    use : callable
        Given a number of threads that the next steps use.
    most : int
        Number of threads that are allowed.
    clock : callable
        Seconds.
    """

    def __init__(self, use: Callable[[int], None], most: int, clock: Clock) -> None:
        self._use, self._clock = use, clock
        self._options = sorted({1, max(most, 1)}, reverse=True)
        self.chosen = self._options[0]
        self._usual = math.nan
        self._recent: deque[float] = deque(maxlen=WINDOW)
        self._trial: list[tuple[int, float]] = []
        self._left = [count for count in self._options for _ in range(TRIED)] if len(self._options) > 1 else []

    def timed(self, step: Callable[[], None]) -> float:
        """Make a step; returns its seconds."""
        if self._left:
            self._use(self._left[0])
        begun = self._clock()
        step()
        seconds = self._clock() - begun
        self._learn(seconds)
        return seconds

    def _learn(self, seconds: float) -> None:
        if self._left:
            self._trial.append((self._left.pop(0), seconds))
            if not self._left:
                self._choose()
            return
        self._recent.append(seconds)
        if len(self._options) > 1 and len(self._recent) == WINDOW:
            now = statistics.median(self._recent)
            if now > JUMP * self._usual or now < self._usual / JUMP:
                self._left = [count for count in self._options for _ in range(TRIED)]

    def _choose(self) -> None:
        """Take the number of threads with the fastest step after the first."""
        fastest = {
            count: min([seconds for used, seconds in self._trial if used == count][1:]) for count in self._options
        }
        self.chosen = min(self._options, key=lambda count: (fastest[count], count))
        self._usual = fastest[self.chosen]
        self._trial, self._left = [], []
        self._recent.clear()
        self._use(self.chosen)


class Pace:
    """Durations of steps and evaluations, and what of them fits into a number of seconds.

    Parameters
    ----------
    seconds : float or None
        For steps and evaluations; None: no limit, nothing is left out.
    threads : ThreadChoice or None
    clock : callable
    """

    def __init__(self, seconds: float | None, threads: ThreadChoice | None, clock: Clock) -> None:
        self._seconds, self._threads, self._clock = seconds, threads, clock
        self._steps: deque[float] = deque(maxlen=3)
        self._evaluation, self._evaluated = 0.0, -math.inf
        self.pending = 0

    def fits(self, spent: float) -> bool:
        """Return True if one more step fits after ``spent`` seconds, and the evaluation of the last weights."""
        if self._seconds is None or not self._steps:
            return True
        return spent + max(self._steps) + self._evaluation <= self._seconds

    def step(self, make: Callable[[], None]) -> None:
        """Make a step; ``pending`` steps have not been evaluated."""
        if self._threads is not None:
            self._steps.append(self._threads.timed(make))
        else:
            begun = self._clock()
            make()
            self._steps.append(self._clock() - begun)
        self.pending += 1

    def is_due(self) -> bool:
        """Return True if an evaluation now keeps evaluations below a tenth of the time."""
        since = self._clock() - self._evaluated
        return self._seconds is None or since >= self._evaluation * (1.0 - EVALUATED) / EVALUATED

    def evaluate(self, make: Callable[[], None]) -> None:
        """Evaluate and report."""
        begun = self._clock()
        make()
        self._evaluated = self._clock()
        self._evaluation = max(self._evaluation, self._evaluated - begun)
        self.pending = 0


def seconds_of_training(minutes: float | None, prepared: float, ending: float = 0.0) -> float | None:
    """Seconds for the steps of a call: what preparation has left, and what follows the steps leaves.

    Parameters
    ----------
    minutes : float or None
        Time for the whole call.
    prepared : float
        Seconds that the call has taken so far. On a busy machine they may be more than there are: one step is made.
    ending : float
        Seconds that measuring and making the model will take.
    """
    if minutes is None:
        return None
    return max(60.0 * minutes * (1.0 - RESERVE) - prepared - ending, 0.0)


def seconds_of_ending(minutes: float | None, finish: Callable[[float], object], prepared: float = 0.0) -> float:
    """The seconds that measuring and making a model will take: rehearsed on two small shares of the rows, and
    extrapolated.

    Parameters
    ----------
    minutes : float or None
        Time for the whole call; 0 seconds are returned without any, as nothing depends on them.
    finish : callable
        Given a share; makes the model of the weights at the start and measures it on that share of the rows.
    prepared : float
        Seconds that the call has taken so far: if they are most of the time, nothing is rehearsed.
    """
    if minutes is None:
        return 0.0
    if prepared > MOST_PREPARED * 60.0 * minutes:
        return ASSUMED * 60.0 * minutes
    seconds: list[float] = []
    for share in REHEARSED:
        if seconds and 2.0 * seconds[0] > ASSUMED * 60.0 * minutes:  # a second rehearsal would take too long
            return 2.0 * seconds[0]
        begun = time.monotonic()
        finish(share)
        seconds.append(time.monotonic() - begun)
    slope = max(seconds[1] - seconds[0], 0.0) / (REHEARSED[1] - REHEARSED[0])
    return min(seconds[1] + slope * (1.0 - REHEARSED[1]), seconds[1] / REHEARSED[1])  # a pause is no slope


def share_of(rows: NDArray[Any], share: float, least: int = 1) -> NDArray[Any]:
    """The first of some rows, at least so many if there are."""
    return rows[: max(math.ceil(share * len(rows)), least)]


def too_few_steps(minutes: float | None, steps: int, seconds: float, taken: float, ended: bool) -> dict[str, Any]:
    """The metadata entry ``too_few_steps`` of a training whose minutes ended before it had 1,000 steps; else empty.

    Parameters
    ----------
    minutes : float or None
        Time for the whole call.
    steps : int
        That were made.
    seconds : float
        That they took, with their evaluations.
    taken : float
        That everything else takes: preparation, measuring, writing.
    ended : bool
        Whether the time ended the training, not its steps nor its patience.
    """
    if minutes is None or not ended or steps >= ENOUGH:
        return {}
    needed = (taken + seconds * ENOUGH / max(steps, 1)) / (1.0 - RESERVE) / 60.0
    needed = max(math.ceil(1.1 * needed), math.floor(minutes) + 1)
    made = f"only {steps:,} step{'s' * (steps != 1)} fit into {minutes:g} minute{'s' * (minutes != 1)} here"
    text = f"{made}: too few to learn from; {needed} minutes are enough"
    return {"too_few_steps": {"steps": steps, "minutes": minutes, "needed_minutes": needed, "text": text}}
