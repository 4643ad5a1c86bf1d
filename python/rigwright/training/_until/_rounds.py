"""Rounds of sampling and training until the error on fresh poses holds.

A round trains on all poses so far, going on from the model of the round before, and looks at a few fresh poses of the
sampler. If their error meets the goal, as many more are sampled as a confidence bound needs, and the bound decides.
Otherwise the fresh poses join the training, with others where the model is least sure.

Everything follows from the rig, the seed and the settings: each set of poses is sampled into a folder of its own by
:func:`rigwright.sampling.sample`, each round's model is a file. A run that was killed repeats its decisions, which cost
little, and goes on with the first set or model that is not there; a training goes on from its checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._core import Deformer
from rigwright.sampling import Dataset
from rigwright.sampling._joined import JoinedSets
from rigwright.training._error_bound import row_errors
from rigwright.training._until._choose import Drawing, least_sure
from rigwright.training._until._estimate import PERCENTILE, Estimate, estimate
from rigwright.training._until._goal import Goal
from rigwright.training._until._workplace import Workplace

LOOK = 64  # fresh poses that every round is judged by
JUDGED = 300  # fresh poses that decide whether the goal is met; more for "max", if its bound needs them
RISK = 0.05  # that a bound which stopped the training is too low, over all rounds
GROWTH = 0.5  # poses that a round adds, as a share of those that it learned from
LEAST_GROWTH = 64
LEARNED = 0.8  # of the error on fresh poses: if that on training poses is above it, steps are lacking, not poses
MOST_STEPS = 8  # times those of the first round

Choice = Callable[[Deformer, JoinedSets, NDArray[np.bool_], Drawing, int, int], NDArray[np.float32]]


@dataclass(frozen=True)
class Round:
    """A point of the curve: the poses that were learned from, and the error on fresh ones.

    ``value`` and ``bound`` are in the rig's unit; ``bound`` is None if the fresh poses are too few for one, and holds
    with the probability ``confidence``.
    """

    poses: int
    steps: int
    fresh: int
    value: float
    bound: float | None
    confidence: float

    def in_words(self, number: int, goal: Goal, to_millimeters: float) -> str:
        """``round 2, 600 poses: p99 0.21 mm, at most 0.25 mm; the goal is 0.1 mm``."""
        most = "" if self.bound is None else f", at most {to_millimeters * self.bound:.3g} mm"
        found = f"{goal.statistic} {to_millimeters * self.value:.3g} mm{most}"
        return (
            f"round {number + 1}, {self.poses:,} poses: {found}; the goal is {to_millimeters * goal.tolerance:.3g} mm"
        )


@dataclass(frozen=True)
class Outcome:
    """How a training to a stated error ended.

    Attributes
    ----------
    model : Deformer
        Of the last round.
    sets : list of Dataset
        That it learned from.
    fresh : Dataset
        Random poses that it has not seen, by which the last round was judged.
    rounds : list of Round
    stopped : "error", "poses" or "minutes"
    sampled : int
        Poses of the rig in all, those of the influence probe included.
    """

    model: Deformer
    sets: list[Dataset]
    fresh: Dataset
    rounds: list[Round]
    stopped: str
    sampled: int

    def record(self, goal: Goal) -> dict[str, Any]:
        """For the model's metadata."""
        return {
            "statistic": goal.statistic,
            "tolerance": goal.tolerance,
            "reached": self.stopped == "error",
            "stopped": self.stopped,
            "sampled": self.sampled,
            "rounds": [asdict(entry) for entry in self.rounds],
        }


class Rounds:
    """The decisions: what to sample and how long to train.

    Parameters
    ----------
    place : Workplace
        Samples and trains.
    goal : Goal
    most_poses : int
        Of the rig in all.
    choose : callable
        Says which poses a round adds beside the fresh ones.
    """

    def __init__(self, place: Workplace, goal: Goal, most_poses: int, choose: Choice = least_sure) -> None:
        self.place, self.goal, self.most_poses, self.choose = place, goal, most_poses, choose

    def run(self, first: int) -> Outcome:
        """Begin with ``first`` random poses, or those that are there; go on until the goal or a budget is reached."""
        place, goal = self.place, self.goal
        sets, steps, judged, rounds = [place.first(first)], place.settings.steps or 0, 0, list[Round]()
        sampled, model = place.probe_rows + len(sets[0]), None
        while True:
            number = len(rounds)
            model = place.trained(number, JoinedSets(sets), steps, model)
            look = place.sampled(f"look-{number:03d}", LOOK, number)
            sampled += len(look)
            fresh, confidence = look, 1.0 - RISK
            found = estimate(place.errors(model, look), goal.statistic, RISK)
            if found.value <= goal.tolerance:
                judged += 1
                risk = RISK / (judged * (judged + 1))  # all of them together: RISK
                count = self._needed(risk)
                if sampled + count <= self.most_poses:
                    fresh, confidence = place.sampled(f"fresh-{number:03d}", count, number), 1.0 - risk
                    sampled += count
                    found = estimate(place.errors(model, fresh), goal.statistic, risk)
            rounds.append(_point(sum(map(len, sets)), steps, found, confidence))
            place.say(rounds[-1].in_words(number, goal, place.to_millimeters))
            stopped = self._stopped(found, fresh is not look, sampled)
            if stopped:
                return Outcome(model, sets, fresh, rounds, stopped, sampled)
            steps, added = self._next(number, model, sets, look, steps, self.most_poses - sampled)
            sets = [*sets, look, *([fresh] if fresh is not look else []), *added]
            sampled += sum(map(len, added))

    def _needed(self, risk: float) -> int:
        """Fresh poses that a bound needs."""
        if self.goal.statistic != "max":
            return JUDGED
        return max(JUDGED, math.ceil(math.log(risk) / math.log(PERCENTILE)) + 1)

    def _stopped(self, found: Estimate, judged: bool, sampled: int) -> str:
        """Why the training stops now; empty if it goes on."""
        if judged and found.bound <= self.goal.tolerance:
            return "error"
        if sampled + LOOK >= self.most_poses:
            return "poses"
        return "minutes" if self.place.out_of_time() else ""

    def _next(
        self, number: int, model: Deformer, sets: list[Dataset], look: Dataset, steps: int, left: int
    ) -> tuple[int, list[Dataset]]:
        """Steps of the next round, and the poses that it adds beside the fresh ones."""
        place, seen = self.place, JoinedSets(sets)
        rows = sets[0].split(place.settings.holdout, place.settings.seed)[0][:LOOK]
        gap = row_errors(model, sets[0], rows).mean(), row_errors(model, look, np.arange(len(look))).mean()
        longest = MOST_STEPS * (place.settings.steps or 1)
        if gap[0] > LEARNED * gap[1] and steps < longest:
            return min(2 * steps, longest), []
        count = min(max(LEAST_GROWTH, round(GROWTH * len(seen))), left - LOOK)
        if count <= 0:
            return steps, []
        seed = place.seed_of(number, 3)
        channels = self.choose(model, seen, place.moves(), place.drawing, count, seed)
        return steps, [place.sampled_rows(f"chosen-{number:03d}", channels)]


def _point(poses: int, steps: int, found: Estimate, confidence: float) -> Round:
    bound = found.bound if math.isfinite(found.bound) else None
    return Round(poses, steps, found.poses, found.value, bound, confidence)
