"""Geometry of a triangle mesh for the generator of correctives: normals, neighbors, swept volume."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class TriangleMesh:
    """Triangles and directed edges of a mesh, quads split along their first diagonal.

    Attributes
    ----------
    num_vertices : int
    triangles : (F, 3) array
    edges : (E, 2) array
        Both directions of every edge, each once.
    """

    num_vertices: int
    triangles: Int64
    edges: Int64

    @staticmethod
    def of(faces: NDArray[np.int32], num_vertices: int) -> TriangleMesh:
        """From faces (F, 3) or (F, 4), -1 pads triangles."""
        corners = np.asarray(faces, np.int64)
        triangles = [corners[:, :3]]
        if corners.shape[1] == 4:
            triangles.append(corners[corners[:, 3] >= 0][:, [0, 2, 3]])
        merged = np.concatenate(triangles)
        pairs = merged[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        keys = np.unique(both[:, 0] * num_vertices + both[:, 1])
        return TriangleMesh(num_vertices, merged, np.stack([keys // num_vertices, keys % num_vertices], axis=1))

    def normals(self, vertices: Float64) -> Float64:
        """Unit vertex normals (V, 3), weighted by area; zero where a vertex has no triangle."""
        area = area_vectors(vertices[self.triangles])
        sums = np.stack([self._gather(np.repeat(area[:, axis], 3)) for axis in range(3)], axis=1)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(np.divide(sums, length, out=np.zeros_like(sums), where=length > 0))

    def smooth(self, values: Float64, rounds: int) -> Float64:
        """Values (V,), each the mean of itself and its neighbors' mean, ``rounds`` times over."""
        start, end = self.edges.T
        degree = np.bincount(start, minlength=self.num_vertices)
        for _ in range(rounds):
            around = np.bincount(start, values[end], self.num_vertices) / np.maximum(degree, 1)
            values = np.where(degree > 0, 0.5 * (values + around), values)
        return values

    def spread(self, field: Float64, held: NDArray[np.bool_], steps: int, decay: float) -> Float64:
        """Let a vector field (V, 3) fade into the neighborhood: ``held`` vertices keep theirs, others take ``decay``
        times the mean of their neighbors, ``steps`` times over."""
        start, end = self.edges.T
        degree = np.maximum(np.bincount(start, minlength=self.num_vertices), 1)
        kept = np.flatnonzero(held)
        result = np.zeros((3, self.num_vertices))  # by axes: bincount reads rows
        result[:, kept] = field[kept].T
        moving = held.copy()
        for _ in range(steps):
            reached = np.flatnonzero(moving[end])
            near, source = start[reached], end[reached]
            sums = np.stack([np.bincount(near, axis[source], self.num_vertices) for axis in result])
            result = decay * sums / degree
            result[:, kept] = field[kept].T
            moving[near] = True
        return np.ascontiguousarray(result.T)

    def _gather(self, corner_values: Float64) -> Float64:
        sums = np.bincount(self.triangles.reshape(-1), corner_values, self.num_vertices)
        return np.asarray(sums, np.float64)


def area_vectors(corners: Float64) -> Float64:
    """Half cross products (F, 3) of triangles (F, 3, 3)."""
    return np.asarray(0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def corner_mean(corners: Float64) -> Float64:
    """Mean over the corners (F, 3, ...) of each triangle; NumPy's is many times slower over so short an axis."""
    return np.asarray((corners[:, 0] + corners[:, 1] + corners[:, 2]) / 3)


def swept_volume(before: Float64, after: Float64) -> Float64:
    """Volume (F,) that each triangle sweeps on its straight way from ``before`` to ``after`` (F, 3, 3), outward > 0.

    The integral of displacement times area vector over time, by Simpson's rule, exact for the quadratic area vector;
    the displacement is the mean of the three corners'.
    """
    motion = corner_mean(after - before)
    area = area_vectors(before) + 4 * area_vectors(0.5 * (before + after)) + area_vectors(after)
    return np.asarray((motion * area).sum(axis=1) / 6)
