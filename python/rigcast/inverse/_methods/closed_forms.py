"""Inverse rigs that look at the shapes alone: ridge least squares, and one shape after another.

Both leave the combinations out while they solve; like every method they are judged by the whole objective afterwards.
Weights stay in the box by clipping. Pinned weights keep their values, and what they move is taken off the target first;
tied shapes act as their sum; priors act as further quadratic terms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]
Result = tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]


def cet(problem: ShotProblem, request: Request) -> Result:
    """Ridge least squares, clipped (Cetinaslan and Orvalho 2020; Rackovic et al. 2022, eq. 6).

    ``w = argmin |B w - b|^2 + alpha |w|^2``. Shapes that cannot be separated at alpha = 0 share their weight (the
    solution of least norm).
    """
    return done(ridge(problem), request)


def seol(problem: ShotProblem, request: Request) -> Result:
    """One shape after another (Seol et al. 2011; Rackovic et al. 2022, eq. 7).

    Shapes in the order of their mean displacement, largest first; each gets ``w_k = argmin |b_k w - b|^2`` in its
    bounds, and ``b <- b - b_k w_k``. alpha plays no part. A shape that moves nothing keeps the value nearest to zero.
    """
    basis = Tied(problem)
    shapes = problem.gram.columns[: problem.num_shapes]
    size = np.linalg.norm(np.tensordot(basis.expand.T, shapes, axes=1), axis=2) @ problem.gram.vertex_weights
    matrix, target = basis.matrix(problem.gram.matrix), basis.project(problem.core.projections)
    weights = np.where(basis.pinned, basis.lower, 0.0)
    residual = target - weights @ matrix
    strength, wanted = basis.strength, basis.wanted
    for k in np.argsort(-size, kind="stable"):
        curvature = matrix[k, k] + strength[:, k]
        best = np.divide(residual[:, k] + wanted[:, k], curvature, out=np.zeros(len(weights)), where=curvature > 0)
        moved = np.where(basis.pinned[:, k], 0.0, np.clip(best, basis.lower[:, k], basis.upper[:, k]))
        weights[:, k] += moved
        residual -= moved[:, None] * matrix[k]
    return done(weights[:, basis.member], request)


def ridge(problem: ShotProblem, matrix: Float64 | None = None, projections: Float64 | None = None) -> Float64:
    """Return (T, K): the clipped ridge solution, for the problem's shapes or others' Gram matrix and projections."""
    basis = Tied(problem)
    gram = basis.matrix(problem.gram.matrix if matrix is None else matrix)
    target = basis.project(problem.core.projections if projections is None else projections) + basis.wanted
    shrink = problem.alpha * np.bincount(basis.member, minlength=basis.size)
    weights = np.where(basis.pinned, basis.lower, 0.0)
    target = target - weights @ gram
    rcond = basis.size * np.finfo(np.float64).eps
    # frames with the same pins and priors share one factorization
    settings = np.column_stack([basis.pinned, basis.strength])
    _, group = np.unique(settings, axis=0, return_inverse=True)
    for g in range(group.max() + 1):
        own = np.flatnonzero(group.ravel() == g)
        free = np.flatnonzero(~basis.pinned[own[0]])
        system = gram[np.ix_(free, free)] + np.diag((shrink + basis.strength[own[0]])[free])
        weights[np.ix_(own, free)] = target[np.ix_(own, free)] @ np.linalg.pinv(system, rcond, hermitian=True)
    return np.clip(weights, basis.lower, basis.upper)[:, basis.member]


class Tied:
    """The problem in one variable for each group of tied shapes: their columns added up.

    Attributes
    ----------
    member : (K,) int
        The variable of each shape.
    expand : (K, size)
        1 where a shape belongs to a variable.
    lower, upper, pinned, strength, wanted : (T, size)
        The box, whether it is one value, the priors' ``sum s`` and ``sum s c``.
    """

    def __init__(self, problem: ShotProblem) -> None:
        owners, self.member = np.unique(problem.core.ties, return_inverse=True)
        self.size = len(owners)
        self.expand = np.eye(self.size)[self.member.ravel()]
        self.lower, self.upper = problem.lower[:, owners], problem.upper[:, owners]
        self.pinned = self.lower == self.upper
        self.strength = problem.prior_strength @ self.expand
        self.wanted = (problem.prior_strength * problem.prior_target) @ self.expand

    def matrix(self, gram: Float64) -> Float64:
        count = len(self.member)
        return np.asarray(self.expand.T @ gram[:count, :count] @ self.expand)

    def project(self, projections: Float64) -> Float64:
        return np.asarray(projections[:, : len(self.member)] @ self.expand)


def done(weights: Float64, request: Request) -> Result:
    """Return what a method returns, for one of a single step."""
    request.show(Progress("solving", len(weights), len(weights)))
    return weights, np.ones(len(weights), np.int64), np.ones(len(weights), bool)
