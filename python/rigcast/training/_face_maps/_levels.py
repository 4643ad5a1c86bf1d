"""Training in two levels: coarse segments, then refinements of what the frozen coarse model leaves.

Squared errors in coefficients (or texels) come first in each level. The loss of vertices and normals follows in the
last one: it would take from the coarse maps what the refinements are there for. In texels a share of 0 leaves it alone.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast.progress import Progress, ProgressCallback
from rigcast.training._checkpoint import State, read_checkpoint, write_checkpoint
from rigcast.training._face_maps._basis import with_bases
from rigcast.training._face_maps._coefficients import CoefficientDescent
from rigcast.training._face_maps._convolution_networks import with_convolutions
from rigcast.training._face_maps._descent import MapDescent, row_blocks
from rigcast.training._face_maps._export import LearnedMap
from rigcast.training._face_maps._layout import COARSE, MapSegment
from rigcast.training._face_maps._preparation import Preparation, refined
from rigcast.training._face_maps._problem import Problem, level_of, make_problem, offsets_of
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._texels import TexelDescent
from rigcast.training._optimize import Budget
from rigcast.training._optimizers import Arrays
from rigcast.training._outlook import Outlook
from rigcast.training._pace import seconds_of_ending, seconds_of_training, too_few_steps

Finish = Callable[[Preparation, list[LearnedMap], float], object]

LATEST = 0.5  # of the minutes: networks on a base do not begin later
TOO_LATE = "left out: no time was left for them"
FEWER_ROWS, SMALLER_STEPS = 4, 10  # in steps on vertices, as against those on coefficients

STAGES = (
    "training coarse coefficients",
    "training coarse maps",
    "training refinement coefficients",
    "training refinement maps",
)


@dataclass(frozen=True)
class Trained:
    """A level after its training: ``state.best`` are its weights."""

    descent: MapDescent
    state: State

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
    """Both levels of a training; each stage has a checkpoint of its own: ``checkpoint``, ``checkpoint.1``, ...

    Parameters
    ----------
    ds : Dataset
    settings : FaceMapsSettings
    device : str
    checkpoint : Path or None
    progress : callable
    """

    def __init__(
        self, ds: Any, settings: FaceMapsSettings, device: str, checkpoint: Path | None, progress: ProgressCallback
    ) -> None:
        self.ds, self.settings, self.device, self.progress = ds, settings, device, progress
        self._torch = require("torch", extra="training", purpose="training a model")
        self._finish: Callable[[list[LearnedMap], float], object] | None = None
        self.files: list[Path] = []
        if checkpoint is not None:
            later = [checkpoint.with_name(f"{checkpoint.name}.{stage}") for stage in range(1, len(STAGES))]
            self.files = [checkpoint, *later]

    def forget(self) -> None:
        """Remove the checkpoints."""
        for file in self.files:
            file.unlink(missing_ok=True)

    def train(
        self, ready: Preparation, threads: int, started: float, finish: Finish | None = None
    ) -> tuple[Preparation, list[LearnedMap], dict[str, Any]]:
        """Train both levels: the preparation with refinement segments, all networks, and the steps done.

        Parameters
        ----------
        started : float
            When the call began (``time.monotonic``).
        finish : callable, optional
            Makes the model of some networks and measures it on a share of the rows: how long that takes shortens the
            steps.

        Notes
        -----
        Networks on a base are left out if more than half of the minutes is gone before: what they need first takes as
        long as the base did, at any load.
        """
        if ready.base is not None and self._too_late(started):
            few = too_few_steps(self.settings.minutes, 0, 0.0, time.monotonic() - started, True)
            return ready, [], {"steps_done": {}, "seconds": 0.0, "networks": TOO_LATE} | few
        if self.settings.refinement > 0.0:
            self.progress(Progress("finding what to refine", 0, 1))
            ready = replace(ready, layout=refined(self.ds, ready, self.settings, threads))
        segments = [segment for segment in ready.layout.segments if segment.level != COARSE]
        self._finish = None if finish is None else partial(finish, ready)
        clock = _Clock(self.settings if segments else replace(self.settings, refinement=0.0), started, threads)
        coarse = self._level(COARSE, ready.layout.coarse, ready, None, clock)
        if coarse is None:
            return ready, [], clock.done()
        learned = coarse.learned(ready.length)
        if segments:
            fine = self._level(1, segments, ready, coarse, clock)
            learned += [] if fine is None else fine.learned(ready.length)
        return ready, learned, clock.done()

    def _too_late(self, started: float) -> bool:
        minutes = self.settings.minutes
        return minutes is not None and time.monotonic() - started > LATEST * 60.0 * minutes

    def _level(
        self, number: int, segments: list[MapSegment], ready: Preparation, frozen: Trained | None, clock: _Clock
    ) -> Trained | None:
        """Train the segments that have inputs on what the frozen level leaves; None if there are none.

        In coefficients or texels first, where a step is fast, then on vertices and normals.
        """
        segments = [segment for segment in segments if len(segment.columns)]
        if not segments:
            return None
        rest, rows = np.asarray(self.ds.rest_vertices), np.arange(len(self.ds))
        level = level_of(segments, ready.layout.parts, self.ds.faces, len(rest))
        truth = offsets_of(self.ds, rows, level.vertices, ready.length)
        base = self._below(ready, level.vertices)
        if frozen is not None:
            base = frozen.offsets(level.vertices, len(rows), base)
        problem, quick = self._with_networks(make_problem(level, ready, rest, truth, base))
        trained: Trained | None = None
        for kind, stage in ((quick, 2 * number), (MapDescent, 2 * number + 1)):
            if clock.share(stage) > 0.0 or (trained is None and kind is MapDescent):
                descent = kind(problem, self._settings_of(kind), self.device, stage)
                before = None if trained is None else trained.descent.complete(trained.state.best)
                start = descent.start() if before is None else descent.begin_with(before)
                if number == COARSE and trained is None:
                    clock.keep_for_ending(self._rehearsed(Trained(descent, start), ready))
                trained = Trained(descent, self._run(stage, descent, start, clock, ready))
        return trained

    def _below(self, ready: Preparation, vertices: NDArray[np.int64]) -> NDArray[np.float32] | None:
        """Offsets (T, M, 3) of the base at some vertices in all rows, in the unit of the loss; None without a base."""
        if ready.base is None:
            return None
        part = ready.base.of_vertices(vertices)
        result = part.offsets(ready.poses)
        result /= np.float32(ready.length)
        return result

    def _rehearsed(self, begin: Trained, ready: Preparation) -> float:
        """Seconds that making and measuring the model takes; as much again for refinements as for coarse maps."""
        if (finish := self._finish) is None:
            return 0.0
        learned, refined = begin.learned(ready.length), len(ready.layout.coarse) < len(ready.layout.segments)
        return (1 + refined) * seconds_of_ending(self.settings.minutes, lambda share: finish(learned, share))

    def _settings_of(self, kind: type[MapDescent]) -> FaceMapsSettings:
        """Fewer rows and smaller steps with the loss of vertices, which corrects what is known already."""
        given = self.settings
        if given.method == "paper" or kind is CoefficientDescent:
            return given
        batch = max(given.batch // FEWER_ROWS, 1)
        return replace(given, batch=batch, learning_rate=given.learning_rate / SMALLER_STEPS)

    def _with_networks(self, problem: Problem) -> tuple[Problem, type[MapDescent]]:
        """The problem with the method's networks, and the training that has quick steps on them."""
        if self.settings.method == "paper":
            return with_convolutions(problem, self.settings), TexelDescent
        return with_bases(self._torch, problem, self.settings, self.device), CoefficientDescent

    def _run(self, stage: int, descent: MapDescent, begin: State, clock: _Clock, ready: Preparation) -> State:
        """Steps until the budget is spent, from a checkpoint if there is one."""
        file = self.files[stage] if self.files else None
        run = hashlib.sha256(json.dumps([self.ds.hash, self.settings.record(), stage]).encode()).hexdigest()
        state = (read_checkpoint(file, run, "face_maps") if file else None) or begin
        budget = clock.budget(stage)
        outlook, unit = Outlook(budget), 1e3 * ready.length * self.ds.meters_per_unit

        def report(now: State, _: Arrays) -> None:
            mean, most = unit * descent.mean, unit * descent.most
            message = f"held-out error {mean:.3g} mm, at most {most:.3g} mm, {outlook.words(now, mean)}"
            self.progress(Progress(STAGES[stage], budget.spent(now), 1.0, message))

        def keep(now: State) -> None:
            if file is not None:
                write_checkpoint(file, now, run)

        state = descent.run(state, budget, report, keep)
        clock.finish(stage, state, budget.out_of_time(state))
        return state


class _Clock:
    """The budgets of the stages, one after another; what a stage did not use is left to the next ones.

    The seconds of a stage are those of its steps, so that its learning rate falls from the first one on. What else
    takes time (reading, laying out) shortens the stages that are to come.

    Parameters
    ----------
    settings : FaceMapsSettings
    started : float
        When the call began (``time.monotonic``).
    threads : int
        0: with minutes, as many as are fastest.
    """

    def __init__(self, settings: FaceMapsSettings, started: float, threads: int = 0) -> None:
        coarse, texels = 1.0 - settings.refinement, settings.texels
        quick = texels if texels == 0.0 or coarse == 1.0 else 1.0  # what is refined has its loss of vertices there
        self._ends = [0.0, coarse * quick, coarse, coarse + settings.refinement * texels, 1.0]
        self._steps, self._since = settings.steps, started
        self._minutes, self._measured = settings.minutes, settings.minutes is not None and threads == 0
        self._spent, self._ending, self._out_of_time = 0.0, 0.0, False
        self._finished: dict[int, State] = {}

    def share(self, stage: int) -> float:
        """The part of the whole that a stage has."""
        return self._ends[stage + 1] - self._ends[stage]

    def budget(self, stage: int) -> Budget:
        """What a stage may use, which begins now."""
        steps = seconds = None
        if self._steps is not None:
            ends = [round(end * self._steps) for end in self._ends]
            steps = max(ends[stage + 1] - ends[stage], 1)
        if self._minutes is not None:
            self._spent += time.monotonic() - self._since
            left = seconds_of_training(self._minutes, self._spent, self._ending) or 0.0
            seconds = self.share(stage) / (1.0 - self._ends[stage]) * left
        return Budget(steps, seconds, self._measured)

    def keep_for_ending(self, seconds: float) -> None:
        """Leave so many seconds to what follows the steps."""
        self._ending = seconds

    def finish(self, stage: int, state: State, out_of_time: bool = False) -> None:
        """A stage has ended."""
        self._finished[stage] = state
        self._out_of_time |= out_of_time
        self._spent += state.seconds
        self._since = time.monotonic()

    def done(self) -> dict[str, Any]:
        """Steps of each stage, the seconds of all steps, and whether they are too few."""
        steps = {STAGES[stage]: state.step for stage, state in self._finished.items()}
        seconds = sum(state.seconds for state in self._finished.values())
        other = self._spent - seconds + self._ending
        few = too_few_steps(self._minutes, sum(steps.values()), seconds, other, self._out_of_time)
        spent = {"seconds": seconds} if self._minutes is not None else {}  # with steps, two runs make the same file
        return {"steps_done": steps, **spent, **few}
