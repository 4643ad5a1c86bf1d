"""Distances along a surface by the heat method."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import SparseCholesky
from rigcast._hashing import padded_faces
from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]

SETS_AT_ONCE = 16


def heat_distances(vertices: ArrayLike, faces: ArrayLike, sources: ArrayLike) -> Float64:
    """Geodesic distances from sets of vertices by the heat method (Crane et al. 2013).

    Heat flows from the sources for a short time t, the squared mean edge length: ``(A + t L) u = sources``. Its
    gradient, normalized to X, points to them everywhere; the distance is the function whose gradient fits -X best:
    ``L d = -div X`` (algorithm 1). L is the cotangent Laplacian, A the vertex areas. Both systems are factored once.

    Parameters
    ----------
    vertices : array_like, shape (V, 3)
    faces : array_like, shape (F, 3) or (F, 4)
        Quads count as two triangles; faces without area are left out.
    sources : (S, V) bool

    Returns
    -------
    (S, V) float64
        At least 0. Infinite on parts of the mesh without a source of the set, except 0 at loose sources.

    Raises
    ------
    ValueError
        If no face has an area, or ``sources`` does not fit.
    """
    points = np.asarray(vertices, np.float64)
    started = np.asarray(sources, bool)
    if started.ndim != 2 or started.shape[1] != len(points):
        raise bad_argument("heat_distances", "sources", f"of shape {started.shape}", f"of shape (S, {len(points)})")
    triangles, edges, normals, area = _solid_triangles(points, faces)
    cotangents = -np.einsum("fci,fci->fc", edges[:, [1, 2, 0]], edges[:, [2, 0, 1]]) / (2 * area[:, None])
    vertex_area = np.bincount(triangles.ravel(), np.repeat(area / 3, 3), len(points))
    time = np.linalg.norm(edges, axis=2).mean() ** 2
    # a loose vertex has no area, and every part of the mesh floats freely in the second system
    heat_flow = _system(triangles, time * cotangents, np.where(vertex_area > 0, vertex_area, vertex_area.mean()))
    poisson = _system(triangles, cotangents, np.full(len(points), 1e-9 * np.abs(cotangents).mean()))
    rotated = np.cross(normals[:, None], edges)  # gradients of the corners' hat functions times twice the area
    distance = np.empty(started.shape)
    for first in range(0, len(started), SETS_AT_ONCE):
        part = slice(first, first + SETS_AT_ONCE)
        heat = heat_flow.solve(started[part].T.astype(np.float64))
        slope = np.einsum("fci,fcs->fsi", rotated, heat[triangles])
        slope /= np.maximum(np.linalg.norm(slope, axis=2, keepdims=True), np.finfo(np.float64).tiny)
        flow = 0.5 * np.einsum("fci,fsi->sfc", rotated, slope).reshape(slope.shape[1], -1)
        divergence = [np.bincount(triangles.ravel(), own, len(points)) for own in flow]
        distance[part] = poisson.solve(-np.array(divergence).T).T
    return _from_sources(distance, started, connected_parts(triangles, len(points)))


def connected_parts(triangles: NDArray[np.int32], num_vertices: int) -> NDArray[np.int64]:
    """Return (V,): the smallest vertex of the part of the mesh that each vertex belongs to."""
    part = np.arange(num_vertices)
    while True:
        before = part.copy()
        lowest = part[triangles].min(axis=1)
        np.minimum.at(part, part[triangles].ravel(), np.repeat(lowest, 3))
        part = part[part]
        if np.array_equal(part, before):
            return np.asarray(part)


def _solid_triangles(points: Float64, faces: ArrayLike) -> tuple[NDArray[np.int32], Float64, Float64, Float64]:
    """Triangles that have an area, their edges opposite to each corner, unit normals and areas."""
    corners = padded_faces(faces, "heat_distances")
    quads = corners[corners[:, 3] >= 0]
    triangles = np.concatenate([corners[:, :3], quads[:, [0, 2, 3]]])
    place = points[triangles]
    edges = place[:, [2, 0, 1]] - place[:, [1, 2, 0]]
    normals = np.cross(edges[:, 0], edges[:, 1])
    doubled = np.linalg.norm(normals, axis=1)
    solid = doubled > 1e-12 * max(doubled.max(initial=0.0), np.finfo(np.float64).tiny)
    if not solid.any():
        raise bad_argument("heat_distances", "faces", "without area", "a surface")
    return triangles[solid], edges[solid], normals[solid] / doubled[solid, None], doubled[solid] / 2


def _system(triangles: NDArray[np.int32], cotangents: Float64, diagonal: Float64) -> SparseCholesky:
    """``diag(diagonal) + L`` with ``L_ij = -(cot + cot) / 2`` over the corners opposite to edge ij, factored."""
    i, j = triangles[:, [1, 2, 0]].ravel(), triangles[:, [2, 0, 1]].ravel()
    half = 0.5 * cotangents.ravel()
    every = np.arange(len(diagonal))
    rows = np.concatenate([i, j, i, j, every])
    columns = np.concatenate([j, i, i, j, every])
    values = np.concatenate([-half, -half, half, half, diagonal])
    return SparseCholesky(rows, columns, values, len(diagonal))


def _from_sources(distance: Float64, started: NDArray[np.bool_], part: NDArray[np.int64]) -> Float64:
    """Distances that start at 0 in every part with a source, infinite elsewhere."""
    lowest = np.full(distance.shape, np.inf)
    reached = np.zeros(distance.shape, bool)
    for s in range(len(distance)):
        np.minimum.at(lowest[s], part, distance[s])
        reached[s, part[started[s]]] = True
    return np.where(reached[:, part], distance - lowest[:, part], np.inf)
