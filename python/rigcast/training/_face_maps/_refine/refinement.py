"""Refinement segments: rectangles of the texture around what the best coarse map leaves (Bailey 2020, 3.3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressCallback, as_callback
from rigcast.training._face_maps._layout.segments import REFINEMENT, Layout, MapSegment
from rigcast.training._face_maps._refine.clusters import MOST_CLUSTERS, clusters, elbow, nearest_center, spread
from rigcast.training._face_maps._refine.rectangles import SIDE, SMALLEST, Rectangle, rectangles_around, shares
from rigcast.training._face_maps._rows import some

Float64 = NDArray[np.float64]

MOST_SAMPLES = 256
ELBOW_SAMPLES = 32
LEAST_VERTICES = 64  # of a segment that is refined
WORTH = 0.03  # mm, RMS over samples and vertices: a segment that can be this good is not refined


def refinements(
    layout: Layout,
    offsets: NDArray[np.float32],
    *,
    unit_to_mm: float,
    influence: NDArray[np.bool_] | None = None,
    resolution: int = 64,
    seed: int = 0,
    threads: int = 0,
    squares: bool = False,
    progress: ProgressCallback | None = None,
) -> list[MapSegment]:
    """Refinement segments where a coarse map cannot show the motion.

    Method: the mean squared distance that the best coarse map leaves at each vertex (Bailey 2020, equation 3.2, with
    least squares), and k-means on texture coordinates with these as weights. A cluster starts with a square of a
    quarter of the texture's width, as in the source; squares within a fifth of their side from another one are left
    out. Then its sides move outward, to twice the width at most, until none has more than a hundredth of the cluster's
    error outside it (see :func:`grown`). Rectangles that would overlap are cut, with a gap of a sixteenth of the
    texture. Left out are those with no more vertices than texels of the coarse map. Vertices get the rectangle and its
    surroundings stretched to a whole map. The number of clusters, 10 at most, is at the elbow of what the best maps
    with their rectangles leave.
    Weights: 1 inside a rectangle, falling to 0 across a sixteenth of the texture outside of it, and blended where two
    rectangles meet (see :func:`shares`).
    Guarantee: the same bytes with every instruction set and number of threads.

    Parameters
    ----------
    layout : Layout
        Of :func:`lay_out`; its refinement segments are not looked at.
    offsets : (T, V, 3) array
        From the rest, in the rig's unit; of more than 256 samples, some drawn by ``seed``.
    unit_to_mm : float
    influence : (V, C) bool array, optional
        Columns that move each vertex. Default: all columns of the coarse segment.
    resolution : int
        Texels along each axis.
    seed, threads : int
    squares : bool
        Whether the source's squares are the segments: see :func:`square_segments`.
    progress : callable, optional

    Returns
    -------
    list of MapSegment
        Named ``NAME, detail N``.

    Raises
    ------
    ValueError
        If offsets have the wrong shape or are not finite, or ``unit_to_mm`` is not above 0.
    """
    check = Arguments("refinements")
    scale = check.number("unit_to_mm", unit_to_mm, above=0.0)
    moved = check.numbers("offsets", some(np.asarray(offsets), MOST_SAMPLES, seed), "T+ V 3", dtype=np.float32)
    report = as_callback(progress)
    result = []
    for number, segment in enumerate(layout.coarse):
        report(Progress("looking for details", number, len(layout.coarse), segment.name))
        if len(segment.vertices) < LEAST_VERTICES:
            continue
        own = np.ascontiguousarray(moved[:, segment.vertices]) * np.float32(scale)
        left = _core.map_residuals(segment.uvs, own, segment.resolution, segment.weights, threads)
        error = np.square(left, dtype=np.float64).sum(axis=2).mean(axis=0)
        if np.sqrt(error.mean()) >= WORTH and squares:
            result += square_segments(segment, error, influence, resolution)
        elif np.sqrt(error.mean()) >= WORTH:
            some_left = left[:: max(len(left) // ELBOW_SAMPLES, 1)]
            result += _details(segment, error, some_left, influence, resolution, threads)
    report(Progress("looking for details", len(layout.coarse), len(layout.coarse)))
    return result


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
    centers = tried[elbow([spread(segment.uvs, error, found) for found in tried])]
    nearest = nearest_center(segment.uvs, centers)
    found: list[MapSegment] = []
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


def _details(
    segment: MapSegment,
    error: Float64,
    left: NDArray[np.float32],
    influence: NDArray[np.bool_] | None,
    resolution: int,
    threads: int,
) -> list[MapSegment]:
    """The rectangles of a segment, given what the best coarse maps leave (T, M, 3) and its mean squares (M,)."""
    found, remaining = [], []
    for count in range(1, MOST_CLUSTERS + 1):
        details = _segments_of(segment, rectangles_around(segment.uvs, error, count), influence, resolution)
        after = fitted([_within(segment, detail) for detail in details], left, threads)
        found.append(details)
        remaining.append(float(np.sqrt(np.square(after, dtype=np.float64).sum(axis=2).mean())))
    return found[elbow(remaining)]


def _within(segment: MapSegment, detail: MapSegment) -> MapSegment:
    """A rectangle with vertices as places among those of its coarse segment."""
    return replace(detail, vertices=np.searchsorted(segment.vertices, detail.vertices))


def _segments_of(
    segment: MapSegment, rectangles: list[Rectangle], influence: NDArray[np.bool_] | None, resolution: int
) -> list[MapSegment]:
    """Segments of the rectangles in which vertices lie denser than texels, and that some column moves."""
    inputs = [_columns_inside(segment, rectangle, influence) for rectangle in rectangles]
    chosen = [i for i, own in enumerate(rectangles) if len(inputs[i]) and own.is_dense(segment.uvs, segment.resolution)]
    if not chosen:
        return []
    result = []
    weights, _ = shares([rectangles[i] for i in chosen], segment.uvs)
    for number, (i, share) in enumerate(zip(chosen, weights, strict=True), 1):
        kept = np.flatnonzero(share > SMALLEST)
        name, uvs = f"{segment.name}, detail {number}", rectangles[i].stretched(segment.uvs[kept])
        vertices, own = segment.vertices[kept], share[kept].astype(np.float32)
        corners = np.stack([rectangles[i].low, rectangles[i].high])
        result.append(MapSegment(name, REFINEMENT, vertices, uvs, own, inputs[i], resolution, corners))
    return result


def _columns_inside(
    segment: MapSegment, rectangle: Rectangle, influence: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    """Columns that move the rectangle itself: what moves its surroundings alone stays out of it."""
    if influence is None:
        return segment.columns
    inside = segment.vertices[rectangle.depth(segment.uvs) >= 0.0]
    return np.flatnonzero(influence[inside].any(axis=0)).astype(np.int64)


def fitted(segments: list[MapSegment], left: NDArray[np.float32], threads: int) -> NDArray[np.float32]:
    """The remainder that the best maps of segments leave of offsets (T, V, 3), fitted one after another, twice."""
    left = left.copy()
    shown = [np.zeros(0, np.float32)] * len(segments)
    for sweep in range(2):
        for number, segment in enumerate(segments):
            own = left[:, segment.vertices]
            own = np.ascontiguousarray(own + shown[number] if sweep else own)
            remains = _core.map_residuals(segment.uvs, own, segment.resolution, segment.weights, threads)
            left[:, segment.vertices], shown[number] = remains, own - remains
    return left
