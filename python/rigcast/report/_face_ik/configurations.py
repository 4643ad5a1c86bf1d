"""Configurations of control points that a script constructs, in place of those that users make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.ik import FaceIk, Solver

COUNT = 25  # as many as Bailey 2020 judges by
TURNED = (3, 8)  # parameters of an expression
SHARES = (0.3, 0.9)  # of the way from rest to the end of a parameter's range
PULLED = (1, 4)  # control points that are pulled away from it
DISTANCES = (2e-3, 8e-3)  # meters


@dataclass(frozen=True)
class Configuration:
    """Goals of control points.

    Attributes
    ----------
    goals : (M, 3) float32
        In the model's unit.
    turned : list of str
        Parameters of the expression that it begins from.
    pulled : (n,) int64
        Control points that are pulled away from where that expression has them.
    """

    goals: NDArray[np.float32]
    turned: list[str]
    pulled: NDArray[np.int64]


def constructed(model: _core.Deformer, ik: FaceIk, seed: int = 0) -> list[Configuration]:
    """Random expressions of three to eight parameters, with one to four control points pulled 2 to 8 mm away.

    A configuration depends on the model, the control points, the seed and its number alone.
    """
    solver = Solver(model.restricted(ik.vertices), np.arange(len(ik.vertices)))
    rest, (low, high) = solver.rest[1][0], solver.bounds.T
    return [_configuration(solver, rest, low, high, [seed, number]) for number in range(COUNT)]


def _configuration(
    solver: Solver, rest: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], seed: list[int]
) -> Configuration:
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(np.isfinite(high - low) & (low < high))
    turned = rng.choice(free, min(int(rng.integers(*TURNED, endpoint=True)), len(free)), replace=False)
    ends = np.where(rest <= low, high, np.where(rest >= high, low, np.where(rng.random(len(rest)) < 0.5, low, high)))
    values = rest.copy()
    values[turned] += rng.uniform(*SHARES, len(turned)) * (ends - rest)[turned]
    pose = solver.engine.poses(values[None], solver.rest[0])
    goals = solver.model.evaluate(pose)[0].astype(np.float64)
    pulled = np.sort(rng.choice(len(goals), min(int(rng.integers(*PULLED, endpoint=True)), len(goals)), replace=False))
    ways = rng.standard_normal((len(pulled), 3))
    ways *= rng.uniform(*DISTANCES, (len(pulled), 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
    goals[pulled] += ways / solver.model.meters_per_unit
    return Configuration(goals.astype(np.float32), [solver.names[k] for k in sorted(turned)], pulled)
