"""Shots with a temporal term as published: for one weight after another, its curve over the whole shot is solved.

The coordinate descent of Rackovic et al. 2024 ("Refined inverse rigging"), on the vertices in NumPy and SciPy. The rig
is linear in the weight, so its curve x over the T frames minimizes ``x^T (diag(|c_t|^2) + s D^T D) x - 2 (c_t . r_t -
alpha / 2) x`` in the box, with D the second differences. Kept at its best, the released code being slower in each of
these: the residual is kept, not computed anew for every weight; only the coordinates that a weight moves take part;
products run through BLAS; and the sparse normal equations are solved exactly, by active sets and banded Cholesky
instead of a general minimizer with numerical gradients. The objective is that of ``rigcast.inverse.solve``: the
released code divides fidelity by the number of coordinates.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.optimize

from benchmarks.systems.inverse.trace import Trace

ACTIVE_SETS = 50


class PublishedSmooth:
    """The rig's part, prepared once, from shapes (K, 3 V) and pairs (P, 2) with columns (P, 3 V)."""

    def __init__(self, shapes: np.ndarray, pairs: np.ndarray, columns: np.ndarray) -> None:
        self.shapes, self.pairs, self.columns = shapes, np.asarray(pairs).reshape(-1, 2), columns
        self.order = np.argsort(-np.square(shapes).sum(axis=1))
        #: for every weight: where it moves anything, its shape and corrections there (S, 1 + own), their other weights
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for k, shape in enumerate(shapes):
            own = np.flatnonzero((self.pairs == k).any(axis=1))
            together = np.concatenate([shape[None], columns[own]])
            moved = np.flatnonzero(together.any(axis=0))
            self.parts.append((moved, np.ascontiguousarray(together[:, moved].T), self.pairs[own].sum(axis=1) - k))

    def residual(self, w: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """(3 V, T) for weights (T, K) and targets (T, 3 V) as offsets from the neutral."""
        corrections = (w[:, self.pairs[:, 0]] * w[:, self.pairs[:, 1]]) @ self.columns
        return np.ascontiguousarray((w @ self.shapes + corrections - targets).T)

    def objective(self, w: np.ndarray, error: np.ndarray, alpha: float, smoothness: float) -> float:
        bends = np.diff(w, n=2, axis=0)
        return float(np.vdot(error, error) + alpha * w.sum() + smoothness * np.vdot(bends, bends))

    def solve(
        self, targets: np.ndarray, start: np.ndarray, trace: Trace, *, alpha: float, smoothness: float
    ) -> np.ndarray:
        """Weights (T, K) when the trace, which sees every sweep over the weights, ends."""
        w, error = start.copy(), self.residual(start, targets)
        coupling = smoothness * _bends(len(targets))
        while not trace.add(self.objective(w, error, alpha, smoothness)):
            for k in self.order:
                moved, together, others = self.parts[k]
                active = np.vstack([np.ones(len(w)), w[:, others].T])
                here = error[moved]
                square = (active * (together.T @ together @ active)).sum(axis=0)
                right = square * w[:, k] - (active * (together.T @ here)).sum(axis=0) - 0.5 * alpha
                new = _in_box(square, coupling, right, w[:, k])
                if np.array_equal(new, w[:, k]):
                    continue
                error[moved] = here + together @ (active * (new - w[:, k]))
                w[:, k] = new
        return w


class ReleasedSmooth(PublishedSmooth):
    """The same steps as the released code takes them: on all coordinates, with a general minimizer for each curve."""

    def solve(
        self, targets: np.ndarray, start: np.ndarray, trace: Trace, *, alpha: float, smoothness: float
    ) -> np.ndarray:
        w, second = start.copy(), np.diff(np.eye(len(targets)), n=2, axis=0)
        coupling, bounds = smoothness * (second.T @ second), [(0.0, 1.0)] * len(targets)
        while not trace.add(self.objective(w, self.residual(w, targets), alpha, smoothness)):
            for k in self.order:
                own = np.flatnonzero((self.pairs == k).any(axis=1))
                slope = self.shapes[k] + w[:, self.pairs[own].sum(axis=1) - k] @ self.columns[own]
                without = w.copy()
                without[:, k] = 0.0
                linear = 2.0 * np.einsum("ti,it->t", slope, self.residual(without, targets)) + alpha
                matrix = np.diag(np.square(slope).sum(axis=1)) + coupling
                result = scipy.optimize.minimize(
                    lambda x, a=matrix, b=linear: x @ a @ x + x @ b, w[:, k], bounds=bounds
                )
                w[:, k] = result.x
        return w


def _bends(frames: int) -> np.ndarray:
    """``D^T D`` as the three upper bands that ``solveh_banded`` takes."""
    matrix = np.zeros((3, frames))
    for t in range(frames - 2):
        for i, a in enumerate((1.0, -2.0, 1.0)):
            for j in range(i, 3):
                matrix[2 - (j - i), t + j] += a * (1.0, -2.0, 1.0)[j]
    return matrix


def _product(bands: np.ndarray, x: np.ndarray) -> np.ndarray:
    result = bands[2] * x
    for d in (1, 2):
        result[d:] += bands[2 - d, d:] * x[:-d]
        result[:-d] += bands[2 - d, d:] * x[d:]
    return result


def _in_box(square: np.ndarray, coupling: np.ndarray, right: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The minimizer over [0, 1] of ``x^T A x - 2 right x``, A = diag(square) + coupling, from a point of the box.

    Newton steps over the free set, projected and shortened until they lower the objective (Bertsekas 1982).
    """
    bands = coupling.copy()
    bands[2] += square
    x = start
    for _ in range(ACTIVE_SETS):
        slope = _product(bands, x) - right
        held = ((x <= 0.0) & (slope > 0.0)) | ((x >= 1.0) & (slope < 0.0)) | (bands[2] == 0.0)
        if np.abs(slope[~held]).max(initial=0.0) <= 1e-12 * (1.0 + np.abs(right).max()):
            break
        own = bands.copy()
        own[2, held] = 1.0
        for d in (1, 2):
            own[2 - d, d:][held[d:] | held[:-d]] = 0.0
        step = scipy.linalg.solveh_banded(own, np.where(held, 0.0, -slope), check_finite=False)
        length = 1.0
        while length > 1e-10:
            new = np.clip(x + length * step, 0.0, 1.0)
            move = new - x
            if 2.0 * (slope @ move) + move @ _product(bands, move) <= 0.0:
                break
            length *= 0.5
        if np.array_equal(new, x):
            break
        x = new
    return x
