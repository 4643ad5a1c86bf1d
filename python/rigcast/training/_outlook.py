"""How far a training is, how long it still takes, and whether its error still falls."""

from __future__ import annotations

from rigcast.training._checkpoint import State
from rigcast.training._optimize import Budget

FALLING = 0.05  # share of the error that it lost since half as much of the budget was spent
SETTLED = 0.5  # part of the budget before which a standstill says nothing: the learning rate still has to fall


class Outlook:
    """Words for a training's progress, from what was reported so far.

    Parameters
    ----------
    budget : Budget
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._seen: list[tuple[float, float, int, float]] = []  # part spent, seconds, step, held-out error

    def words(self, state: State, error: float) -> str:
        """``step 120 of 8,000, 1:20 left, error still falling (-31 % ...)`` after an evaluation.

        Parameters
        ----------
        state : State
        error : float
            The mean held-out error now.
        """
        spent = self._budget.spent(state)
        self._seen.append((spent, state.seconds, state.step, error))
        return ", ".join([self._steps(), *self._left(), *self._trend()])

    def _steps(self) -> str:
        """The step, and how many there will be: stated, or estimated from the pace."""
        first, last = self._seen[0], self._seen[-1]
        if self._budget.seconds is None:
            return f"step {last[2]:,} of {self._budget.steps:,}"
        if last[0] <= first[0]:
            return f"step {last[2]:,}"
        total = last[2] + (1.0 - last[0]) * (last[2] - first[2]) / (last[0] - first[0])
        if self._budget.steps is not None:
            total = min(total, self._budget.steps)
        return f"step {last[2]:,} of about {round(total):,}"

    def _left(self) -> list[str]:
        """Minutes and seconds to the end of the budget."""
        first, last = self._seen[0], self._seen[-1]
        if last[0] >= 1.0 or (last[0] <= first[0] and self._budget.seconds is None):
            return []
        if last[0] > first[0]:
            seconds = (1.0 - last[0]) * (last[1] - first[1]) / (last[0] - first[0])
        else:
            seconds = (1.0 - last[0]) * float(self._budget.seconds or 0.0)
        return [f"{round(seconds) // 60}:{round(seconds) % 60:02d} left"]

    def _trend(self) -> list[str]:
        """Whether the error still falls: against what it was when half as much was spent."""
        spent, _, _, error = self._seen[-1]
        earlier = [entry for entry in self._seen if entry[0] <= 0.5 * spent]
        if not earlier or earlier[-1][3] <= 0.0:
            return []
        fell = 1.0 - error / earlier[-1][3]
        if fell < FALLING:
            return ["the error no longer falls"] if spent >= SETTLED else []
        more = ": more minutes or steps help" if spent >= 1.0 else ""
        return [f"still falling (by {fell:.0%} since half of this time{more})"]
