"""Steps on the networks of regions by themselves, for a joint solve over regions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.ik import Solver
from rigcast.training._face_ik._descent import OUTSIDE, FaceIkDescent, points_of
from rigcast.training._face_ik._regions import Region
from rigcast.training._face_ik._rows import Examples
from rigcast.training._face_ik._settings import FaceIkSettings

ROWS = 64  # training rows over which a region's Gram matrix is averaged


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
