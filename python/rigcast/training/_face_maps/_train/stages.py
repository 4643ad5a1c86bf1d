"""The stages of a training, each level in two, and what of the budget each may use."""

from __future__ import annotations

import time
from typing import Any

from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._optimize import Allowance
from rigcast.training._pace import seconds_of_training, too_few_steps

LATEST = 0.5  # of the minutes: networks on a base do not begin later
TOO_LATE = "left out: no time was left for them"
STAGES = (
    "training coarse coefficients",
    "training coarse maps",
    "training refinement coefficients",
    "training refinement maps",
)


def too_late(budget: Budget) -> dict[str, Any]:
    """Return the metadata of networks that are left out, if more than half of the minutes is gone; else empty.

    What networks on a base need first takes as long as the base did, at any load.
    """
    spent = budget.elapsed()
    if budget.minutes is None or spent <= LATEST * 60.0 * budget.minutes:
        return {}
    few = too_few_steps(budget.minutes, 0, 0.0, spent, True)
    return {"steps_done": {}, "seconds": 0.0, "networks": TOO_LATE} | few


class StageClock:
    """The budgets of the stages, one after another; what a stage did not use is left to the next ones.

    The seconds of a stage are those of its steps, so that its learning rate falls from the first one on. What else
    takes time (reading, laying out) shortens the stages that are to come.

    Parameters
    ----------
    settings : FaceMapsSettings
    budget : Budget
    """

    def __init__(self, settings: FaceMapsSettings, budget: Budget) -> None:
        coarse, texels = 1.0 - settings.refinement, settings.texels
        quick = texels if texels == 0.0 or coarse == 1.0 else 1.0  # what is refined has its loss of vertices there
        self._ends = [0.0, coarse * quick, coarse, coarse + settings.refinement * texels, 1.0]
        self._budget, self._since = budget, budget.started
        self._spent, self._ending, self._out_of_time = 0.0, 0.0, False
        self._finished: dict[int, TrainingState] = {}

    def share(self, stage: int) -> float:
        """The part of the whole that a stage has."""
        return self._ends[stage + 1] - self._ends[stage]

    def allowance(self, stage: int) -> Allowance:
        """The allowance of a stage, which begins now."""
        steps = seconds = None
        if self._budget.steps is not None:
            ends = [round(end * self._budget.steps) for end in self._ends]
            steps = max(ends[stage + 1] - ends[stage], 1)
        if self._budget.minutes is not None:
            self._spent += time.monotonic() - self._since
            left = seconds_of_training(self._budget.minutes, self._spent, self._ending) or 0.0
            seconds = self.share(stage) / (1.0 - self._ends[stage]) * left
        return Allowance(steps, seconds, self._budget.measures_threads)

    def keep_for_ending(self, seconds: float) -> None:
        """Leave so many seconds to what follows the steps."""
        self._ending = seconds

    def finish(self, stage: int, state: TrainingState, out_of_time: bool = False) -> None:
        """Note that a stage has ended."""
        self._finished[stage] = state
        self._out_of_time |= out_of_time
        self._spent += state.seconds
        self._since = time.monotonic()

    def done(self) -> dict[str, Any]:
        """Steps of each stage, the seconds of all steps, and whether they are too few."""
        steps = {STAGES[stage]: state.step for stage, state in self._finished.items()}
        seconds = sum(state.seconds for state in self._finished.values())
        other = self._spent - seconds + self._ending
        few = too_few_steps(self._budget.minutes, sum(steps.values()), seconds, other, self._out_of_time)
        # With steps alone, two runs make the same file.
        spent = {} if self._budget.minutes is None else {"seconds": seconds}
        return {"steps_done": steps, **spent, **few}
