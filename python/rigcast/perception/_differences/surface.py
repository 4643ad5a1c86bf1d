"""Areas of a mesh's vertices, as they are and as a camera sees them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast.metrics._distortion import triangles

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
MOST_CUTS = 64  # of an edge
TINY = 1e-300  # in place of 0


def checked_triangles(function: str, faces: ArrayLike, num_vertices: int) -> Int32:
    """(N, 3) triangles of faces, quads cut in two; each corner is a vertex."""
    return triangles(padded_faces(faces, function, num_vertices))


def triangle_areas(vertices: Float64, corners: Int32) -> Float64:
    """(N,) areas."""
    first, second, third = (vertices[corners[:, k]] for k in range(3))
    return np.asarray(0.5 * np.linalg.norm(np.cross(second - first, third - first), axis=1))


def facing_areas(places: Float64, corners: Int32) -> Float64:
    """(N,) areas of triangles in a picture (V, 2); 0 if a triangle is seen from behind or lies behind the camera.

    Counterclockwise from outside is clockwise in pixels, whose y points down: the sign is turned around.
    """
    first, second, third = (places[corners[:, k]] for k in range(3))
    a, b = second - first, third - first
    area = 0.5 * (a[:, 1] * b[:, 0] - a[:, 0] * b[:, 1])
    return np.asarray(np.maximum(np.nan_to_num(area), 0.0))


def per_vertex(areas: Float64, corners: Int32, num_vertices: int) -> Float64:
    """(V,) a third of each triangle's area to each of its corners."""
    shares = np.repeat(areas / 3.0, 3)
    return np.bincount(corners.ravel(), weights=shares, minlength=num_vertices).astype(np.float64)


def weighted_mean(values: Float64, weights: Float64) -> float:
    """Mean with weights >= 0; the plain mean if all are 0."""
    total = float(weights.sum())
    return float((values * weights).sum() / total) if total > 0.0 else float(values.mean())


def cuts_of(vertices: Float64, corners: Int32, step: float) -> NDArray[np.int64]:
    """(N,) pieces of equal length that each triangle's edges are cut into, so that none is longer than ``step``."""
    ends = vertices[corners]
    longest = np.linalg.norm(ends - np.roll(ends, -1, axis=1), axis=2).max(axis=1)
    return np.asarray(np.clip(np.ceil(longest / max(step, TINY)), 1, MOST_CUTS), np.int64)


def grid_points(vertices: Float64, corners: Int32, step: float) -> Float64:
    """Points (P, 3) of a surface, its vertices among them, at most ``step`` apart along the edges."""
    cuts, points = cuts_of(vertices, corners, step), []
    for count in np.unique(cuts):
        i, j = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        u, v = i[i + j <= count] / count, j[i + j <= count] / count
        points.append(_mixed(vertices, corners[cuts == count], u, v).reshape(-1, 3))
    return np.concatenate(points)


def centroids(vertices: Float64, corners: Int32, step: float) -> tuple[Float64, NDArray[np.int64], NDArray[np.int64]]:
    """Centers (P, 3) of equal parts of the triangles with sides of at most ``step``.

    Also the triangle (P,) of each, and the number (P,) of parts of that triangle.
    """
    cuts = cuts_of(vertices, corners, step)
    points, owners, counts = [], [], []
    for count in np.unique(cuts):
        i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
        upright, turned = i + j < count, i + j < count - 1
        u = np.concatenate([i[upright] + 1.0 / 3.0, i[turned] + 2.0 / 3.0]) / count
        v = np.concatenate([j[upright] + 1.0 / 3.0, j[turned] + 2.0 / 3.0]) / count
        some = np.flatnonzero(cuts == count)
        points.append(_mixed(vertices, corners[some], u, v).reshape(-1, 3))
        owners.append(np.repeat(some, len(u)))
        counts.append(np.full(len(u) * len(some), count**2))
    return np.concatenate(points), np.concatenate(owners), np.concatenate(counts)


def _mixed(vertices: Float64, corners: Int32, u: Float64, v: Float64) -> Float64:
    """Points (N, P, 3) of triangles at barycentric coordinates."""
    shares = np.stack([1.0 - u - v, u, v], axis=1)
    return np.asarray(np.einsum("pk,nkc->npc", shares, vertices[corners]))
