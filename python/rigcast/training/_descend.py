"""One training of networks: steps within an allowance, from a checkpoint if there is one, with words on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast.progress import Progress, silent
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState, read_checkpoint, write_checkpoint
from rigcast.training._optimize import Allowance, Descent
from rigcast.training._optimizers import Arrays
from rigcast.training._pace import seconds_of_training, too_few_steps

FALLING = 0.05  # share of the error that it lost since half as much of the budget was spent
SETTLED = 0.5  # part of the budget before which a standstill says nothing: the learning rate still has to fall

Said = Callable[[Arrays], tuple[str, float]]  # from weights to the held-out error, in words and as a number


def descend(
    descent: Descent,
    budget: Budget,
    allowance: Allowance,
    said: Said,
    *,
    run: str,
    file: Path | None,
    begin: TrainingState | None = None,
    stage: str = "training",
) -> TrainingState:
    """Make steps until the allowance is used up; the returned state's ``best`` are the weights.

    Parameters
    ----------
    descent : Descent
    budget : Budget
    allowance : Allowance
    said : callable
        The held-out error of weights; not called if nobody watches.
    run : str
        Identifies data and settings.
    file : Path or None
        The checkpoint, which must be of the same run.
    begin : TrainingState, optional
        The first state; by default ``descent.start()``.
    stage : str
        Named in progress.
    """
    outlook = Outlook(allowance)

    def report(now: TrainingState, weights: Arrays) -> None:
        if budget.progress is not silent:
            words, error = said(weights)
            message = f"held-out error {words}, {outlook.words(now, error)}"
            budget.progress(Progress(stage, allowance.spent(now), 1.0, message))

    def keep(now: TrainingState) -> None:
        if file is not None:
            write_checkpoint(file, now, run)

    known = read_checkpoint(file, run, budget.function) if file else None
    return descent.run(known or begin or descent.start(), allowance, report, keep)


def train(
    descent: Descent,
    budget: Budget,
    said: Said,
    *,
    run: str,
    ending: float = 0.0,
    seconds: float | None = None,
    begin: TrainingState | None = None,
) -> tuple[TrainingState, dict[str, Any]]:
    """Train in one stage: the last state, and metadata: the steps that were done, and whether they are too few.

    Parameters
    ----------
    ending : float
        Seconds that measuring and making the model will take.
    seconds : float, optional
        Since the budget began, after which the steps end; by default its minutes decide.
    """
    prepared = budget.elapsed()
    by_minutes = seconds_of_training(budget.minutes, prepared, ending)
    left = by_minutes if seconds is None else max(seconds - prepared, 0.0)
    allowance = Allowance(budget.steps, left, budget.measures_threads)
    state = descend(descent, budget, allowance, said, run=run, file=budget.checkpoint, begin=begin)
    ended = allowance.out_of_time(state)
    few = too_few_steps(budget.minutes, state.step, state.seconds, prepared + ending, ended)
    return state, {"steps_done": state.step, **few}


class Outlook:
    """The words of a training's progress, from what was reported so far.

    Parameters
    ----------
    allowance : Allowance
    """

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._seen: list[tuple[float, float, int, float]] = []  # part spent, seconds, step, held-out error

    def words(self, state: TrainingState, error: float) -> str:
        """``step 120 of 8,000, 1:20 left, error still falling (-31 % ...)`` after an evaluation.

        Parameters
        ----------
        state : TrainingState
        error : float
            The mean held-out error now.
        """
        spent = self._allowance.spent(state)
        self._seen.append((spent, state.seconds, state.step, error))
        return ", ".join([self._steps(), *self._left(), *self._trend()])

    def _steps(self) -> str:
        """The step, and how many there will be: stated, or estimated from the pace."""
        first, last = self._seen[0], self._seen[-1]
        if self._allowance.seconds is None:
            return f"step {last[2]:,} of {self._allowance.steps:,}"
        if last[0] <= first[0]:
            return f"step {last[2]:,}"
        total = last[2] + (1.0 - last[0]) * (last[2] - first[2]) / (last[0] - first[0])
        if self._allowance.steps is not None:
            total = min(total, self._allowance.steps)
        return f"step {last[2]:,} of about {round(total):,}"

    def _left(self) -> list[str]:
        """Minutes and seconds to the end of the budget."""
        first, last = self._seen[0], self._seen[-1]
        if last[0] >= 1.0 or (last[0] <= first[0] and self._allowance.seconds is None):
            return []
        if last[0] > first[0]:
            seconds = (1.0 - last[0]) * (last[1] - first[1]) / (last[0] - first[0])
        else:
            seconds = (1.0 - last[0]) * float(self._allowance.seconds or 0.0)
        return [f"{round(seconds) // 60}:{round(seconds) % 60:02d} left"]

    def _trend(self) -> list[str]:
        """Return True if the error still falls: against what it was when half as much was spent."""
        spent, _, _, error = self._seen[-1]
        earlier = [entry for entry in self._seen if entry[0] <= 0.5 * spent]
        if not earlier or earlier[-1][3] <= 0.0:
            return []
        fell = 1.0 - error / earlier[-1][3]
        if fell < FALLING:
            return ["the error no longer falls"] if spent >= SETTLED else []
        more = ": more minutes or steps help" if spent >= 1.0 else ""
        return [f"still falling (by {fell:.0%} since half of this time{more})"]
