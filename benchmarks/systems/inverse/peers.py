"""General solvers for one frame, on the vertices, in NumPy and SciPy at their best.

Nothing here comes from the engine: it is also the judge of every method's objective.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse

from benchmarks.systems.inverse.trace import Trace

SPARSE_BELOW = 1 / 3  # of a column's entries: from there on dense products are the faster ones


class VertexSpace:
    """The objective of a frame on the vertices, its gradient and its Hessian.

    Columns with few entries are kept sparse, both ways round; the rest goes through dense BLAS.
    """

    def __init__(self, rig: Any) -> None:
        self.columns = np.asarray(rig.columns(), np.float64).reshape(rig.num_columns, -1)
        self.neutral = np.asarray(rig.rest_vertices, np.float64).ravel()
        self.num_shapes = rig.num_shapes
        is_dense = (self.columns != 0).mean(axis=1) >= SPARSE_BELOW
        self.dense, self.thin = np.flatnonzero(is_dense), np.flatnonzero(~is_dense)
        self.dense_columns = np.ascontiguousarray(self.columns[self.dense])
        self.thin_columns = scipy.sparse.csr_matrix(self.columns[self.thin])
        self.thin_rows = self.thin_columns.T.tocsr()
        self._factors(rig.combinations)

    def _factors(self, combinations: list[tuple[Any, ...]]) -> None:
        """Factors (P, order) of the combinations, filled up with ones."""
        size = len(combinations), max((len(factors) for factors in combinations), default=1)
        self.member, self.is_tent = np.zeros(size, np.int64), np.zeros(size, bool)
        self.is_one = np.ones(size, bool)
        self.knots = np.tile([0.0, 0.5, 1.0], (*size, 1))
        for c, factors in enumerate(combinations):
            for f, factor in enumerate(factors):
                tent = not isinstance(factor, int | np.integer)
                self.member[c, f] = factor.shape if tent else factor
                self.is_tent[c, f], self.is_one[c, f] = tent, False
                if tent:
                    self.knots[c, f] = factor.x1, factor.x2, factor.x3

    def activations(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The multipliers of the columns (N,), and the combinations' drivers with their slopes, (P, order) each."""
        x, (x1, x2, x3) = w[self.member], np.moveaxis(self.knots, -1, 0)
        rising, falling = (x - x1) / (x2 - x1), (x3 - x) / (x3 - x2)
        inside, before = (x >= x1) & (x < x3), x < x2
        tent = np.where(inside, np.where(before, rising, falling), 0.0)
        tent_slope = np.where(inside, np.where(before, 1 / (x2 - x1), -1 / (x3 - x2)), 0.0)
        value = np.where(self.is_one, 1.0, np.where(self.is_tent, tent, x))
        slope = np.where(self.is_one, 0.0, np.where(self.is_tent, tent_slope, 1.0))
        return np.concatenate([w, value.prod(axis=1)]), value, slope

    def residual(self, active: np.ndarray, target: np.ndarray) -> np.ndarray:
        """(3 V,) for activations (N,) and a target as offsets from the neutral."""
        return active[self.dense] @ self.dense_columns + self.thin_rows @ active[self.thin] - target

    def pulled(self, residual: np.ndarray) -> np.ndarray:
        """(N,): products of the columns with a residual."""
        result = np.empty(len(self.columns))
        result[self.dense] = self.dense_columns @ residual
        result[self.thin] = self.thin_columns @ residual
        return result

    def value(self, w: np.ndarray, target: np.ndarray, alpha: float) -> float:
        error = self.residual(self.activations(w)[0], target)
        return float(error @ error + alpha * w.sum())

    def value_and_gradient(self, w: np.ndarray, target: np.ndarray, alpha: float) -> tuple[float, np.ndarray]:
        active, value, slope = self.activations(w)
        fidelity, pull = self.fidelity(active, target)
        gradient = pull[: self.num_shapes] + alpha
        terms = pull[self.num_shapes :, None] * self.partial(value, slope)
        gradient += np.bincount(self.member.ravel(), terms.ravel(), self.num_shapes)
        return float(fidelity + alpha * w.sum()), gradient

    def fidelity(self, active: np.ndarray, target: Any) -> tuple[float, np.ndarray]:
        """Squared distance to a target, and its slopes along the columns (N,)."""
        error = self.residual(active, target)
        return float(error @ error), 2.0 * self.pulled(error)

    @staticmethod
    def partial(value: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """(P, order): derivative of each product by each of its factors' weights."""
        order = value.shape[1]
        rest = [value[:, np.arange(order) != f].prod(axis=1) for f in range(order)]
        return np.stack(rest, axis=1) * slope

    def hessian(self, w: np.ndarray, target: np.ndarray) -> np.ndarray:
        """(K, K), off the knots of tents: ``2 J^T J`` and what the products' mixed derivatives add."""
        active, value, slope = self.activations(w)
        pull = 2.0 * self.pulled(self.residual(active, target))[self.num_shapes :]
        count, order = value.shape
        rows = np.concatenate([np.arange(self.num_shapes), self.member.ravel()])
        columns = np.concatenate([np.arange(self.num_shapes), np.repeat(self.num_shapes + np.arange(count), order)])
        entries = np.concatenate([np.ones(self.num_shapes), self.partial(value, slope).ravel()])
        jacobian = scipy.sparse.csr_matrix((entries, (rows, columns)), (self.num_shapes, len(active))) @ self.columns
        result = 2.0 * (jacobian @ jacobian.T)
        for f in range(order):
            for g in range(f + 1, order):
                others = (np.arange(order) != f) & (np.arange(order) != g)
                mixed = pull * slope[:, f] * slope[:, g] * value[:, others].prod(axis=1)
                np.add.at(result, (self.member[:, f], self.member[:, g]), mixed)
                np.add.at(result, (self.member[:, g], self.member[:, f]), mixed)
        return result


class GramSpace(VertexSpace):
    """The same objective from columns' products alone: what a solver finds here it finds on the vertices, sooner.

    Targets are those of ``projected``.
    """

    def __init__(self, space: VertexSpace) -> None:
        vars(self).update(vars(space))
        self.gram = self.columns @ self.columns.T

    def projected(self, target: np.ndarray) -> tuple[np.ndarray, float]:
        """Products of the columns with a target, and the target's with itself."""
        return self.pulled(target), float(target @ target)

    def fidelity(self, active: np.ndarray, target: Any) -> tuple[float, np.ndarray]:
        products, energy = target
        half = self.gram @ active - products
        return float(active @ (half - products) + energy), 2.0 * half


class _Ended(Exception):
    """The trace says that it is enough."""


def scipy_frame(
    space: VertexSpace,
    target: Any,
    alpha: float,
    trace: Trace,
    start: np.ndarray,
    method: str,
    *,
    exact_hessian: bool = False,
) -> np.ndarray:
    """A frame by ``scipy.optimize.minimize``; weights (K,) of the best feasible point before the trace ended.

    ``"L-BFGS-B"`` or ``"trust-constr"``, the latter with SciPy's BFGS or the exact Hessian. Their own stopping rules
    are as tight as rounding allows.
    """
    best = np.clip(start, 0.0, 1.0)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        f, g = space.value_and_gradient(w, target, alpha)
        if w.min() >= 0 and w.max() <= 1:
            best = w.copy() if f < trace.best else best
            if trace.add(f):
                raise _Ended
        elif trace.add(np.inf):
            raise _Ended
        return f, g

    options: dict[str, Any] = {"maxiter": 100_000}
    hessian: Callable[[np.ndarray], np.ndarray] | None = None
    if method == "trust-constr":
        options |= {"gtol": 1e-12, "xtol": 1e-14}
        hessian = (lambda w: space.hessian(w, target)) if exact_hessian else None
    else:
        options |= {"ftol": 1e-16, "gtol": 1e-12, "maxfun": 1_000_000, "maxcor": 30}
    bounds = scipy.optimize.Bounds(np.zeros(len(start)), np.ones(len(start)), keep_feasible=True)
    with contextlib.suppress(_Ended):
        scipy.optimize.minimize(value, start, jac=True, hess=hessian, method=method, bounds=bounds, options=options)
    return best
