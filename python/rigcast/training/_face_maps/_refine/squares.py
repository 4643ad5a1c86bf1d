"""Refinement segments as published: squares of the texture around the centers of k-means (Bailey 2020, section 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._layout.segments import REFINEMENT, MapSegment
from rigcast.training._face_maps._refine.rectangles import SIDE, clusters, nearest_center

Float64 = NDArray[np.float64]

MOST_CLUSTERS = 10  # that the elbow is sought among


def square_segments(
    segment: MapSegment, error: Float64, influence: NDArray[np.bool_] | None, resolution: int
) -> list[MapSegment]:
    """Segments of the vertices nearest to each center of k-means, inside the square of a quarter of the texture.

    Each vertex is in one segment at most, with a weight of 1. The square is stretched to the whole map. The number of
    clusters, 10 at most, is at the elbow of the weighted squared distances from the centers.

    Parameters
    ----------
    segment : MapSegment
        Coarse.
    error : (M,) array
        Mean squared distances that the best coarse map leaves (equation 3.2): the weights of k-means.
    influence : (V, C) bool array or None
        Columns that move each vertex; None: each segment has the columns of the coarse one.
    resolution : int
    """
    tried = [clusters(segment.uvs, error, count) for count in range(1, MOST_CLUSTERS + 1)]
    centers = tried[elbow([_spread(segment.uvs, error, found) for found in tried])]
    nearest, found = nearest_center(segment.uvs, centers), []
    for number, center in enumerate(centers):
        low = center - 0.5 * SIDE
        places = (segment.uvs - low) / SIDE
        inside = np.flatnonzero((nearest == number) & ((places >= 0.0) & (places <= 1.0)).all(axis=1))
        vertices = segment.vertices[inside]
        columns = segment.columns if influence is None else np.flatnonzero(influence[vertices].any(axis=0))
        if not len(vertices) or not len(columns):
            continue
        ones = np.ones(len(inside), np.float32)
        name, corners = f"{segment.name}, detail {len(found) + 1}", np.stack([low, low + SIDE])
        found.append(
            MapSegment(name, REFINEMENT, vertices, places[inside], ones, columns.astype(np.int64), resolution, corners)
        )
    return found


def elbow(costs: list[float]) -> int:
    """The place of the elbow of falling costs: farthest below the line from the first to the lowest, scaled to 1."""
    fallen = np.array(costs)
    low = fallen.min()
    if len(costs) < 3 or not fallen[0] > low:
        return 0
    along = np.arange(len(costs)) / (len(costs) - 1.0)
    return int((along + (fallen - low) / (fallen[0] - low)).argmin())


def _spread(uvs: Float64, weights: Float64, centers: Float64) -> float:
    """The weighted sum of squared distances from the nearest centers, the same on every machine."""
    gaps = np.square(uvs - centers[nearest_center(uvs, centers)]).sum(axis=1)
    return float(np.cumsum(weights * gaps)[-1])
