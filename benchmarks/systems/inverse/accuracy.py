"""A search for better weights than ours by other solvers, and the accuracy on noise-free shots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.inverse.peers import GramSpace, VertexSpace, scipy_frame
from benchmarks.systems.inverse.rows import EQUAL
from benchmarks.systems.inverse.scenes import Scene
from benchmarks.systems.inverse.trace import Trace

SQP_STEPS = 100
SECONDS = 5.0  # that L-BFGS-B may take from one start; it needs a tenth of one
CLEAN_ALPHA = 1e-6
IDENTIFIABLE = 1e-3  # sine of the angle between a shape's column and the span of all others


@dataclass(frozen=True)
class Comparison:
    """Frames on which ours lies above, below or beside the best of all others by more than 1e-6 relative.

    ``worst`` is the largest relative difference by which ours lies above; ``below`` by method: on how many frames
    a method's own best start ended above ours.
    """

    frames: int
    above: int
    lower: int
    worst: float
    below: dict[str, int]


def compare(scene: Scene, alpha: float, frames: int) -> Comparison:
    """Ours, solved in shots, against L-BFGS-B from three starts, `sqp` and `mm_cet`, judged on the vertices.

    The others run in Gram space, where their objective is the same and a step costs far less: here it only counts what
    they find.
    """
    space, solver = VertexSpace(scene.rig), rc.inverse.Solver(scene.rig)
    chosen = np.linspace(0, len(scene.truth) - 1, frames).round().astype(int)
    meshes, ours = [], []
    for shot in scene.shots:
        targets = scene.targets(scene.truth[shot])
        own = chosen[(chosen >= shot.start) & (chosen < shot.stop)] - shot.start
        ours.append(solver.solve(targets, alpha=alpha, threads=1).weights[own])
        meshes.append(targets[own])
    targets = np.concatenate(meshes)
    found = {"ours": [np.concatenate(ours)], **others(space, solver, targets, alpha)}
    offsets = targets.reshape(len(targets), -1).astype(np.float64) - space.neutral
    best = {
        name: np.array([min(space.value(w[t], b, alpha) for w in starts) for t, b in enumerate(offsets)])
        for name, starts in found.items()
    }
    own = best.pop("ours")
    difference = own / np.min(list(best.values()), axis=0) - 1
    return Comparison(
        frames=len(own),
        above=int((difference > EQUAL).sum()),
        lower=int((difference < -EQUAL).sum()),
        worst=float(difference.max()),
        below={name: int((own < values * (1 - EQUAL)).sum()) for name, values in best.items()},
    )


def others(space: VertexSpace, solver: Any, targets: np.ndarray, alpha: float) -> dict[str, list[np.ndarray]]:
    """Weights (T, K) by method, one for each start."""
    shape = len(targets), space.num_shapes
    ridge = solver.solve(targets, "cet", alpha=alpha).weights
    starts = [np.zeros(shape), ridge, np.full(shape, 0.5)]
    offsets = targets.reshape(len(targets), -1).astype(np.float64) - space.neutral
    small = GramSpace(space)
    projected = [small.projected(b) for b in offsets]

    def by_gradient(start: np.ndarray) -> np.ndarray:
        frames = zip(projected, start, strict=True)
        return np.array([scipy_frame(small, p, alpha, Trace(limit=SECONDS), w, "L-BFGS-B") for p, w in frames])

    def by_barrier(start: np.ndarray) -> np.ndarray:
        return solver.solve(targets, "sqp", alpha=alpha, init=start, threads=1, max_iterations=SQP_STEPS).weights

    return {
        "L-BFGS-B": [by_gradient(start) for start in starts],
        "`sqp`": [by_barrier(ridge)],
        "`mm_cet`": [solver.solve(targets, "mm_cet", alpha=alpha, threads=1).weights],
    }


@dataclass(frozen=True)
class Recovery:
    """Mean absolute error of noise-free weights over the identifiable shapes, the worst shape's mean, the largest."""

    identifiable: int
    shapes: int
    frames: int
    mean: float
    worst_shape: float
    largest: float


def recover(scene: Scene) -> Recovery:
    """Solve the noise-free targets of all shots with next to no alpha, and compare with the truth."""
    solver = rc.inverse.Solver(scene.rig)
    errors = [
        np.abs(solver.solve(scene.targets(scene.truth[s], 0.0), alpha=CLEAN_ALPHA, threads=1).weights - scene.truth[s])
        for s in scene.shots
    ]
    error = np.concatenate(errors)
    shapes = identifiable(*moving_columns(solver.gram, scene.truth.mean(axis=0)))
    known = error[:, shapes]
    return Recovery(
        len(shapes), error.shape[1], len(error), *map(float, (known.mean(), known.mean(0).max(), known.max()))
    )


def moving_columns(gram: Any, weights: np.ndarray) -> tuple[np.ndarray, int]:
    """The Gram matrix, and how many of its columns are shapes; where these move nothing, that of slopes at a pose."""
    count = gram.activations.num_shapes
    if np.diag(gram.matrix)[:count].any():
        return gram.matrix, count
    step = 1e-4 * np.eye(count)
    slopes = (gram.activations(weights + step) - gram.activations(weights - step)) / 2e-4
    return slopes @ gram.matrix @ slopes.T, count


def identifiable(gram: np.ndarray, num_shapes: int) -> np.ndarray:
    """Shapes whose column no combination of all other columns comes near to."""
    norm = np.sqrt(np.diag(gram))
    alive = np.flatnonzero(norm > 0)
    cosines = gram[np.ix_(alive, alive)] / np.outer(norm[alive], norm[alive])
    values, vectors = np.linalg.eigh(cosines)
    inverse = (np.square(vectors) / np.maximum(values, np.finfo(float).eps)).sum(axis=1)
    return alive[(alive < num_shapes) & (inverse**-0.5 > IDENTIFIABLE)]
