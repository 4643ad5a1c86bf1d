"""The parameters that move each control point, and the regions that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments
from rigcast.ik import Solver

PROBED = 24  # rows at which influences are measured: combinations act only together with others
APART = 0.6  # groups of points are not joined whose sets of parameters differ by more (Jaccard distance)


@dataclass(frozen=True)
class Region:
    """Control points and the parameters that move any of them, ascending."""

    points: NDArray[np.intp]
    parameters: NDArray[np.intp]


def influences(
    solver: Solver, poses: NDArray[np.float32], values: NDArray[np.float64], least: float
) -> NDArray[np.bool_]:
    """Return True if a parameter moves a control point by more than ``least`` over its range, (M, N).

    From the model's Jacobian at some poses (T, C) of parameters (T, N).
    """
    model, engine = solver.model, solver.engine
    count = len(model.rest_vertices)
    most = np.zeros((count, len(solver.names)))
    references = poses if not engine.are_channels else np.zeros((1, poses.shape[1]), np.float32)
    for t in range(len(poses)):
        rows = model.jacobian(poses[t]).reshape(3 * count, -1)
        reference = references[[min(t, len(references) - 1)]]
        slopes = engine.poses_vjp(np.repeat(values[[t]], len(rows), axis=0), reference, rows)
        moved = np.linalg.norm(slopes.reshape(count, 3, -1), axis=1) * solver.scales
        most = np.maximum(most, moved)
    free = solver.bounds[:, 0] < solver.bounds[:, 1]
    return np.asarray((most > least) & free)


def face_regions(moves: NDArray[np.bool_], given: ArrayLike | None) -> list[Region]:
    """Regions of the control points, by labels (M,) or by the parameters that move them.

    Points are joined by average linkage on the Jaccard distance of their sets of parameters. Points that nothing moves
    are in no region.

    Raises
    ------
    ValueError
        If labels are no integers (M,).
    """
    count = len(moves)
    if given is None:
        label = _clustered(moves)
    else:
        label = Arguments("face_ik", M=count).integers("regions", given, "M", low=-(2**31)).astype(np.intp)
    moved = moves.any(axis=1)
    groups = [np.flatnonzero((label == name) & moved) for name in np.unique(label[moved])]
    return [Region(points, np.flatnonzero(moves[points].any(axis=0))) for points in groups]


def _clustered(moves: NDArray[np.bool_]) -> NDArray[np.intp]:
    sets = moves.astype(np.float64)
    common = sets @ sets.T
    sizes = sets.sum(axis=1)
    union = sizes[:, None] + sizes - common
    distance = 1.0 - np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    np.fill_diagonal(distance, np.inf)
    label, weight = np.arange(len(moves)), np.ones(len(moves))
    while len(moves) > 1:
        i, j = np.unravel_index(int(distance.argmin()), distance.shape)
        if not distance[i, j] <= APART:
            break
        mean = (weight[i] * distance[i] + weight[j] * distance[j]) / (weight[i] + weight[j])
        distance[i], distance[:, i] = mean, mean
        distance[i, i], distance[j], distance[:, j] = np.inf, np.inf, np.inf
        weight[i] += weight[j]
        label[label == j] = i
    return label
