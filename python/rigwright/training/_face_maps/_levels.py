"""Training in two levels: coarse segments, then refinements of what the frozen coarse model leaves."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright.progress import Progress, ProgressCallback
from rigwright.training._checkpoint import State, read_checkpoint, write_checkpoint
from rigwright.training._face_maps._descent import ROWS_AT_ONCE, MapDescent
from rigwright.training._face_maps._export import LearnedMap
from rigwright.training._face_maps._layout import COARSE, MapSegment
from rigwright.training._face_maps._preparation import Preparation, refined
from rigwright.training._face_maps._problem import level_of, make_problem, offsets_of
from rigwright.training._face_maps._settings import FaceMapsSettings
from rigwright.training._optimize import Budget
from rigwright.training._optimizers import Arrays
from rigwright.training._outlook import Outlook
from rigwright.training._pipeline import seconds_of_training

STAGES = ("training coarse maps", "training refinement maps")


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
            own = {name[4:]: value for name, value in self.state.best.items() if name.startswith(prefix)}
            in_rig_units = replace(scaling, scale=scaling.scale * length)
            result.append(LearnedMap(segment, problem.shapes[number], in_rig_units, own))
        return result

    def offsets(self, vertices: NDArray[np.int64], count: int) -> NDArray[np.float32]:
        """Offsets (T, M, 3) of some vertices of the mesh in the first ``count`` rows; 0 for those it does not move."""
        place = self.descent.problem.level.place[vertices]
        result = np.zeros((count, len(vertices), 3), np.float32)
        for begin in range(0, count, ROWS_AT_ONCE):
            rows = np.arange(begin, min(begin + ROWS_AT_ONCE, count))
            result[rows] = np.where((place >= 0)[:, None], self.descent.offsets(self.state.best, rows)[:, place], 0.0)
        return result


class Levels:
    """Both levels of a training, each with a checkpoint of its own: ``checkpoint`` and ``checkpoint.refinement``.

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
        self.files = [] if checkpoint is None else [checkpoint, checkpoint.with_name(f"{checkpoint.name}.refinement")]

    def forget(self) -> None:
        """Remove the checkpoints."""
        for file in self.files:
            file.unlink(missing_ok=True)

    def train(
        self, ready: Preparation, threads: int, started: float
    ) -> tuple[Preparation, list[LearnedMap], dict[str, Any]]:
        """Train both levels: the preparation with refinement segments, all networks, and the steps done.

        Parameters
        ----------
        started : float
            When the call began (``time.monotonic``).
        """
        settings, share = self.settings, 1.0 - self.settings.refinement
        seconds = seconds_of_training(settings.minutes, time.monotonic() - started)
        budget = Budget(_part(settings.steps, share), None if seconds is None else share * seconds)
        coarse = self._level(COARSE, ready.layout.coarse, ready, None, budget, started)
        done: dict[str, Any] = {"coarse_steps": 0, "refinement_steps": 0, "seconds": 0.0}
        if coarse is None:
            return ready, [], done
        done |= {"coarse_steps": coarse.state.step, "seconds": coarse.state.seconds}
        if settings.refinement == 0.0:
            return ready, coarse.learned(ready.length), done
        begun = time.monotonic()
        self.progress(Progress("finding what to refine", 0, 1))
        ready = replace(ready, layout=refined(self.ds, ready, settings, threads))
        left = None if settings.steps is None else settings.steps - (budget.steps or 0)
        rest = None if seconds is None else max(seconds - coarse.state.seconds, 0.0)
        segments = [segment for segment in ready.layout.segments if segment.level != COARSE]
        fine = self._level(1, segments, ready, coarse, Budget(left, rest), begun)
        if fine is None:
            return ready, coarse.learned(ready.length), done
        done |= {"refinement_steps": fine.state.step, "seconds": coarse.state.seconds + fine.state.seconds}
        return ready, coarse.learned(ready.length) + fine.learned(ready.length), done

    def _level(
        self,
        number: int,
        segments: list[MapSegment],
        ready: Preparation,
        frozen: Trained | None,
        budget: Budget,
        begun: float,
    ) -> Trained | None:
        """Train the segments that have inputs on what the frozen level leaves; None if there are none."""
        segments = [segment for segment in segments if len(segment.columns)]
        if not segments:
            return None
        rest, rows = np.asarray(self.ds.rest_vertices), np.arange(len(self.ds))
        level = level_of(segments, ready.layout.parts, self.ds.faces, len(rest))
        truth = offsets_of(self.ds, rows, level.vertices, ready.length)
        base = None if frozen is None else frozen.offsets(level.vertices, len(rows))
        problem = make_problem(level, ready, rest, truth, base, self.settings)
        descent = MapDescent(problem, self.settings, self.device, number)
        return Trained(descent, self._run(number, descent, budget, ready, begun))

    def _run(self, number: int, descent: MapDescent, budget: Budget, ready: Preparation, begun: float) -> State:
        """Steps until the budget is spent, from a checkpoint if there is one."""
        file = self.files[number] if self.files else None
        run = hashlib.sha256(json.dumps([self.ds.hash, self.settings.record(), number]).encode()).hexdigest()
        state = (read_checkpoint(file, run, "face_maps") if file else None) or descent.start()
        if budget.spent(state) < 1.0:
            state.seconds += time.monotonic() - begun
        outlook, unit = Outlook(budget), 1e3 * ready.length * self.ds.meters_per_unit

        def report(now: State, _: Arrays) -> None:
            mean, most = unit * descent.mean, unit * descent.most
            message = f"held-out error {mean:.3g} mm, at most {most:.3g} mm, {outlook.words(now, mean)}"
            self.progress(Progress(STAGES[number], budget.spent(now), 1.0, message))

        def keep(now: State) -> None:
            if file is not None:
                write_checkpoint(file, now, run)

        return descent.run(state, budget, report, keep)


def _part(steps: int | None, share: float) -> int | None:
    return None if steps is None else max(round(share * steps), 1)
