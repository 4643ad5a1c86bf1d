"""Majorisation-minimisation as published (Rackovic et al. 2022, algorithms 1 and 2), on the vertices in NumPy.

The misprints of the paper are mended: the bound is that of its eq. 18 with the factor 2 in front of the quadratic term,
sums run over all coordinates, and targets are offsets from the neutral.
"""

from __future__ import annotations

import time

import numpy as np


class PublishedMM:
    """The rig's part, prepared once: B (3 V, K), pairs with their columns, eigenvalues of every coordinate's matrix."""

    def __init__(self, shapes: np.ndarray, pairs: list[tuple[int, int]], columns: np.ndarray) -> None:
        self.shapes, self.pairs, self.columns = shapes, np.array(pairs).reshape(-1, 2), columns
        self.low, self.high = np.zeros(len(shapes)), np.zeros(len(shapes))
        for i in range(len(shapes)):
            used = np.flatnonzero(columns[i])
            if not len(used):
                continue
            members, place = np.unique(self.pairs[used], return_inverse=True)
            matrix = np.zeros((len(members), len(members)))
            for (a, b), value in zip(place.reshape(-1, 2), columns[i, used], strict=True):
                matrix[a, b] = matrix[b, a] = 0.5 * value
            values = np.linalg.eigvalsh(matrix)
            self.low[i], self.high[i] = min(values[0], 0.0), max(values[-1], 0.0)
        self.sigma = np.maximum(-self.low, self.high)

    def residual(self, w: np.ndarray, target: np.ndarray) -> np.ndarray:
        return self.shapes @ w + self.columns @ (w[self.pairs[:, 0]] * w[self.pairs[:, 1]]) - target

    def objective(self, w: np.ndarray, target: np.ndarray, alpha: float) -> float:
        return float(np.square(self.residual(w, target)).sum() + alpha * w.sum())

    def solve(self, target: np.ndarray, alpha: float, *, goal: float, limit: float) -> tuple[np.ndarray, int]:
        """From zero until the objective is at most ``goal`` or ``limit`` seconds of processor time are spent."""
        w, steps, started = np.zeros(self.shapes.shape[1]), 0, time.process_time()
        while time.process_time() - started < limit:
            g = self.residual(w, target)
            h = self.shapes.copy()
            for c, (i, j) in enumerate(self.pairs):
                h[:, i] += w[j] * self.columns[:, c]
                h[:, j] += w[i] * self.columns[:, c]
            q = 2.0 * g @ h + alpha
            r = 2.0 * (g * np.where(g < 0, self.low, self.high) + np.square(h).sum(axis=1)).sum()
            s = 2.0 * len(w) * np.square(self.sigma).sum()
            w = w + np.clip(_root(q, r, s), -w, 1.0 - w)
            steps += 1
            if self.objective(w, target, alpha) <= goal:
                break
        return w, steps


def _root(q: np.ndarray, r: float, s: float) -> np.ndarray:
    """The real root of 4 s v^3 + 2 r v + q, r > 0, s >= 0."""
    if s == 0.0:
        return -q / (2.0 * r)
    p, c = r / (2.0 * s), q / (4.0 * s)
    return -2.0 * np.sqrt(p / 3.0) * np.sinh(np.arcsinh(3.0 * c / (2.0 * p) * np.sqrt(3.0 / p)) / 3.0)
