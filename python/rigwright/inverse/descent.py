"""Exact coordinate descent in Gram space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright.inverse import measures
from rigwright.inverse.options import Options
from rigwright.inverse.problem import Problem

Float64 = NDArray[np.float64]


def descent(problem: Problem, options: Options) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Cyclic exact minimisation over one weight at a time; all frames move together.

    The rig is linear in every single weight between the knots of its tents, so the objective is a parabola there: each
    piece is solved exactly and the best one taken.
    """
    weights = problem.start()
    threshold = options.tolerance * measures.scale(problem)
    iterations = np.zeros(len(weights), np.int64)
    open_frames = measures.optimality(problem, weights) > threshold
    for _ in range(options.max_iterations or 200):
        if not open_frames.any():
            break
        iterations += open_frames
        for k in np.flatnonzero(problem.ties == np.arange(problem.num_shapes)):
            _minimise_over(problem, weights, int(k))
        open_frames = measures.optimality(problem, weights) > threshold
    return weights, iterations, ~open_frames


def _minimise_over(problem: Problem, weights: Float64, k: int) -> None:
    """Move weight k of every frame to its minimiser; everything between two knots is a parabola."""
    tied = np.flatnonzero(problem.ties == k)
    knots = problem.gram.activations.knots[np.isin(problem.gram.activations.shape, tied)].ravel()
    low, high = problem.lower[:, k], problem.upper[:, k]
    ends = np.sort(np.column_stack([low, high, *(np.clip(knot, low, high) for knot in np.unique(knots))]), axis=1)
    best, value = weights[:, k].copy(), measures.objective(problem, weights)
    trial = weights.copy()

    def objective(x: Float64) -> Float64:
        trial[:, tied] = x[:, None]
        return measures.objective(problem, trial)

    for a, b in zip(ends.T[:-1], ends.T[1:], strict=True):
        middle = 0.5 * (a + b)
        fa, fm, fb = objective(a), objective(middle), objective(b)
        curvature, slope = fa - 2 * fm + fb, 0.5 * (fb - fa)
        step = np.divide(-slope, 2 * curvature, out=np.zeros_like(slope), where=curvature > 0)
        inside = np.clip(middle + step * (b - a), a, b)
        for candidate, f in ((a, fa), (b, fb), (inside, objective(inside))):
            better = f < value
            best, value = np.where(better, candidate, best), np.where(better, f, value)
    weights[:, tied] = best[:, None]
