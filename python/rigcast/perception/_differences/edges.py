"""Spatiotemporal edge differences: how unevenly a mesh is stretched, and how its speed differs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments
from rigcast.perception._differences.surface import (
    centroids,
    checked_triangles,
    per_vertex,
    triangle_areas,
    weighted_mean,
)

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
POINTS_PER_CELL = 4  # along each axis, at least
TINY = 1e-300  # in place of lengths that are 0


@one_line
@dataclass(frozen=True, kw_only=True)
class EdgeDifferenceSettings:
    """Settings of :func:`edge_difference`.

    Attributes
    ----------
    cell : float
        Side of a cell of space, in parts of the diagonal of the mesh's box; a neighborhood is a cell and the 26 around
        it.
    time_step : float
        Length of a frame along the time axis, in parts of the diagonal: slower vertices count as resting.
    temporal_weight : float
        Of the temporal part in the whole.

    Examples
    --------
    >>> rc.perception.EdgeDifferenceSettings().cell
    0.03
    """

    cell: float = 0.03
    time_step: float = 0.001
    temporal_weight: float = 0.1

    def __post_init__(self) -> None:
        check = Arguments("EdgeDifferenceSettings")
        check.number("cell", self.cell, least=1e-3, most=1.0)
        check.number("time_step", self.time_step, above=0.0)
        check.number("temporal_weight", self.temporal_weight, least=0.0)


@one_line
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
    *,
    settings: EdgeDifferenceSettings | None = None,
) -> EdgeDifference:
    """Compare two animations of a mesh by the stretch of their edges, as people notice bumps and jitter.

    After the spatiotemporal edge difference (STED) of Vasa and Skala 2011. A shift of the whole mesh costs nothing; a
    stretch that varies within a neighborhood costs much. Ours: neighborhoods are cells of space in the first frame
    of the truth, and an edge counts with the area of its triangles, so that the measure hardly depends on how dense the
    mesh is; the settings are not the authors'.

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
    spatial = _spatial(exact, guess, corners, areas, settings.cell * diagonal)
    temporal = _temporal(exact / diagonal, guess / diagonal, weights, settings.time_step)
    return EdgeDifference(spatial, temporal, float(np.hypot(spatial, settings.temporal_weight * temporal)))


def _temporal(exact: Float64, guess: Float64, weights: Float64, step: float) -> float:
    if len(exact) == 1:
        return 0.0
    ways = [np.sqrt(np.square(np.diff(mesh, axis=0)).sum(axis=2) + step**2) for mesh in (exact, guess)]
    return weighted_mean(np.abs(ways[1] / ways[0] - 1.0).mean(axis=0), weights)


def _spatial(exact: Float64, guess: Float64, corners: NDArray[np.int32], areas: Float64, side: float) -> float:
    """The mean over area and frames of the deviation of the edges' stretch around each cell.

    A triangle's edges stretch everywhere in the triangle: its area is shared out to the cells that it lies in.
    """
    points, owner, count = centroids(exact[0], corners, side / POINTS_PER_CELL)
    weights = areas[owner] / count
    cell, around = _cells(points, side)
    cells = len(around)

    def gathered(values: Float64) -> Float64:
        own = np.append(np.bincount(cell, weights * values[owner], cells), 0.0)  # the last one stands for empty cells
        return np.asarray(own[around].sum(axis=1))

    total, share = (
        np.maximum(gathered(np.ones(len(corners))), TINY),
        np.bincount(cell, weights, cells).astype(np.float64),
    )
    deviations = []
    for before, after in zip(exact, guess, strict=True):
        stretch = _stretch(before, after, corners)
        stretch -= weighted_mean(stretch.mean(axis=1), areas)  # changes no deviation, and leaves small squares
        mean = gathered(stretch.mean(axis=1)) / total
        variance = gathered(np.square(stretch).mean(axis=1)) / total - np.square(mean)
        deviations.append(weighted_mean(np.sqrt(np.maximum(variance, 0.0)), share))
    return float(np.mean(deviations))


def _stretch(before: Float64, after: Float64, corners: NDArray[np.int32]) -> Float64:
    """(N, 3) relative stretch of the edges of the triangles; 0 if an edge has no length before."""
    lengths = [np.linalg.norm(mesh[corners] - mesh[np.roll(corners, -1, axis=1)], axis=2) for mesh in (before, after)]
    return np.where(lengths[0] > 0.0, lengths[1] / np.maximum(lengths[0], TINY) - 1.0, 0.0)


def _cells(points: Float64, side: float) -> tuple[Int64, Int64]:
    """The cell (E,) of each point among those C that have some, and their neighbors (C, 27); C stands for none."""
    place = np.floor((points - points.min(axis=0)) / side).astype(np.int64) + 1
    span = place.max(axis=0) + 2
    strides = np.array([1, span[0], span[0] * span[1]])
    keys, cell = np.unique(place @ strides, return_inverse=True)
    steps = np.array(list(itertools.product((-1, 0, 1), repeat=3))) @ strides
    wanted = keys[:, None] + steps
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return cell.ravel(), np.where(keys[found] == wanted, found, len(keys))
