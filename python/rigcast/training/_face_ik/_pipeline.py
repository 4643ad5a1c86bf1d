"""From a model and control points to learned inverse kinematics."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._resume.fingerprints import fingerprint
from rigcast._validate import Arguments, bad_argument
from rigcast.ik import FaceIk, Solver
from rigcast.progress import Progress, ProgressOption
from rigcast.sampling import Dataset
from rigcast.training._arguments import check_record
from rigcast.training._budget import Budget, budget_of
from rigcast.training._descend import train
from rigcast.training._face_ik._descent import FaceIkDescent, points_of
from rigcast.training._face_ik._networks import network_tensors
from rigcast.training._face_ik._regions import PROBED, Region, face_regions, influences
from rigcast.training._face_ik._rows import IkExamples, KnownRows, examples
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._optimizers import Arrays

ROWS = 64  # training rows over which a region's Gram matrix is averaged


def face_ik(
    model: Deformer,
    points: ArrayLike,
    settings: FaceIkSettings = FaceIkSettings(),
    *,
    data: Dataset | None = None,
    regions: ArrayLike | None = None,
    dimensions: int = 3,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> FaceIk:
    """Learn rig parameters from control points (Bailey 2020, chapter 4).

    Networks see control points and give parameters; the loss is how far the model's own control points are from those
    that the networks saw. Control points are split into regions, with a network each (two hidden layers, leaky ReLU),
    whose outputs are the parameters that move the region's points; parameters of several regions are averaged, or
    solved for together (``FaceIkSettings(agreement="joint")``).
    Control points get noise, so that unreachable ones work. Where points say little, parameters are pulled to those of
    the row that the points are of; with ``FaceIkSettings(method="paper")``, as published, to rest, so that nothing is
    learned from answers. The answers are as good as the model: judge them on the rig.

    Parameters
    ----------
    model : Deformer
        The differentiable model to train through: a learned face, or a blendshape rig.
    points : (M,) integers
        Vertices that are control points.
    settings : FaceIkSettings
        The rows, the networks and their steps.
    data : Dataset, optional
        Poses of the model whose control points are trained on, balanced by their first principal component; with
        ``control_points="data"`` its vertices, too. By default parameters are sampled inside their ranges.
    regions : (M,) integers, optional
        A label per control point. By default points with similar sets of parameters share a region.
    dimensions : 3 or 2
        2: control points in an image, seen along z.
    minutes : float, optional
        Time for the whole call.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given.
    seed : int
        Decides the sampled rows, the initial weights, the batches and the noise. The same model, seed, settings,
        machine and number of threads give the same file, unless ``minutes`` decides when to stop.
    device : str
        "cpu": the loss goes through the model, which the engine differentiates there.
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
    budget = budget_of("face_ik", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    if device != "cpu":
        raise bad_argument("face_ik", "device", repr(device), '"cpu": the engine differentiates the model there')
    check_record("face_ik", settings, FaceIkSettings)
    if not isinstance(model, Deformer):
        raise bad_argument("face_ik", "model", f"a {type(model).__name__}", "a model: rigcast.load(path)")
    vertices = Arguments("face_ik").integers("points", points, "M+", below=len(model.rest_vertices), dtype=np.int32)
    if dimensions not in (2, 3):
        raise bad_argument("face_ik", "dimensions", repr(dimensions), "3 or 2")
    with budget.at_work():
        budget.progress(Progress("sampling control points", 0, 1))
        rows = None if data is None else KnownRows(data, vertices, len(model.rest_vertices))
        descent = _prepare(model.restricted(vertices), rows, regions, settings, dimensions, budget)
        weights, done = _train(descent, vertices, budget)
        about = budget.record(settings) | {"torch": budget.used()["torch"]} | done
        return _result(model, vertices, descent, weights, about)


def _prepare(
    part: Deformer, data: KnownRows | None, regions: Any, settings: FaceIkSettings, dimensions: int, budget: Budget
) -> FaceIkDescent:
    solver = Solver(part, np.arange(len(part.rest_vertices)))
    rows = examples(solver, data, settings, budget)
    probed = rows.training[:: max(1, len(rows.training) // PROBED)][:PROBED]
    values = np.concatenate([solver.rest[1], rows.values[probed]])
    least = settings.influence / part.meters_per_unit
    moves = influences(solver, solver.engine.poses(values, solver.rest[0]), values, least)
    found = face_regions(moves, regions)
    if not found:
        raise bad_argument("face_ik", "points", "vertices that no parameter moves", "some that move")
    kind = JointDescent if settings.agreement == "joint" else FaceIkDescent
    return kind(solver, found, rows, settings, budget, dimensions)


def _train(descent: FaceIkDescent, vertices: NDArray[np.int32], budget: Budget) -> tuple[Arrays, dict[str, Any]]:
    """The best weights, and metadata: the steps that were done, and whether they are too few."""
    labels = [region.points.tolist() for region in descent.regions]
    facts = budget.record(descent.settings), vertices.tolist(), labels, descent.dimensions
    run = fingerprint(*facts, descent.rows.points, descent.rows.values)
    state, done = train(descent, budget, lambda _: (f"{descent.error:.3g} mm", descent.error), run=run)
    return state.best, done


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
        "training": used,
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
        rows: IkExamples,
        settings: FaceIkSettings,
        budget: Budget,
        dimensions: int,
    ) -> None:
        super().__init__(solver, regions, rows, settings, budget, dimensions)
        parts = [solver.model.restricted(region.points.astype(np.int32)) for region in regions]
        solvers = [Solver(part, np.arange(len(part.rest_vertices))) for part in parts]
        self._points_of_region = [points_of(self.torch, one, budget.threads) for one in solvers]

    def _loss_of(self, rows: NDArray[np.int64], noise: NDArray[np.float32]) -> tuple[Any, Any]:
        goals = self._tensor(self.rows.points[rows][..., : self.dimensions] + noise)
        loss, errors = self.torch.zeros(()), []
        pulled = self._pulled_to(rows)
        for number, found in enumerate(self._proposals(goals)):
            one, error = self._loss_of_region(number, found, goals, pulled)
            loss = loss + one
            errors.append(error)
        return loss, self.torch.cat(errors, dim=1)

    def _loss_of_region(self, number: int, found: Any, goals: Any, pulled: Any) -> tuple[Any, Any]:
        """The region's part of the loss, and the errors (B, m, D) of its points in millimeters."""
        region = self.regions[number]
        points, own = self._tensor(region.points), self._tensor(region.parameters)
        rest, scale = self._rest_values[own], self._scale[own]
        wanted = rest + found * scale
        values = self._inside(wanted, own)
        whole = self._rest_values.repeat(len(values), 1).index_copy(1, own, values)
        placed = self._points_of_region[number](whole)[..., : self.dimensions]
        error = (placed - goals[:, points]) * self.millimeters
        moved = ((values - pulled[:, own]) / scale).abs().sum(dim=1).mean()
        outside = ((wanted - values) / scale).abs().sum(dim=1).mean()
        costs = self.settings.regularization * moved + self.settings.outside * outside
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
