"""From a model and control points to learned inverse kinematics."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._extras import require
from rigcast._validate import Arguments, bad_argument
from rigcast.ik import FaceIk, Solver
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigcast.sampling import Dataset
from rigcast.training._checkpoint import State, only_run, read_checkpoint, write_checkpoint
from rigcast.training._face_ik._descent import OUTSIDE, FaceIkDescent, points_of
from rigcast.training._face_ik._networks import network_tensors
from rigcast.training._face_ik._regions import PROBED, Region, face_regions, influences
from rigcast.training._face_ik._rows import Examples, examples
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._optimize import Budget, torch_settings
from rigcast.training._optimizers import Arrays
from rigcast.training._outlook import Outlook
from rigcast.training._pace import seconds_of_training, too_few_steps

DEFAULT_STEPS = 8000
ROWS = 64  # training rows over which a region's Gram matrix is averaged


def face_ik(
    model: Deformer,
    points: ArrayLike,
    *,
    seed: int = 0,
    minutes: float | None = None,
    steps: int | None = None,
    data: Dataset | None = None,
    regions: ArrayLike | None = None,
    dimensions: int = 3,
    settings: FaceIkSettings | None = None,
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> FaceIk:
    """Learn rig parameters from control points, without examples of answers (Bailey 2020, chapter 4).

    Networks see control points and give parameters; the loss is how far the model's own control points are from those
    that the networks saw. Control points are split into regions, with a network each (two hidden layers, leaky ReLU),
    whose outputs are the parameters that move the region's points; parameters of several regions are averaged, or
    solved for together (``FaceIkSettings(agreement="joint")``).
    Control points get noise, so that unreachable ones work. The answers are as good as the model: judge them on the
    rig.

    Parameters
    ----------
    model : Deformer
        The differentiable model to train through: a learned face, or a blendshape rig.
    points : (M,) integers
        Vertices that are control points.
    seed : int
        The same model, seed, settings, machine and number of threads give the same file, unless ``minutes`` decides
        when to stop.
    minutes : float, optional
        Time for the whole call.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given.
    data : Dataset, optional
        Poses of the model whose control points are trained on, balanced by their first principal component. By default
        parameters are sampled inside their ranges.
    regions : (M,) integers, optional
        A label per control point. By default points with similar sets of parameters share a region.
    dimensions : 3 or 2
        2: control points in an image, seen along z.
    settings : FaceIkSettings, optional
        All others; its seed, minutes and steps are replaced.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    checkpoint : path-like, optional
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: the held-out point error in millimeters.

    Returns
    -------
    rigcast.ik.FaceIk

    Raises
    ------
    ValueError
        If ``model`` is no model, a point is out of range, nothing moves any point, or a setting makes no sense.
    NumericalError
        If training diverges.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> ik = rc.training.face_ik(rig, np.arange(0, 700, 35), steps=5)  # minutes=10 for a model worth having
    >>> ik.solve(rig.rest_vertices[None, ik.vertices]).error.shape
    (1, 20)
    """
    started = time.monotonic()
    torch = require("torch", extra="training", purpose="training learned inverse kinematics")
    check = Arguments("face_ik")
    threads = check.threads(threads)
    report = as_callback(progress)
    if not isinstance(model, Deformer):
        raise bad_argument("face_ik", "model", f"a {type(model).__name__}", "a model: rigcast.load(path)")
    vertices = check.integers("points", points, "M+", below=len(model.rest_vertices), dtype=np.int32)
    if dimensions not in (2, 3):
        raise bad_argument("face_ik", "dimensions", repr(dimensions), "3 or 2")
    given = {} if settings is None else settings.record()
    if minutes is None and steps is None:
        steps = DEFAULT_STEPS
    chosen = FaceIkSettings(**{**given, "seed": seed, "minutes": minutes, "steps": steps})  # type: ignore[arg-type]
    file = None if checkpoint is None else Path(checkpoint)
    with contextlib.nullcontext() if file is None else only_run(file, "face_ik"):
        if file is not None and restart:
            file.unlink(missing_ok=True)
        with torch_settings(torch, threads, "cpu"):
            report(Progress("sampling control points", 0, 1))
            descent = _prepare(model.restricted(vertices), data, regions, chosen, dimensions, threads)
            measured_threads = minutes is not None and threads == 0
            weights, done = _train(descent, vertices, file, report, started, measured_threads)
            result = _result(model, vertices, descent, weights, {"torch": torch.__version__, **done})
        if file is not None:
            file.unlink(missing_ok=True)
    return result


def _prepare(
    part: Deformer, data: Any, regions: Any, settings: FaceIkSettings, dimensions: int, threads: int
) -> FaceIkDescent:
    solver = Solver(part, np.arange(len(part.rest_vertices)))
    rows = examples(solver, data, settings, threads)
    probed = rows.training[:: max(1, len(rows.training) // PROBED)][:PROBED]
    values = np.concatenate([solver.rest[1], rows.values[probed]])
    least = settings.influence / part.meters_per_unit
    moves = influences(solver, solver.engine.poses(values, solver.rest[0]), values, least)
    found = face_regions(moves, regions)
    if not found:
        raise bad_argument("face_ik", "points", "vertices that no parameter moves", "some that move")
    kind = JointDescent if settings.agreement == "joint" else FaceIkDescent
    return kind(solver, found, rows, settings, dimensions, threads)


def _train(
    descent: FaceIkDescent,
    vertices: Any,
    checkpoint: Path | None,
    progress: ProgressCallback,
    started: float,
    measured_threads: bool,
) -> tuple[Arrays, dict[str, Any]]:
    """The best weights, and metadata: the steps that were done, and whether they are too few."""
    settings = descent.settings
    prepared = time.monotonic() - started
    budget = Budget(settings.steps, seconds_of_training(settings.minutes, prepared), measured_threads)
    outlook = Outlook(budget)
    labels = [region.points.tolist() for region in descent.regions]
    about = hashlib.sha256(json.dumps([settings.record(), vertices.tolist(), labels, descent.dimensions]).encode())
    about.update(descent.rows.points.tobytes())
    about.update(descent.rows.values.tobytes())
    run = about.hexdigest()

    def report(now: State, _: Arrays) -> None:
        message = f"held-out error {descent.error:.3g} mm, {outlook.words(now, descent.error)}"
        progress(Progress("training", budget.spent(now), 1.0, message))

    def keep(now: State) -> None:
        if checkpoint is not None:
            write_checkpoint(checkpoint, now, run)

    state = (read_checkpoint(checkpoint, run, "face_ik") if checkpoint else None) or descent.start()
    state = descent.run(state, budget, report, keep)
    few = too_few_steps(settings.minutes, state.step, state.seconds, prepared, budget.out_of_time(state))
    return state.best, {"steps_done": state.step, **few}


def _result(model: Deformer, vertices: Any, descent: FaceIkDescent, weights: Arrays, used: dict[str, Any]) -> FaceIk:
    part, solver = descent.solver.model, descent.solver
    tensors = {
        "points.vertex": vertices,
        "points.rest": part.evaluate(solver.rest[0])[0],
        "parameters.rest": solver.rest[1][0].astype(np.float32),
        "parameters.bounds": solver.bounds.astype(np.float32),
        **network_tensors(descent.regions, weights, descent.input_scale, descent.output_scale),
        **descent.agreement_tensors(),
        **{f"model.{name}": value for name, value in part.tensors().items()},
    }
    facts = {
        key: model.metadata[key]
        for key in ("name", "licence", "origin", "topology_hash", "notes")
        if key in model.metadata
    }
    metadata = {
        "kind": "face_ik",
        "version": 1,
        "dimensions": descent.dimensions,
        "agreement": descent.settings.agreement,
        "parameter_names": list(solver.names),
        "meters_per_unit": model.meters_per_unit,
        "up_axis": model.up_axis,
        "trained_through": model.kind,
        "training": descent.settings.record() | used,
        **facts,
        "model": part.metadata,
    }
    return FaceIk(tensors, metadata)


class JointDescent(FaceIkDescent):
    """The loss of :class:`FaceIkDescent` with each region's points at the parameters that the region itself proposes,
    all others at rest: regions need not agree in training, the engine solves for all of them together afterwards.
    """

    def __init__(
        self,
        solver: Solver,
        regions: list[Region],
        rows: Examples,
        settings: FaceIkSettings,
        dimensions: int,
        threads: int,
    ) -> None:
        super().__init__(solver, regions, rows, settings, dimensions, threads)
        parts = [solver.model.restricted(region.points.astype(np.int32)) for region in regions]
        solvers = [Solver(part, np.arange(len(part.rest_vertices))) for part in parts]
        self._points_of_region = [points_of(self.torch, one, threads) for one in solvers]

    def _loss_of(self, rows: NDArray[np.int64], noise: NDArray[np.float32]) -> tuple[Any, Any]:
        goals = self._tensor(self.rows.points[rows][..., : self.dimensions] + noise)
        loss, errors = self.torch.zeros(()), []
        known = self._tensor(self.rows.values[rows].astype(np.float32))
        for number, found in enumerate(self._proposals(goals)):
            one, error = self._loss_of_region(number, found, goals, known)
            loss = loss + one
            errors.append(error)
        return loss, self.torch.cat(errors, dim=1)

    def _loss_of_region(self, number: int, found: Any, goals: Any, known: Any) -> tuple[Any, Any]:
        """The region's part of the loss, and the errors (B, m, D) of its points in millimeters."""
        region = self.regions[number]
        points, own = self._tensor(region.points), self._tensor(region.parameters)
        rest, scale = self._rest_values[own], self._scale[own]
        wanted = rest + found * scale
        values = wanted.clamp(self._low[own], self._high[own])
        whole = self._rest_values.repeat(len(values), 1).index_copy(1, own, values)
        placed = self._points_of_region[number](whole)[..., : self.dimensions]
        error = (placed - goals[:, points]) * self.millimeters
        moved = ((values - known[:, own]) / scale).abs().sum(dim=1).mean()
        outside = ((wanted - values) / scale).abs().sum(dim=1).mean()
        costs = self.settings.regularization * moved + OUTSIDE * outside
        return error.abs().sum(dim=(1, 2)).mean() / goals.shape[1] + costs / len(self._rest_values), error

    def agreement_tensors(self) -> dict[str, NDArray[Any]]:
        """``parameters.scale`` and ``region.NNN.gram``: mean squares of what a region's parameters do to its points."""
        chosen = self.rows.training[:: max(1, len(self.rows.training) // ROWS)][:ROWS]
        values, engine, model = self.rows.values[chosen], self.solver.engine, self.solver.model
        count, dimensions = len(model.rest_vertices), self.dimensions
        grams = [np.zeros((len(region.parameters),) * 2) for region in self.regions]
        for value, pose in zip(values, engine.poses(values, self.solver.rest[0]), strict=True):
            rows = model.jacobian(pose).reshape(3 * count, -1)
            slopes = engine.poses_vjp(np.repeat(value[None], len(rows), axis=0), self.solver.rest[0], rows)
            slopes = slopes.reshape(count, 3, -1)[:, :dimensions] * self.output_scale
            for gram, region in zip(grams, self.regions, strict=True):
                own = slopes[region.points][..., region.parameters].reshape(-1, len(region.parameters))
                gram += own.T @ own / len(values)
        named = {f"region.{number:03d}.gram": gram.astype(np.float32) for number, gram in enumerate(grams)}
        return named | {"parameters.scale": self.output_scale.astype(np.float32)}
