"""Steps on the networks of regions: the control points that their parameters give shall be those that they see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.ik import Solver
from rigcast.torch import function
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._face_ik._networks import forward, initial_weights
from rigcast.training._face_ik._regions import Region
from rigcast.training._face_ik._rows import IkExamples
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._face_maps._rows import drawn
from rigcast.training._optimize import Descent


class FaceIkDescent(Descent):
    """The loss of Bailey 2020, equations 4.8 to 4.10, per row, with lengths in millimeters::

        mean_i |r_i(p) - c_i|_1 + regularization mean_k |p_k - pulled_k| / range_k + outside,   p = clamped f(c)

    r are the control points of the model, c noisy control points of a row. With the method "paper", ``pulled`` is rest,
    which costs reachable points their last millimeter, and nothing is clamped. With "ours", ``pulled`` are the row's
    own parameters, so that where points say little, answers are what parameters do together in the rows, and
    ``outside`` leads parameters back that are clamped. Noise and batches follow from seed and step alone. ``error``
    after each evaluation is the mean distance of the held-out control points, in millimeters.
    """

    largest_side = 512

    def __init__(
        self,
        solver: Solver,
        regions: list[Region],
        rows: IkExamples,
        settings: FaceIkSettings,
        budget: Budget,
        dimensions: int,
    ) -> None:
        super().__init__(settings, budget)
        self.solver, self.regions, self.rows, self.settings = solver, regions, rows, settings
        self.dimensions, self.error = dimensions, np.nan
        unit = float(solver.model.meters_per_unit)
        self.millimeters, self.noise = 1000.0 * unit, settings.noise / unit
        rest, values = solver.rest
        self._rest_points = self._tensor(solver.model.evaluate(rest, threads=budget.threads)[0, :, :dimensions])
        self._rest_values = self._tensor(values[0].astype(np.float32))
        spread = rows.high - rows.low
        self.output_scale = np.where(spread > 0, spread, solver.scales)
        self._scale = self._tensor(self.output_scale.astype(np.float32))
        bounds = solver.bounds.astype(np.float32)
        self._low, self._high = self._tensor(bounds[:, 0]), self._tensor(bounds[:, 1])
        self.input_scale = max(float(np.ptp(rows.points[rows.training], axis=0).mean()), self.noise) or 1.0
        self._points_of = points_of(self.torch, solver, budget.threads)
        shared = np.zeros(len(solver.names), np.float32)
        for region in regions:
            shared[region.parameters] += 1.0
        self._share = self._tensor(1.0 / np.maximum(shared, 1.0))
        self._held_noise = self._noise_of(len(rows.held_out), [budget.seed, 7])

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        parameters = initial_weights(self.regions, self.dimensions, self.settings.hidden, self.budget.seed)
        return TrainingState(parameters=parameters, best=parameters)

    def _loss(self, step: int) -> Any:
        picked = drawn(self.rows.bins, self.settings.batch, self.budget.seed, step)
        noise = self._noise_of(len(picked), [self.budget.seed, 6, step])
        return self._loss_of(self.rows.training[picked], noise)[0]

    def _held_out_loss(self) -> float:
        loss, error = self._loss_of(self.rows.held_out, self._held_noise)
        self.error = float(error.square().sum(dim=2).sqrt().mean())
        return float(loss)

    def _noise_of(self, count: int, seed: list[int]) -> NDArray[np.float32]:
        """All of it for all rows; or none for half of the rows and any share of it for the others."""
        rng = np.random.default_rng(seed)
        size = np.maximum(rng.uniform(-1.0, 1.0, (count, 1, 1)), 0.0)
        moved = rng.uniform(-self.noise, self.noise, (count, self.rows.points.shape[1], self.dimensions))
        share = size if self.settings.noisy_rows == "half" else 1.0
        noise: NDArray[np.float32] = (share * moved).astype(np.float32)
        return noise

    def _pulled_to(self, rows: NDArray[np.int64]) -> Any:
        """Parameters (B, N) that the rows are pulled to."""
        if self.settings.pull == "rest":
            return self._rest_values.expand(len(rows), -1)
        return self._tensor(self.rows.values[rows].astype(np.float32))

    def _inside(self, wanted: Any, own: Any = slice(None)) -> Any:
        """Parameters clamped into the bounds of those of ``own``, unless nothing is paid for leaving them."""
        return wanted.clamp(self._low[own], self._high[own]) if self.settings.outside > 0 else wanted

    def _loss_of(self, rows: NDArray[np.int64], noise: NDArray[np.float32]) -> tuple[Any, Any]:
        """The loss, and the errors (B, M, D) of the control points in millimeters."""
        goals = self._tensor(self.rows.points[rows][..., : self.dimensions] + noise)
        wanted = self._parameters(goals)
        values = self._inside(wanted)
        error = (self._points_of(values)[..., : self.dimensions] - goals) * self.millimeters
        moved = ((values - self._pulled_to(rows)) / self._scale).abs().mean()
        outside = ((wanted - values) / self._scale).abs().mean()
        costs = self.settings.regularization * moved + self.settings.outside * outside
        return error.abs().sum(dim=2).mean() + costs, error

    def _parameters(self, goals: Any) -> Any:
        """Parameters (B, N) before they are clamped."""
        sums = self.torch.zeros(len(goals), len(self.solver.names))
        for region, found in zip(self.regions, self._proposals(goals), strict=True):
            sums = sums.index_add(1, self._tensor(region.parameters), found)
        return self._rest_values + sums * self._share * self._scale

    def _proposals(self, goals: Any) -> list[Any]:
        """The answers of each region's network, (B, n) from rest in units of the parameters' scales."""
        offsets = (goals - self._rest_points) / self.input_scale
        inputs = [offsets[:, self._tensor(region.points)].flatten(1) for region in self.regions]
        return [forward(self.torch, self._weights, number, x) for number, x in enumerate(inputs)]

    def agreement_tensors(self) -> dict[str, NDArray[Any]]:
        """The tensors with which the engine finds parameters that regions share; none for averages."""
        return {}


def points_of(torch: Any, solver: Solver, threads: int) -> Any:
    """The differentiable function from parameters (B, N) to control points (B, M, 3)."""
    vertices_of = function(solver.model, threads=threads)
    engine, rest = solver.engine, solver.rest[0]

    class Poses(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, values: Any) -> Any:
            ctx.values = values.detach().numpy().astype(np.float64)
            return torch.from_numpy(engine.poses(ctx.values, rest))

        @staticmethod
        def backward(ctx: Any, gradients: Any) -> Any:
            pulled = engine.poses_vjp(ctx.values, rest, gradients.numpy())
            return torch.from_numpy(pulled.astype(np.float32))

    return lambda values: vertices_of(Poses.apply(values))
