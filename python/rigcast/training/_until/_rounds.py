"""Rounds of sampling and training until the error on fresh poses holds.

A round trains on all poses so far, going on from the model of the round before, and looks at a few fresh poses of the
sampler. If their error meets the goal, as many more are sampled as a confidence bound needs, and the bound decides.
Otherwise the fresh poses join the training, with others where the model is least sure.

Everything follows from the rig, the seed and the settings: each set of poses is sampled into a folder of its own by
:func:`rigcast.sampling.sample`, each round's model is a file. A run that was killed repeats its decisions, which cost
little, and goes on with the first set or model that is not there; a training goes on from its checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast.sampling import Dataset
from rigcast.sampling._joined import JoinedSets
from rigcast.training._body.error_bound import row_errors
from rigcast.training._until._choose import Drawing, least_sure
from rigcast.training._until._estimate import PERCENTILE, Estimate, estimate
from rigcast.training._until._goal import Goal
from rigcast.training._until._workplace import Workplace

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
class RoundsOutcome:
    """The end of a training to a stated error.

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
        Says which poses a round adds to the fresh ones.
    """

    def __init__(self, place: Workplace, goal: Goal, most_poses: int, choose: Choice = least_sure) -> None:
        self.place, self.goal, self.most_poses, self.choose = place, goal, most_poses, choose

    def run(self, first: int) -> RoundsOutcome:
        """Begin with ``first`` random poses, or those that are there; go on until the goal or a budget is reached."""
        place, goal = self.place, self.goal
        sets, steps, judged, rounds = [place.first(first)], place.budget.steps or 0, 0, list[Round]()
        sampled, model = place.probe_rows + len(sets[0]), None
        while True:
            number = len(rounds)
            model = place.trained(number, JoinedSets(sets), steps, model)
            look = place.sampled(f"look-{number:03d}", LOOK, number)
            fresh, risk = look, RISK
            sampled += len(look)
            found = estimate(place.errors(model, look), goal.statistic, risk)
            if hopeful := found.value <= goal.tolerance:
                judged += 1
                risk = RISK / (judged * (judged + 1))  # all of them together: RISK
            if affordable := hopeful and sampled + self._needed(risk) <= self.most_poses:
                fresh = place.sampled(f"fresh-{number:03d}", self._needed(risk), number)
                sampled += len(fresh)
                found = estimate(place.errors(model, fresh), goal.statistic, risk)
            rounds.append(_point(sum(map(len, sets)), steps, found, 1.0 - (risk if affordable else RISK)))
            place.say(rounds[-1].in_words(number, goal, place.to_millimeters))
            steps, count = self._next(model, sets, look, steps)
            if affordable and found.bound <= goal.tolerance:
                return RoundsOutcome(model, sets, fresh, rounds, "error", sampled)
            if hopeful > affordable or sampled + count + LOOK > self.most_poses:
                return RoundsOutcome(model, sets, fresh, rounds, "poses", sampled)
            if place.out_of_time():
                return RoundsOutcome(model, sets, fresh, rounds, "minutes", sampled)
            added = self._chosen(number, model, sets, count)
            sets = [*sets, look, *([fresh] if affordable else []), *added]
            sampled += count

    def _needed(self, risk: float) -> int:
        """Fresh poses that a bound needs."""
        if self.goal.statistic != "max":
            return JUDGED
        return max(JUDGED, math.ceil(math.log(risk) / math.log(PERCENTILE)) + 1)

    def _next(self, model: Deformer, sets: list[Dataset], look: Dataset, steps: int) -> tuple[int, int]:
        """Steps of the next round, and how many poses it adds to the fresh ones."""
        budget = self.place.budget
        rows = sets[0].split(self.place.settings.holdout, budget.seed)[0][:LOOK]
        seen, unseen = row_errors(model, sets[0], rows).mean(), self.place.errors(model, look).mean()
        longest = MOST_STEPS * (budget.steps or 1)
        if seen > LEARNED * unseen and steps < longest:
            return min(2 * steps, longest), 0
        return steps, max(LEAST_GROWTH, round(GROWTH * sum(map(len, sets))))

    def _chosen(self, number: int, model: Deformer, sets: list[Dataset], count: int) -> list[Dataset]:
        """The poses that a round adds."""
        if count == 0:
            return []
        place = self.place
        known = JoinedSets(sets), place.moves(), place.drawing
        channels = self.choose(model, *known, count, place.seed_of(number, 3))
        return [place.sampled_rows(f"chosen-{number:03d}", channels)]


def _point(poses: int, steps: int, found: Estimate, confidence: float) -> Round:
    bound = found.bound if math.isfinite(found.bound) else None
    return Round(poses, steps, found.poses, found.value, bound, confidence)
