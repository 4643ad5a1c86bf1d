"""The inverse rig in slow, obvious NumPy: the objective on vertices, and the paper's bound coordinate by coordinate."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, slow_blendshapes


def arrays_of(kind, seed, **sizes):
    """Neutral, deltas, combinations: "linear", "pairs", or "any" order with in-betweens."""
    neutral, deltas, combinations = random_arrays(seed=seed, **sizes)
    if kind == "linear":
        combinations = []
    if kind == "pairs":
        rng = np.random.default_rng(seed)
        pairs = {tuple(sorted(rng.choice(len(deltas), 2, replace=False).tolist())) for _ in range(2 * len(deltas))}
        spare = [delta for _, delta in combinations]
        combinations = [(pair, np.roll(spare[n % len(spare)], n, axis=0)) for n, pair in enumerate(sorted(pairs))]
    return neutral, deltas, combinations


def grid_faces(num_vertices):
    """Any triangles over all vertices."""
    first = np.arange(num_vertices - 2)
    return np.stack([first, first + 1, first + 2], axis=1).astype(np.int32)


def shot_of(arrays, bounds=(0.0, 1.0), frames=3, seed=0, noise=0.3):
    """A rig and targets (T, V, 3) that it reaches up to noise."""
    rng = np.random.default_rng(seed)
    box = np.broadcast_to(bounds, (len(arrays[1]), 2))
    truth = rng.uniform(box[:, 0], box[:, 1], (frames, len(box))) * (rng.random((frames, len(box))) < 0.7)
    truth = np.clip(truth, box[:, 0], box[:, 1])
    targets = np.stack([slow_blendshapes(*arrays, w) for w in truth])
    targets += noise * rng.standard_normal(targets.shape)
    return rc.BlendshapeRig(*arrays, bounds=bounds, faces=grid_faces(len(arrays[0]))), targets.astype(np.float32)


def slow_objective(arrays, target, weights, alpha, vertex_weights=None, vertices=None):
    """``sum_v omega_v |f_v(w) - b_v|^2 + alpha sum w`` of one frame; the target has all vertices."""
    residual = slow_blendshapes(*arrays, np.asarray(weights, np.float64)) - target.astype(np.float64)
    chosen = np.arange(len(residual)) if vertices is None else np.asarray(vertices)
    omega = np.ones(len(chosen)) if vertex_weights is None else vertex_weights
    return float(omega @ np.square(residual[chosen]).sum(axis=1) + alpha * np.sum(weights))


def slow_bound(arrays, target, weights, alpha):
    """q (K,), r, sum |h|^2 and s of the paper's bound (eq. 18, algorithm 1) for a rig whose combinations are pairs."""
    neutral, deltas, combinations = arrays
    count = len(deltas)
    basis = deltas.reshape(count, -1).T.astype(np.float64)
    offset = (target.astype(np.float64) - neutral).ravel()
    q, r, norm, s = np.full(count, float(alpha)), 0.0, 0.0, 0.0
    for i, row in enumerate(basis):
        matrix = np.zeros((count, count))
        for (j, k), delta in combinations:
            matrix[j, k] += delta.ravel()[i] / 2
            matrix[k, j] += delta.ravel()[i] / 2
        spectrum = np.linalg.eigvalsh(matrix)
        g = row @ weights + weights @ matrix @ weights - offset[i]
        h = row + 2 * matrix @ weights
        q += 2 * g * h
        r += 2 * (g * (spectrum[0] if g < 0 else spectrum[-1]) + h @ h)
        norm += h @ h
        s += 2 * count * np.abs(spectrum).max() ** 2
    return q, r, norm, s
