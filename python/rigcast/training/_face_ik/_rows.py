"""Rows that are trained on: parameters and the control points that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.ik import Solver
from rigcast.sampling._drawing.balanced import equal_intervals, first_component
from rigcast.training._budget import Budget
from rigcast.training._face_ik._settings import FaceIkSettings
from rigcast.training._face_maps._rows import vertex_blocks

HELD_OUT = 0.05  # of the rows, 512 at most


@dataclass(frozen=True)
class IkExamples:
    """Control points (T, M, 3) and the parameters (T, N) that gave them.

    Attributes
    ----------
    points, values
    training, held_out : (n,) int64
        Rows.
    bins : list of (n,) int64
        Positions in ``training`` by intervals of the first principal component.
    low, high : (N,) float64
        Ranges of the parameters over the rows.
    """

    points: NDArray[np.float32]
    values: NDArray[np.float64]
    training: NDArray[np.int64]
    held_out: NDArray[np.int64]
    bins: list[NDArray[np.int64]]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class KnownRows:
    """A data set of the whole model, and the vertices that are its control points."""

    data: Any
    vertices: NDArray[np.int32]
    count: int  # of the model's vertices

    def values(self, solver: Solver) -> NDArray[np.float64]:
        """Parameters (T, N), inside their bounds."""
        if not hasattr(self.data, "poses"):
            got = f"a {type(self.data).__name__}"
            raise bad_argument("face_ik", "data", got, "a data set: rigcast.Dataset(path)")
        poses = np.asarray(self.data.poses, np.float32)
        width = len(solver.model.control_names)
        if poses.ndim != 2 or poses.shape[1] != width or len(poses) < 16:
            raise bad_argument("face_ik", "data", f"of poses {poses.shape}", f"of at least 16 poses of {width} numbers")
        values: NDArray[np.float64] = solver.engine.from_poses(poses, solver.rest[0])
        return np.asarray(np.clip(values, *solver.bounds.T), np.float64)

    def points(self) -> NDArray[np.float32]:
        """Control points (T, M, 3) as the data set has them."""
        if not hasattr(self.data, "take"):
            got = "poses without vertices"
            raise bad_argument("face_ik", "data", got, 'a data set, or control_points="model"')
        count = len(self.data.rest_vertices)
        if count != self.count:
            raise bad_argument("face_ik", "data", f"of {count} vertices", f"of the model's {self.count} vertices")
        blocks = vertex_blocks(self.data, np.arange(len(self.data)))
        return np.concatenate([block[:, self.vertices] for block in blocks]).astype(np.float32)


def examples(solver: Solver, data: KnownRows | None, settings: FaceIkSettings, budget: Budget) -> IkExamples:
    """Rows of a data set, or sampled ones.

    Raises
    ------
    ValueError
        If the data set is no data set of the model, or has too few rows.
    """
    values = sampled(solver, settings, budget.seed) if data is None else data.values(solver)
    if data is not None and settings.control_points == "data":
        points = data.points()
    else:
        parts = (solver.engine.poses(part, solver.rest[0]) for part in np.array_split(values, 64))
        points = np.concatenate([solver.model.evaluate(poses, threads=budget.threads) for poses in parts])
    order = np.random.default_rng([budget.seed, 5]).permutation(len(values))
    count = min(max(round(HELD_OUT * len(values)), 1), 512)
    held_out, training = np.sort(order[:count]), np.sort(order[count:])
    flat = points[training].reshape(len(training), -1).astype(np.float64)
    bin_of = (
        np.zeros(len(training), np.int64)
        if settings.bins == 1
        else equal_intervals(first_component(flat), settings.bins)
    )
    bins = [np.flatnonzero(bin_of == number) for number in np.unique(bin_of)]
    return IkExamples(points, values, training, held_out, bins, values.min(axis=0), values.max(axis=0))


def sampled(solver: Solver, settings: FaceIkSettings, seed: int) -> NDArray[np.float64]:
    """Parameters (T, N): few of them away from rest in most rows, all in some."""
    rng = np.random.default_rng([seed, 4])
    count = len(solver.names)
    rest = solver.rest[1][0]
    low, high = solver.bounds.T
    share = np.square(rng.random((settings.rows, 1)))
    active = rng.random((settings.rows, count)) < np.maximum(share, 1.0 / count)
    return np.where(active, rng.uniform(low, high, (settings.rows, count)), rest)
