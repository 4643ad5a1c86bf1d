"""Activations of a blendshape rig's columns in double precision, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


class Activations:
    """The factors of each column: the K weights, then for every combination the product of its factors.

    A factor is a weight or a tent over one: 0 at x1, 1 at x2, 0 at x3, straight in between, 0 outside.

    Parameters
    ----------
    num_shapes : int
        K.
    combinations : sequence of tuples
        One for each combination: shape indices, or tents with ``shape``, ``x1``, ``x2``, ``x3``.
    """

    def __init__(self, num_shapes: int, combinations: Sequence[tuple[object, ...]]) -> None:
        self.num_shapes = num_shapes
        self.num_columns = num_shapes + len(combinations)
        factors = [[_factor(f) for f in combination] for combination in combinations]
        self.offset = np.cumsum([0] + [len(f) for f in factors])
        flat = [f for group in factors for f in group]
        self.shape = np.array([f[0] for f in flat], np.int32)
        self.is_tent = np.array([f[1] is not None for f in flat], bool)
        self.knots = np.array([f[1] or (0.0, 0.0, 0.0) for f in flat], np.float64).reshape(-1, 3)

    def __call__(self, weights: Float64) -> Float64:
        """Weights (T, K) to columns (T, N)."""
        columns = np.ones((len(weights), self.num_columns))
        columns[:, : self.num_shapes] = weights
        value = self.values(weights)
        for c in range(self.num_columns - self.num_shapes):
            columns[:, self.num_shapes + c] = value[:, self.offset[c] : self.offset[c + 1]].prod(axis=1)
        return columns

    def pull_back(self, weights: Float64, cotangents: Float64, side: int = 1) -> Float64:
        """J^T cotangents, (T, N) to (T, K), with the slope to the right (``side`` 1) or left (-1) of each weight."""
        gradient = cotangents[:, : self.num_shapes].copy()
        value, slope = self.values(weights), self.slopes(weights, side)
        for c in range(self.num_columns - self.num_shapes):
            own = range(self.offset[c], self.offset[c + 1])
            for f in own:
                others = [g for g in own if g != f]
                factor = value[:, others].prod(axis=1) * slope[:, f]
                gradient[:, self.shape[f]] += cotangents[:, self.num_shapes + c] * factor
        return np.asarray(gradient)

    def values(self, weights: Float64) -> Float64:
        """The factors themselves: (T, factors)."""
        w = weights[:, self.shape]
        return np.where(self.is_tent, tent(w, self.knots), w)

    def slopes(self, weights: Float64, side: int = 1) -> Float64:
        """Slopes of the factors to one side of weights (T, K): (T, factors)."""
        w = weights[:, self.shape]
        x1, x2, x3 = self.knots.T
        before = np.less if side < 0 else np.less_equal
        with np.errstate(divide="ignore", invalid="ignore"):
            rising = before(x1, w) & ~before(x2, w)
            falling = before(x2, w) & ~before(x3, w)
            slope = np.where(rising, 1 / (x2 - x1), np.where(falling, -1 / (x3 - x2), 0.0))
        return np.where(self.is_tent, slope, 1.0)


def tent(w: Float64, knots: Float64) -> Float64:
    """0 at x1, 1 at x2, 0 at x3 and outside; ``knots`` (..., 3)."""
    x1, x2, x3 = np.moveaxis(knots, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rising, falling = (w - x1) / (x2 - x1), (x3 - w) / (x3 - x2)
    return np.where((w <= x1) | (w >= x3), np.where(w == x2, 1.0, 0.0), np.where(w < x2, rising, falling))


def _factor(factor: object) -> tuple[int, tuple[float, float, float] | None]:
    if isinstance(factor, (int, np.integer)):
        return int(factor), None
    return int(factor.shape), (float(factor.x1), float(factor.x2), float(factor.x3))  # type: ignore[attr-defined]
