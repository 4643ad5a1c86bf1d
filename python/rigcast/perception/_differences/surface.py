"""Areas of a mesh's vertices, as they are and as a camera sees them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast.metrics._distortion import triangles

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


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
