"""Deformation transfer as published, with the fourth vertices kept, in dense NumPy."""

from __future__ import annotations

import numpy as np


def slow_triangles(faces: np.ndarray) -> list[tuple[tuple[int, int, int], float]]:
    """Corners and shares: a quad along both diagonals, each of its four triangles by half."""
    result = []
    for a, b, c, d in faces:
        if d < 0:
            result.append(((a, b, c), 1.0))
        else:
            result += [(t, 0.5) for t in [(a, b, c), (a, c, d), (a, b, d), (b, c, d)]]
    return result


def frame(points: np.ndarray, triangle: tuple[int, int, int]) -> np.ndarray:
    a, b, c = points[list(triangle)].astype(np.float64)
    n = np.cross(b - a, c - a)
    return np.stack([b - a, c - a, n / np.sqrt(np.linalg.norm(n))], axis=1)


def slow_transfer(source, shape, target, faces, fixed) -> np.ndarray:
    """Minimize sum area |T - S|^2 over vertices and fourth vertices; fixed vertices stay. One shape, V x 3."""
    triangles = slow_triangles(faces)
    num = len(source) + len(triangles)
    rows, right = [], []
    for f, (triangle, share) in enumerate(triangles):
        gradient = frame(shape, triangle) @ np.linalg.inv(frame(source, triangle))
        own = frame(target, triangle)
        area = 0.5 * np.linalg.norm(np.cross(own[:, 0], own[:, 1])) * share
        inverse = np.linalg.inv(own)
        row = np.zeros((3, num))
        for j, vertex in enumerate([triangle[1], triangle[2], len(source) + f]):
            row[:, vertex] += inverse[j]
            row[:, triangle[0]] -= inverse[j]
        rows.append(np.sqrt(area) * row)
        right.append(np.sqrt(area) * gradient.T)
    matrix, rhs = np.concatenate(rows), np.concatenate(right)
    free = np.setdiff1d(np.arange(num), fixed)
    rhs = rhs - matrix[:, fixed] @ target[fixed].astype(np.float64)
    result = np.zeros((num, 3))
    result[fixed] = target[fixed]
    result[free] = np.linalg.lstsq(matrix[:, free], rhs, rcond=None)[0]
    return result[: len(source)]
