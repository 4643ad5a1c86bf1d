"""The same objective by a general solver: SciPy's trust-region interior point method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast.inverse._activations import Activations
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]

MAX_ITERATIONS = 1000
START_INSIDE = 0.01  # how far from the ends of the box a frame starts, in parts of its width
BARRIER = 1e-10  # the barrier's last strength
BARRIER_LEAVES = (
    100.0  # times its strength and the tolerance: what is left in our measure where SciPy's has reached them
)


def sqp(problem: ShotProblem, request: Request) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """``scipy.optimize.minimize(method="trust-constr")``, frame by frame (Byrd et al. 1999; Rackovic et al. 2022, 4.1).

    It gets the objective, its gradient and its Hessian, all from the Gram matrix. As an interior point method it keeps
    small weights above 0. At the knots of in-betweens, where the gradient jumps, it may stop early. Ends where the
    barrier has gone and SciPy's optimality is ``tolerance`` relative to the gradient's scale, or where its steps no
    longer change the weights, or after ``max_iterations`` (1,000). However it ends, a frame counts as solved where the
    gradient says so: at most a hundred times ``tolerance``, but for weights so near to their bound that the barrier
    alone keeps them off it.

    Raises
    ------
    rigcast._extras.MissingExtra
        Without SciPy.
    """
    optimize = require("scipy.optimize", extra="inverse", purpose="the inverse rig by method 'sqp'")
    weights = problem.core.start
    iterations, converged = np.zeros(len(weights), np.int64), np.zeros(len(weights), bool)
    for t in range(len(weights)):
        weights[t], iterations[t], converged[t] = _frame(optimize, problem.at(slice(t, t + 1)), weights[t], request)
        request.show(Progress("solving", t + 1, len(weights)))
    return weights, iterations, converged


def _frame(optimize: Any, frame: ShotProblem, start: Float64, request: Request) -> tuple[Float64, int, bool]:
    """Weights, iterations, and whether the weights are a first-order optimum."""
    owners = frame.core.ties == np.arange(frame.num_shapes)
    free = np.flatnonzero(owners & (frame.lower[0] < frame.upper[0]))
    if not len(free):
        return start, 0, True
    spread = (frame.core.ties[:, None] == free).astype(np.float64)  # from free variables to all shapes
    resting = np.where(spread.any(axis=1), 0.0, start)

    lower, upper = frame.lower[0, free], frame.upper[0, free]
    # SciPy's barrier is absolute: it needs a gradient of order one, and a start off the walls
    unit, margin = 1.0 / float(frame.core.scale[0]), START_INSIDE * (upper - lower)

    def whole(x: Float64) -> Float64:
        return np.asarray(resting + spread @ x)[None]

    result = optimize.minimize(
        lambda x: unit * float(frame.measure(whole(x)).objective[0]),
        np.clip(start[free], lower + margin, upper - margin),
        method="trust-constr",
        jac=lambda x: unit * (spread.T @ gradient(frame, whole(x))),
        hess=lambda x: unit * (spread.T @ hessian(frame, whole(x)) @ spread),
        bounds=optimize.Bounds(lower, upper, keep_feasible=True),
        callback=lambda _, state: state.optimality <= request.tolerance and state.barrier_parameter <= BARRIER,
        options={
            "gtol": 0.0,  # SciPy's own test forgets the barrier
            "xtol": 1e-14,
            "barrier_tol": BARRIER,
            "maxiter": request.max_iterations or MAX_ITERATIONS,
        },
    )
    x = np.clip(result.x, lower, upper)
    pull = unit * (spread.T @ gradient(frame, whole(x)))
    # of the objective, for a weight that goes all the way: what the barrier holds back
    gain = pull * np.where(pull > 0, x - lower, x - upper)
    solved = (np.abs(pull) <= BARRIER_LEAVES * request.tolerance) | (gain <= BARRIER_LEAVES * BARRIER)
    return whole(x)[0], result.nit, bool(solved.all())


def gradient(frame: ShotProblem, weights: Float64) -> Float64:
    """Return (K,): first derivatives of one frame's objective at weights (1, K), at knots to the right."""
    structure = frame.gram.activations
    residual = structure(weights) @ frame.gram.matrix - frame.core.projections
    prior = 2.0 * frame.prior_strength * weights
    return np.asarray((2.0 * structure.pull_back(weights, residual) + frame.core.linear + prior)[0])


def hessian(frame: ShotProblem, weights: Float64) -> Float64:
    """Return (K, K): second derivatives of one frame's objective at weights (1, K), off the knots of in-betweens.

    ``2 J^T G J + 2 sum_n (G phi - p)_n Hess(phi_n) + 2 diag(s)``, J the slopes of the activations.
    """
    structure = frame.gram.activations
    jacobian = structure.pull_back(np.repeat(weights, structure.num_columns, axis=0), np.eye(structure.num_columns))
    residual = structure(weights)[0] @ frame.gram.matrix - frame.core.projections[0]
    curved = jacobian.T @ frame.gram.matrix @ jacobian + _bending(structure, weights[0], residual)
    return np.asarray(2.0 * (curved + np.diag(frame.prior_strength[0])))


def _bending(structure: Activations, weights: Float64, residual: Float64) -> Float64:
    """``sum_n residual_n Hess(phi_n)``: products are linear in every factor, so only mixed derivatives are left."""
    total = np.zeros((structure.num_shapes, structure.num_shapes))
    value, slope = structure.values(weights[None])[0], structure.slopes(weights[None])[0]
    for c in range(structure.num_columns - structure.num_shapes):
        own = np.arange(structure.offset[c], structure.offset[c + 1])
        for i, f in enumerate(own):
            for g in own[i + 1 :]:
                rest = value[[h for h in own if h not in (f, g)]].prod()
                mixed = residual[structure.num_shapes + c] * slope[f] * slope[g] * rest
                total[structure.shape[f], structure.shape[g]] += mixed
                total[structure.shape[g], structure.shape[f]] += mixed
    return total
