"""Majorization-minimization as published (Rackovic et al. 2022, algorithms 1 and 2), on the vertices in NumPy.

The misprints of the paper are mended: the bound is that of its eq. 18 with the factor 2 in front of the quadratic term,
sums run over all coordinates, and targets are offsets from the neutral. What the paper writes as loops over vertices
are array operations and BLAS here, and the corrections' part of h is one sparse product.

The code that its authors released since also tries 50, 20, 10 and 5 times each step and takes the longest of these
that lowers the objective further; ``lengthened=True`` does so too. It ends after 200 steps, or where a step lowers the
objective by less than 5e-4; the paper prints no number.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse

from benchmarks.systems.inverse.trace import Trace

TOLERANCE, STEPS = 5e-4, 200
LENGTHS = (50.0, 20.0, 10.0, 5.0)


class PublishedMM:
    """The rig's part, prepared once, from shapes (K, 3 V) and pairs (P, 2) with columns (P, 3 V)."""

    def __init__(self, shapes: np.ndarray, pairs: np.ndarray, columns: np.ndarray) -> None:
        self.shapes, self.pairs = np.ascontiguousarray(shapes), np.asarray(pairs).reshape(-1, 2)
        self.columns = scipy.sparse.csr_matrix(columns).T.tocsr()  # (3 V, P)
        self.low, self.high = _spectra(self.pairs, self.columns)
        self.sigma = np.maximum(-self.low, self.high)
        # h_ik = B_ik + sum_j w_j b_i^{jk}: the second part at the places (k, i) where any pair has an entry
        entries = self.columns.T.tocoo()
        pair, place = entries.row, entries.col
        rows = np.concatenate([self.pairs[pair, 0], self.pairs[pair, 1]]) * shapes.shape[1] + np.tile(place, 2)
        others = np.concatenate([self.pairs[pair, 1], self.pairs[pair, 0]])
        self.bent, inverse = np.unique(rows, return_inverse=True)
        size = len(self.bent), len(shapes)
        self.bends = scipy.sparse.csr_matrix((np.tile(entries.data, 2), (inverse, others)), size)
        self.straight = self.shapes.ravel()[self.bent]

    def residual(self, w: np.ndarray, target: np.ndarray) -> np.ndarray:
        return w @ self.shapes + self.columns @ (w[self.pairs[:, 0]] * w[self.pairs[:, 1]]) - target

    def solve(
        self,
        target: np.ndarray,
        alpha: float,
        start: np.ndarray,
        trace: Trace,
        *,
        lengthened: bool = False,
        tolerance: float = 0.0,
        steps: int | None = None,
    ) -> np.ndarray:
        """Weights (K,) when the trace ends, after ``steps``, or where the bound falls by less than ``tolerance``.

        With lengthened steps it is the objective that has to fall.
        """
        w, h = start.copy(), self.shapes.copy()
        w, g, before = self._at(w, target, alpha)
        while len(trace.seconds) != steps:
            h.ravel()[self.bent] = self.straight + self.bends @ w
            flat = h.ravel()
            q = 2.0 * (h @ g) + alpha
            r = 2.0 * (g @ np.where(g < 0, self.low, self.high) + flat @ flat)
            s = 2.0 * len(w) * (self.sigma @ self.sigma)
            v = np.clip(_root(q, r, s), -w, 1.0 - w)
            w, g, value = self._step(w, v, target, alpha, LENGTHS if lengthened else ())
            fall = before - value if lengthened else -float(np.sum(q * v + r * v**2 + s * v**4))
            if trace.add(value) or fall < tolerance:
                break
            before = value
        return w

    def _step(
        self, w: np.ndarray, v: np.ndarray, target: np.ndarray, alpha: float, lengths: tuple[float, ...]
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """The result of a step: weights, residual, objective."""
        reached = self._at(w + v, target, alpha)
        for length in lengths:
            longer = self._at(np.clip(w + length * v, 0.0, 1.0), target, alpha)
            if longer[2] < reached[2]:
                return longer
        return reached

    def _at(self, w: np.ndarray, target: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray, float]:
        g = self.residual(w, target)
        return w, g, float(g @ g + alpha * w.sum())


def _spectra(pairs: np.ndarray, columns: scipy.sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest eigenvalue of every coordinate's matrix D."""
    low, high = np.zeros(columns.shape[0]), np.zeros(columns.shape[0])
    for i in range(columns.shape[0]):
        used = columns.indices[columns.indptr[i] : columns.indptr[i + 1]]
        if len(used):
            half = 0.5 * columns.data[columns.indptr[i] : columns.indptr[i + 1]]
            members, place = np.unique(pairs[used], return_inverse=True)
            first, second = place.reshape(-1, 2).T
            matrix = np.zeros((len(members), len(members)))
            matrix[first, second] = matrix[second, first] = half
            values = np.linalg.eigvalsh(matrix)
            low[i], high[i] = min(values[0], 0.0), max(values[-1], 0.0)
    return low, high


def _root(q: np.ndarray, r: float, s: float) -> np.ndarray:
    """The real root of 4 s v^3 + 2 r v + q, r > 0, s >= 0."""
    if s == 0.0:
        return -q / (2.0 * r)
    p, c = r / (2.0 * s), q / (4.0 * s)
    return -2.0 * np.sqrt(p / 3.0) * np.sinh(np.arcsinh(3.0 * c / (2.0 * p) * np.sqrt(3.0 / p)) / 3.0)
