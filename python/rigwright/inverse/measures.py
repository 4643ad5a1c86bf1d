"""How good weights are: objective, optimality, duality gap and RMSE, computed alike for every method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright.inverse.problem import Problem

Float64 = NDArray[np.float64]


def fidelity(problem: Problem, weights: Float64) -> Float64:
    """(T,): ``|f(w) - b|^2``, weighted by vertex."""
    phi = problem.gram.activations(weights)
    curved = np.einsum("tn,tn->t", phi @ problem.gram.matrix - 2.0 * problem.projections, phi)
    return np.asarray(np.maximum(curved + problem.energies, 0.0))


def objective(problem: Problem, weights: Float64) -> Float64:
    """(T,): a frame's own terms; the temporal term belongs to the shot."""
    prior = (problem.prior_strength * np.square(weights - problem.prior_target)).sum(axis=1)
    return np.asarray(fidelity(problem, weights) + problem.alpha * weights.sum(axis=1) + prior)


def rmse(problem: Problem, weights: Float64) -> Float64:
    """(T,): root mean square distance of vertices."""
    return np.asarray(np.sqrt(fidelity(problem, weights) / problem.gram.vertex_weights.sum()))


def gradient(problem: Problem, weights: Float64, side: int = 1) -> Float64:
    """(T, K): slopes of the objective, temporal term included, to the right (1) or left (-1) of each weight.

    Tied shapes share their sum.
    """
    structure = problem.gram.activations
    residual = 2.0 * (structure(weights) @ problem.gram.matrix - problem.projections)
    slope = structure.pull_back(weights, residual, side)
    slope += problem.alpha + 2.0 * problem.prior_strength * (weights - problem.prior_target)
    if problem.smoothness > 0:
        slope += 2.0 * problem.smoothness * bend_gradient(weights)
    total = np.zeros_like(slope)
    for k, owner in enumerate(problem.ties):
        total[:, owner] += slope[:, k]
    return total[:, problem.ties]


def bend_gradient(weights: Float64) -> Float64:
    """(T, K): ``D^T D w`` for the second differences D along the shot; half the gradient of ``|D w|^2``."""
    result = np.zeros_like(weights)
    bends = np.diff(weights, n=2, axis=0)
    if len(bends):
        result[:-2] += bends
        result[1:-1] -= 2.0 * bends
        result[2:] += bends
    return result


def optimality(problem: Problem, weights: Float64) -> Float64:
    """(T,): the steepest descent along a single weight that the box allows."""
    right = np.where(weights < problem.upper, np.maximum(-gradient(problem, weights, 1), 0.0), 0.0)
    left = np.where(weights > problem.lower, np.maximum(gradient(problem, weights, -1), 0.0), 0.0)
    return np.asarray(np.maximum(left, right).max(axis=1))


def scale(problem: Problem) -> Float64:
    """(T,): the largest entry of the gradient at the neutral pose, terms apart; what ``tolerance`` is relative to."""
    shapes = problem.projections[:, : problem.num_shapes]
    priors = problem.prior_strength * np.abs(problem.prior_target)
    largest = 2.0 * np.abs(shapes).max(axis=1) + problem.alpha + 2.0 * priors.max(axis=1)
    return np.asarray(np.maximum(largest, np.finfo(np.float64).tiny))


def gap(problem: Problem, weights: Float64) -> Float64 | None:
    """(T,): ``g(w)^T w - min over the box of g(w)^T v``, an upper bound on what a convex frame can still gain.

    None for rigs with combinations, which are not convex, and with a temporal term, which couples the frames.
    """
    if not problem.gram.activations.is_linear or problem.smoothness > 0:
        return None
    slope = gradient(problem, weights)
    # tied shapes each carry the sum of their slopes: count it once
    slope[:, problem.ties != np.arange(problem.num_shapes)] = 0.0
    best = np.where(slope > 0, problem.lower, problem.upper)
    return np.asarray((slope * (weights - best)).sum(axis=1))
