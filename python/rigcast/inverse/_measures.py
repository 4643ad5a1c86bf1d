"""How good weights are: objective, optimality, duality gap and RMSE, computed alike for every method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._problem import InverseProblem

Float64 = NDArray[np.float64]

FLATTEST = 1e-6  # of the largest Gram entry: pulls below it are those of a resting face


@dataclass(frozen=True)
class Measures:
    """The figures of a shot; ``Solution`` says what each is.

    Attributes
    ----------
    objective, optimality, rmse : (T,) float64
    gap : (T,) float64 or None
    """

    objective: Float64
    optimality: Float64
    rmse: Float64
    gap: Float64 | None


def measure(
    problem: InverseProblem, weights: Float64, threads: int = 0, device: str = "cpu", *, causal: bool = False
) -> Measures:
    """Everything that a solution says of its weights (T, K), inside the box and with tied shapes equal.

    ``causal``: the optimality is that of each frame given the two before it, not that of the whole shot.
    """
    projections, linear, quadratic, lower, upper = problem.terms()
    # the vertices alone: beside strong priors their digits would be lost
    alone = (projections, np.zeros_like(linear), np.zeros_like(linear), lower, upper)
    if device == "cuda":
        value, right, left = on_cuda.solver(problem).measure(alone, weights)
    else:
        value, right, left = _core.measure_frames(problem.products, problem.gram.core, alone, weights, threads)
    fidelity = value + problem.energies
    other = problem.alpha * weights + problem.prior_strength * np.square(weights - problem.prior_target)
    slope = linear + 2.0 * quadratic * weights
    right, left = right + slope, left + slope
    if problem.smoothness > 0:
        gradient = causal_gradient if causal else bend_gradient
        bend = 2.0 * problem.smoothness * _on_variables(problem, gradient(weights))
        right, left = right + bend, left + bend
    rise = np.where(weights < problem.upper, -right, 0.0)
    fall = np.where(weights > problem.lower, left, 0.0)
    return Measures(
        objective=np.asarray(fidelity + other.sum(axis=1)),
        optimality=np.asarray(np.maximum(np.maximum(rise, fall).max(axis=1), 0.0)),
        rmse=np.asarray(np.sqrt(np.maximum(fidelity, 0.0) / problem.gram.vertex_weights.sum())),
        gap=_gap(problem, weights, right),
    )


def resting_alpha(problem: InverseProblem) -> float:
    """The smallest alpha at which every weight of the shot rests: the largest pull of a target on a weight at rest.

    At rest the objective falls along a weight as long as alpha is smaller than ``-df/dw_k``, whatever the temporal
    term. 0 if nothing pulls.
    """
    projections, linear, quadratic, lower, upper = problem.with_alpha(0.0).terms()
    rest = np.clip(0.0, problem.lower, problem.upper)
    alone = (projections, np.zeros_like(linear), np.zeros_like(linear), lower, upper)
    _, right, _ = _core.measure_frames(problem.products, problem.gram.core, alone, rest, 0)
    pulls = -(right + linear + 2.0 * quadratic * rest)
    shared = np.bincount(problem.ties, minlength=problem.num_shapes)  # tied weights count alpha once each
    pulls = pulls / np.maximum(shared, 1)
    return float(max(pulls[rest < problem.upper].max(initial=0.0), 0.0))


def objective(problem: InverseProblem, weights: Float64) -> Float64:
    """(T,): a frame's own terms; the temporal term belongs to the shot."""
    return measure(problem, weights).objective


def optimality(problem: InverseProblem, weights: Float64) -> Float64:
    """(T,): the steepest descent along a single weight that the box allows."""
    return measure(problem, weights).optimality


def bend_gradient(weights: Float64) -> Float64:
    """(T, K): ``D^T D w`` for the second differences D along the shot; half the gradient of ``|D w|^2``."""
    result = np.zeros_like(weights)
    bends = np.diff(weights, n=2, axis=0)
    if len(bends):
        result[:-2] += bends
        result[1:-1] -= 2.0 * bends
        result[2:] += bends
    return result


def causal_gradient(weights: Float64) -> Float64:
    """(T, K): half the gradient of ``|w_t - 2 w_{t-1} + w_{t-2}|^2`` in the weights of frame t alone."""
    result = np.zeros_like(weights)
    result[2:] = np.diff(weights, n=2, axis=0)
    return result


def scale(problem: InverseProblem) -> Float64:
    """(T,): what ``tolerance`` is relative to, in the gradient's unit whatever the unit of length.

    The largest pull of the target on a column of the rig, shape or combination: for rigs of shapes alone the largest
    entry of the gradient at the neutral pose, where those of combinations vanish, terms apart. Targets that pull less
    than a millionth of what the largest column does on itself count as the neutral.
    """
    priors = problem.prior_strength * np.abs(problem.prior_target)
    largest = 2.0 * np.abs(problem.projections).max(axis=1) + problem.alpha + 2.0 * priors.max(axis=1)
    resting = FLATTEST * float(np.diag(problem.gram.matrix).max())
    return np.asarray(np.maximum(np.maximum(largest, resting), np.finfo(np.float64).tiny))


def _on_variables(problem: InverseProblem, slopes: Float64) -> Float64:
    """Slopes of tied shapes summed onto the first of them, 0 for the others."""
    total = np.zeros_like(slopes)
    np.add.at(total.T, problem.ties, slopes.T)
    return total


def _gap(problem: InverseProblem, weights: Float64, slope: Float64) -> Float64 | None:
    """(T,): ``g^T w - min over the box of g^T v``, which bounds what a convex frame can still gain.

    None for rigs with combinations, which are not convex, and with a temporal term, which couples the frames.
    """
    if not problem.products.is_linear or problem.smoothness > 0:
        return None
    best = np.where(slope > 0, problem.lower, problem.upper)
    return np.asarray((slope * (weights - best)).sum(axis=1))
