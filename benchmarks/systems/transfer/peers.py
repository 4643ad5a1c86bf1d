"""Alternatives to a transfer: place the source, copy its offsets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rigcast as rc


def place(source: np.ndarray, target: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    a, b = (p.astype(np.float64) - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = np.linalg.norm(b) / np.linalg.norm(a) * (u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt)
    return lambda points: points @ turn.T


def rotated_copy(source: np.ndarray, target: np.ndarray, deltas: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Offsets turned with the vertex frames (normal and the longest edge at the vertex) from source to target."""
    edges = rc._core.edges(faces, len(source))
    both = np.concatenate([edges, edges[:, ::-1]])
    length = np.linalg.norm(source[both[:, 0]] - source[both[:, 1]], axis=1)
    partner = np.arange(len(source))
    order = np.argsort(length, kind="stable")
    partner[both[order, 0]] = both[order, 1]  # the last write wins: the longest

    def frames(points: np.ndarray) -> np.ndarray:
        z = rc._core.vertex_normals(points, faces).astype(np.float64)
        x = points[partner].astype(np.float64) - points
        x -= (x * z).sum(axis=1, keepdims=True) * z
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        return np.stack([x, np.cross(z, x), z], axis=2)

    turn = frames(target) @ frames(source).transpose(0, 2, 1)
    return np.einsum("vij,kvj->kvi", turn, deltas)
