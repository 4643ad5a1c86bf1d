"""Training in two levels: coarse segments, then refinements of what the frozen coarse model leaves.

Squared errors in coefficients (or texels) come first in each level. The loss of vertices and normals follows in the
last one: it would take from the coarse maps what the refinements are there for. In texels a share of 0 leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._resume.fingerprints import fingerprint
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._descend import descend
from rigcast.training._face_maps._layout.segments import COARSE, MapSegment
from rigcast.training._face_maps._preparation import MapPreparation
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.basis import with_bases
from rigcast.training._face_maps._train.coefficients import CoefficientDescent
from rigcast.training._face_maps._train.convolution_networks import with_convolutions
from rigcast.training._face_maps._train.descent import MapDescent, row_blocks
from rigcast.training._face_maps._train.learned_map import LearnedMap
from rigcast.training._face_maps._train.problem import LevelProblem, level_of, make_problem, offsets_of
from rigcast.training._face_maps._train.stages import STAGES, StageClock
from rigcast.training._face_maps._train.texels import TexelDescent
from rigcast.training._optimizers import Arrays
from rigcast.training._pace import seconds_of_ending

Finish = Callable[[list[LearnedMap], float], object]

FEWER_ROWS, SMALLER_STEPS = 4, 10  # in steps on vertices, as against those on coefficients


@dataclass(frozen=True)
class TrainedLevel:
    """A level after its training: ``state.best`` are its weights."""

    descent: MapDescent
    state: TrainingState

    def learned(self, length: float) -> list[LearnedMap]:
        """Its networks; ``length`` is the unit of the loss."""
        problem, result = self.descent.problem, []
        for number, segment in enumerate(problem.level.segments):
            prefix, scaling = f"{number:03d}.", problem.scalings[number]
            weights = self.descent.complete(self.state.best)
            own = {name[4:]: value for name, value in weights.items() if name.startswith(prefix)}
            in_rig_units = replace(scaling, scale=scaling.scale * length)
            result.append(LearnedMap(segment, problem.shapes[number], in_rig_units, own))
        return result

    def offsets(
        self, vertices: NDArray[np.int64], count: int, below: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """Offsets (T, M, 3) of some vertices of the mesh in the first ``count`` rows.

        ``below`` are those of the base, None for 0: vertices that the level does not move have them.
        """
        place = self.descent.problem.level.place[vertices]
        result = np.zeros((count, len(vertices), 3), np.float32) if below is None else below
        weights = self.descent.complete(self.state.best)
        for rows in row_blocks(count):
            result[rows] = np.where((place >= 0)[:, None], self.descent.offsets(weights, rows)[:, place], result[rows])
        return result


class Levels:
    """Both levels of a training; each stage has a checkpoint of its own.

    Parameters
    ----------
    ds : Dataset
    settings : FaceMapsSettings
    budget : Budget
    """

    def __init__(self, ds: Any, settings: FaceMapsSettings, budget: Budget) -> None:
        self.ds, self.settings, self.budget = ds, settings, budget
        self._finish: Finish | None = None
        self._files = budget.files(len(STAGES))

    def train(self, ready: MapPreparation, finish: Finish | None = None) -> tuple[list[LearnedMap], dict[str, Any]]:
        """Train both levels: all networks, and the steps done.

        Parameters
        ----------
        finish : callable, optional
            Makes the model of some networks and measures it on a share of the rows: how long that takes shortens the
            steps.
        """
        segments, self._finish = ready.layout.fine, finish
        clock = StageClock(self.settings if segments else replace(self.settings, refinement=0.0), self.budget)
        coarse = self._level(COARSE, ready.layout.coarse, ready, None, clock)
        if coarse is None:
            return [], clock.done()
        learned = coarse.learned(ready.length)
        if segments:
            fine = self._level(1, segments, ready, coarse, clock)
            learned += [] if fine is None else fine.learned(ready.length)
        return learned, clock.done()

    def _level(
        self,
        number: int,
        segments: list[MapSegment],
        ready: MapPreparation,
        frozen: TrainedLevel | None,
        clock: StageClock,
    ) -> TrainedLevel | None:
        """Train the segments that have inputs on what the frozen level leaves; None if there are none.

        In coefficients or texels first, where a step is fast, then on vertices and normals.
        """
        segments = [segment for segment in segments if len(segment.columns)]
        if not segments:
            return None
        problem, quick = self._with_networks(self._problem(segments, ready, frozen))
        trained: TrainedLevel | None = None
        for kind, stage in ((quick, 2 * number), (MapDescent, 2 * number + 1)):
            if clock.share(stage) > 0.0 or (trained is None and kind is MapDescent):
                descent = kind(problem, self._settings_of(kind), self.budget, stage)
                before = None if trained is None else trained.descent.complete(trained.state.best)
                start = descent.start() if before is None else descent.begin_with(before)
                if number == COARSE and trained is None:
                    clock.keep_for_ending(self._rehearsed(TrainedLevel(descent, start), ready))
                trained = TrainedLevel(descent, self._run(stage, descent, start, clock, ready))
        return trained

    def _problem(self, segments: list[MapSegment], ready: MapPreparation, frozen: TrainedLevel | None) -> LevelProblem:
        """The problem of a level on what the frozen one leaves, without networks."""
        rest, rows = np.asarray(self.ds.rest_vertices), np.arange(len(self.ds))
        level = level_of(segments, ready.layout.parts, self.ds.faces, len(rest))
        truth = offsets_of(self.ds, rows, level.vertices, ready.length)
        base = self._below(ready, level.vertices)
        if frozen is not None:
            base = frozen.offsets(level.vertices, len(rows), base)
        return replace(make_problem(level, ready, rest, truth, base), up_axis=self.ds.up_axis)

    def _below(self, ready: MapPreparation, vertices: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """Offsets (T, M, 3) of the base at some vertices in all rows, in the unit of the loss; None without a base."""
        if ready.base is None:
            return None
        part = ready.base.of_vertices(vertices)
        result = part.offsets(ready.poses)
        result /= np.float32(ready.length)
        return result

    def _rehearsed(self, begin: TrainedLevel, ready: MapPreparation) -> float:
        """Seconds that making and measuring the model takes; as much again for refinements as for coarse maps."""
        if (finish := self._finish) is None:
            return 0.0
        learned = begin.learned(ready.length)
        times = 2 if ready.layout.fine else 1
        return times * seconds_of_ending(self.budget.minutes, lambda share: finish(learned, share))

    def _settings_of(self, kind: type[MapDescent]) -> FaceMapsSettings:
        """Fewer rows and smaller steps with the loss of vertices, which corrects what is known already."""
        given = self.settings
        if given.method == "paper" or kind is CoefficientDescent:
            return given
        batch = max(given.batch // FEWER_ROWS, 1)
        return replace(given, batch=batch, learning_rate=given.learning_rate / SMALLER_STEPS)

    def _with_networks(self, problem: LevelProblem) -> tuple[LevelProblem, type[MapDescent]]:
        """The problem with the method's networks, and the training that has quick steps on them."""
        if self.settings.method == "paper":
            return with_convolutions(problem, self.settings), TexelDescent
        return with_bases(problem, self.settings, self.budget), CoefficientDescent

    def _run(
        self, stage: int, descent: MapDescent, begin: TrainingState, clock: StageClock, ready: MapPreparation
    ) -> TrainingState:
        """Steps until the stage's part of the budget is spent, from a checkpoint if there is one."""
        unit, allowance = 1e3 * ready.length * self.ds.meters_per_unit, clock.allowance(stage)

        def said(_: Arrays) -> tuple[str, float]:
            mean, most = unit * descent.mean, unit * descent.most
            return f"{mean:.3g} mm, at most {most:.3g} mm", mean

        run = fingerprint(self.ds.hash, self.budget.record(self.settings), stage)
        where: dict[str, Any] = {"run": run, "file": self._files[stage], "begin": begin, "stage": STAGES[stage]}
        state = descend(descent, self.budget, allowance, said, **where)
        clock.finish(stage, state, allowance.out_of_time(state))
        return state
