"""Shots with a temporal term as published: for one weight after another, sparse normal equations over the whole shot.

All on the vertices, in NumPy and SciPy: the rig is linear in the weight, so its curve over the T frames solves
``(diag(|c_t|^2) + s D^T D) x = c_t . r_t - alpha / 2``, which is then clipped to the box.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse
import scipy.sparse.linalg


def solve(
    shapes: np.ndarray,
    pairs: list[tuple[int, int]],
    columns: np.ndarray,
    targets: np.ndarray,
    *,
    alpha: float,
    smoothness: float,
    start: np.ndarray,
    goal: float,
    limit: float,
) -> tuple[np.ndarray, int]:
    """Weights (T, K) and sweeps from shapes (3 V, K), columns (3 V, P), targets (T, 3 V).

    Ends at the goal or the limit of processor seconds.
    """
    frames, members = len(targets), np.array(pairs).reshape(-1, 2)
    bends = scipy.sparse.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(frames - 2, frames))
    coupling = smoothness * (bends.T @ bends)
    w, sweeps, started = start.copy(), 0, time.process_time()
    error = w @ shapes.T + (w[:, members[:, 0]] * w[:, members[:, 1]]) @ columns.T - targets
    while time.process_time() - started < limit:
        for k in range(w.shape[1]):
            own = np.flatnonzero((members == k).any(axis=1))
            others = members[own].sum(axis=1) - k
            c = shapes[:, k] + w[:, others] @ columns[:, own].T
            square = np.square(c).sum(axis=1)
            right = square * w[:, k] - (c * error).sum(axis=1) - 0.5 * alpha
            matrix = (scipy.sparse.diags(square + 1e-12) + coupling).tocsc()
            new = np.clip(scipy.sparse.linalg.spsolve(matrix, right), 0.0, 1.0)
            error += (new - w[:, k])[:, None] * c
            w[:, k] = new
            if time.process_time() - started > limit:
                break
        sweeps += 1
        value = np.square(error).sum() + alpha * w.sum() + smoothness * np.square(np.diff(w, n=2, axis=0)).sum()
        if value <= goal:
            break
    return w, sweeps
