"""Spatiotemporal edge differences: how unevenly a mesh is stretched, and how its speed differs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments
from rigcast.perception._differences.surface import checked_triangles, per_vertex, triangle_areas, weighted_mean

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
VERTICES_AT_ONCE = 1024  # whose neighborhoods are in memory
TINY = 1e-300  # in place of lengths that are 0


@dataclass(frozen=True)
class EdgeDifferenceSettings:
    """Settings of :func:`edge_difference`.

    Attributes
    ----------
    radius : float
        Of a vertex' neighborhood, in parts of the diagonal of the mesh's box.
    time_step : float
        Length of a frame along the time axis, in parts of the diagonal: slower vertices count as resting.
    temporal_weight : float
        Of the temporal part in the whole.

    Examples
    --------
    >>> rc.perception.EdgeDifferenceSettings().radius
    0.02
    """

    radius: float = 0.02
    time_step: float = 0.001
    temporal_weight: float = 0.1

    def __post_init__(self) -> None:
        check = Arguments("EdgeDifferenceSettings")
        check.number("radius", self.radius, above=0.0, most=1.0)
        check.number("time_step", self.time_step, above=0.0)
        check.number("temporal_weight", self.temporal_weight, least=0.0)


@dataclass(frozen=True)
class EdgeDifference:
    """Differences of edges; all are without unit.

    Attributes
    ----------
    spatial : float
        Deviation of the edges' relative stretch within neighborhoods, mean over area and frames.
    temporal : float
        Mean relative difference of the vertices' ways through space and time; 0 for one frame.
    total : float
        ``sqrt(spatial^2 + (temporal_weight temporal)^2)``.
    """

    spatial: float
    temporal: float
    total: float


def edge_difference(
    truth: ArrayLike,
    approximation: ArrayLike,
    faces: ArrayLike,
    settings: EdgeDifferenceSettings | None = None,
) -> EdgeDifference:
    """Compare two animations of a mesh by the stretch of their edges, as people notice bumps and jitter.

    After the spatiotemporal edge difference (STED) of Vasa and Skala 2011. A shift of the whole mesh costs nothing; a
    stretch that varies within a neighborhood costs much. Ours: neighborhoods are balls, and edges count
    by their area, so that the measure does not depend on how dense the mesh is; the settings are not the authors'.

    Parameters
    ----------
    truth, approximation : (V, 3) or (T, V, 3) array
    faces : (F, 3) or (F, 4) integers
        -1 pads triangles.
    settings : EdgeDifferenceSettings, optional

    Returns
    -------
    EdgeDifference

    Raises
    ------
    ValueError
        If shapes do not fit, a vertex is not finite, or there is no face.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> shifted = face.rest_vertices + np.float32([1, 0, 0])
    >>> rc.perception.edge_difference(face.rest_vertices, shifted, face.faces).total < 1e-4
    True
    """
    check = Arguments("edge_difference")
    settings = settings or EdgeDifferenceSettings()
    exact = check.numbers("truth", truth, "V 3", "T+ V 3")
    guess = check.numbers("approximation", approximation, "V 3", "T+ V 3")
    if exact.shape != guess.shape:
        raise check.wrong("approximation", f"of shape {guess.shape}", f"of shape {exact.shape}, as truth is")
    exact, guess = (mesh.reshape(-1, *mesh.shape[-2:]) for mesh in (exact, guess))
    corners = checked_triangles("edge_difference", faces, exact.shape[1])
    if not len(corners):
        raise check.wrong("faces", "without a face", "a mesh")
    diagonal = float(np.linalg.norm(np.ptp(exact[0], axis=0)))
    if diagonal == 0.0:
        raise check.wrong("truth", "a single point", "a mesh of some size")
    areas = triangle_areas(exact[0], corners)
    weights = per_vertex(areas, corners, exact.shape[1])
    spatial = weighted_mean(_spatial(exact, guess, corners, areas, settings.radius * diagonal), weights)
    temporal = _temporal(exact / diagonal, guess / diagonal, weights, settings.time_step)
    return EdgeDifference(spatial, temporal, float(np.hypot(spatial, settings.temporal_weight * temporal)))


def _temporal(exact: Float64, guess: Float64, weights: Float64, step: float) -> float:
    if len(exact) == 1:
        return 0.0
    ways = [np.sqrt(np.square(np.diff(mesh, axis=0)).sum(axis=2) + step**2) for mesh in (exact, guess)]
    return weighted_mean(np.abs(ways[1] / ways[0] - 1.0).mean(axis=0), weights)


def _spatial(exact: Float64, guess: Float64, corners: NDArray[np.int32], areas: Float64, radius: float) -> Float64:
    """(V,) mean over the frames of the deviation of the stretch of the edges around each vertex."""
    ends, weights = _edges(corners, areas)
    stretch = np.empty((len(exact), len(ends)))
    for t, (before, after) in enumerate(zip(exact, guess, strict=True)):
        lengths = [np.linalg.norm(mesh[ends[:, 1]] - mesh[ends[:, 0]], axis=1) for mesh in (before, after)]
        stretch[t] = np.where(lengths[0] > 0.0, lengths[1] / np.maximum(lengths[0], TINY) - 1.0, 0.0)
    middles = 0.5 * (exact[0][ends[:, 0]] + exact[0][ends[:, 1]])
    result = np.zeros(exact.shape[1])
    for vertices, owner, edge in _neighborhoods(exact[0], middles, radius):
        share, count = weights[edge], len(vertices)
        total = np.maximum(np.bincount(owner, share, count), TINY)
        for row in stretch:
            mean = np.bincount(owner, share * row[edge], count) / total
            variance = np.bincount(owner, share * np.square(row[edge] - mean[owner]), count) / total
            result[vertices] += np.sqrt(variance)
    return result / len(exact)


def _edges(corners: NDArray[np.int32], areas: Float64) -> tuple[Int64, Float64]:
    """Ends (E, 2) of the edges, and a third of the areas of their triangles."""
    pairs = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64), axis=1)
    ends, place = np.unique(pairs, axis=0, return_inverse=True)
    return ends, np.bincount(place.ravel(), np.repeat(areas / 3.0, 3), len(ends))


def _neighborhoods(vertices: Float64, middles: Float64, radius: float) -> Iterator[tuple[Int64, Int64, Int64]]:
    """Some vertices at a time, with the edges within the radius of each: place in the vertices, and edge.

    Points are sorted by the cells of a grid with the radius as its side; a vertex meets those of 27 cells.
    """
    low = np.minimum(vertices.min(axis=0), middles.min(axis=0)) - 2.0 * radius
    cells, own = (np.floor((points - low) / radius).astype(np.int64) for points in (middles, vertices))
    side = np.maximum(cells.max(axis=0), own.max(axis=0)) + 3
    strides = np.array([1, side[0], side[0] * side[1]])
    keys = cells @ strides
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    for begin in range(0, len(vertices), VERTICES_AT_ONCE):
        some = np.arange(begin, min(begin + VERTICES_AT_ONCE, len(vertices)))
        owners, edges = [], []
        for step in itertools.product((-1, 0, 1), repeat=3):
            key = (own[some] + np.array(step)) @ strides
            first, last = np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right")
            count = last - first
            owner = np.repeat(np.arange(len(some)), count)
            inside = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
            edge = order[np.repeat(first, count) + inside]
            near = np.square(vertices[some[owner]] - middles[edge]).sum(axis=1) <= radius**2
            owners.append(owner[near])
            edges.append(edge[near])
        yield some, np.concatenate(owners), np.concatenate(edges)
