"""Refinement segments: squares of the texture around clusters of what the best coarse map leaves (Bailey 2020, 3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright._validate import Arguments
from rigwright.training._face_maps._layout import REFINEMENT, Layout, MapSegment

Float64 = NDArray[np.float64]

SIDE = 0.25  # of the width of the texture
BORDER = 0.125  # of a square's side: the weight rises from 0 to 1 across it
MOST_CLUSTERS = 8  # that the elbow is sought among
MOST_SAMPLES = 256
LEAST_VERTICES = 64  # of a segment that is refined
WORTH = 0.05  # mm, RMS over samples: a segment whose every vertex can be this good is not refined
ROUNDS = 50


def refinements(
    layout: Layout,
    offsets: NDArray[np.float32],
    *,
    unit_to_mm: float,
    influence: NDArray[np.bool_] | None = None,
    resolution: int = 64,
    seed: int = 0,
    threads: int = 0,
) -> list[MapSegment]:
    """Refinement segments where a coarse map cannot show the motion.

    Method: the mean squared distance that the best coarse map leaves at each vertex (Bailey 2020, equation 3.2, with
    least squares), k-means on texture coordinates with these as weights, the number of clusters by the elbow. A
    cluster's square has a quarter of the texture's width; it is moved to the weighted mean of the vertices inside it.
    Its vertices get the square stretched to a whole map.
    Weights: a bump b rises from 0 at the border of the square to 1 across an eighth of its side (not where the square
    meets the border of the texture: no vertex lies beyond). A vertex in several squares has the weights b / max(1,
    sum of b): a sum of at most 1, continuous, 0 at the border of each square.
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
    result = []
    for segment in layout.coarse:
        if len(segment.vertices) < LEAST_VERTICES:
            continue
        own = np.ascontiguousarray(moved[:, segment.vertices]) * np.float32(scale)
        error = best_possible(segment, own, threads)
        if np.sqrt(error.max()) < WORTH:
            continue
        result += _squares(segment, error, influence, resolution)
    return result


def some(offsets: NDArray[np.float32], most: int, seed: int) -> NDArray[np.float32]:
    """At most so many samples, drawn without repetition, in their order."""
    if len(offsets) <= most:
        return offsets
    return offsets[np.sort(np.random.default_rng([seed, 7]).permutation(len(offsets))[:most])]


def best_possible(segment: MapSegment, offsets: NDArray[np.float32], threads: int) -> Float64:
    """The mean squared distance (M,) that the best maps of a segment leave of offsets (T, M, 3)."""
    left = _core.map_floor(segment.uvs, offsets, segment.resolution, segment.weights, threads)
    return np.asarray(np.square(left).mean(axis=0))


def _squares(
    segment: MapSegment, error: Float64, influence: NDArray[np.bool_] | None, resolution: int
) -> list[MapSegment]:
    centers = elbow([clusters(segment.uvs, error, count) for count in range(1, MOST_CLUSTERS + 1)])
    lows = [low for low in (_square(segment.uvs, error, center) for center in centers)]
    lows = [low for i, low in enumerate(lows) if not any(np.allclose(low, other) for other in lows[:i])]
    bumps = np.stack([bump(segment.uvs, low) for low in lows])
    shares = bumps / np.maximum(bumps.sum(axis=0), 1.0)
    result = []
    for share, low in zip(shares, lows, strict=True):
        inside = np.flatnonzero(share > 0.0)
        vertices = segment.vertices[inside]
        if influence is None:
            columns = segment.columns
        else:
            columns = np.flatnonzero(influence[vertices].any(axis=0)).astype(np.int64)
        if len(inside) < 3 or not len(columns):
            continue
        uvs = np.clip((segment.uvs[inside] - low) / SIDE, 0.0, 1.0)
        name, weights = f"{segment.name}, detail {len(result) + 1}", share[inside].astype(np.float32)
        result.append(MapSegment(name, REFINEMENT, vertices, uvs, weights, columns, resolution))
    return result


def clusters(uvs: Float64, weights: Float64, count: int) -> tuple[Float64, float]:
    """Centers (at most ``count``, 2) of weighted k-means, and their cost: the weighted squared distances.

    Starts are the point of largest weight, then the points of largest weighted squared distance. Sums go from vertex
    to vertex, so that the bytes are those of every machine.
    """
    centers = uvs[[int(weights.argmax())]]
    gap = np.square(uvs - centers[0]).sum(axis=1)
    while len(centers) < count and (weights * gap).max() > 0.0:
        centers = np.concatenate([centers, uvs[[int((weights * gap).argmax())]]])
        gap = np.minimum(gap, np.square(uvs - centers[-1]).sum(axis=1))
    label = np.full(len(uvs), -1)
    for _ in range(ROUNDS):
        nearest = np.stack([np.square(uvs - center).sum(axis=1) for center in centers]).argmin(axis=0)
        if (nearest == label).all():
            break
        label = nearest
        mass = np.bincount(label, weights, len(centers))
        sums = np.stack([np.bincount(label, weights * uvs[:, axis], len(centers)) for axis in range(2)], axis=1)
        centers = np.where(mass[:, None] > 0.0, sums / np.where(mass > 0.0, mass, 1.0)[:, None], centers)
    return centers, float(np.bincount(label, weights * np.square(uvs - centers[label]).sum(axis=1)).sum())


def elbow(found: list[tuple[Float64, float]]) -> Float64:
    """The centers at the elbow of the costs: farthest below the line from the first to the last, both scaled to 1."""
    costs = np.array([cost for _, cost in found])
    if len(found) < 3 or not costs[0] > costs[-1]:
        return found[0][0]
    along = np.arange(len(costs)) / (len(costs) - 1.0)
    fallen = (costs - costs[-1]) / (costs[0] - costs[-1])
    return found[int((along + fallen).argmin())][0]


def _square(uvs: Float64, weights: Float64, center: Float64) -> Float64:
    """The lower corner of a square: around the center, then around the weighted mean of the vertices inside it."""
    low = np.clip(center - 0.5 * SIDE, 0.0, 1.0 - SIDE)
    for _ in range(ROUNDS):
        inside = ((uvs >= low) & (uvs <= low + SIDE)).all(axis=1)
        mass = np.cumsum(weights[inside])
        if not len(mass) or not mass[-1] > 0.0:
            break
        mean = np.array([np.cumsum(weights[inside] * uvs[inside, axis])[-1] for axis in range(2)]) / mass[-1]
        new = np.clip(mean - 0.5 * SIDE, 0.0, 1.0 - SIDE)
        if (new == low).all():
            break
        low = new
    return low


def bump(uvs: Float64, low: Float64) -> Float64:
    """How much a square counts at coordinates (M, 2): 1 inside, 0 at its border and outside, smooth."""
    below = np.where(low > 0.0, (uvs - low) / (BORDER * SIDE), 1.0)
    above = np.where(low + SIDE < 1.0, (low + SIDE - uvs) / (BORDER * SIDE), 1.0)
    inside = np.clip(np.minimum(below, above).min(axis=1), 0.0, 1.0)
    return np.asarray(inside * inside * (3.0 - 2.0 * inside))


def refined_floor(layout: Layout, offsets: NDArray[np.float32], threads: int = 0) -> Float64:
    """Distances (T, V) that the best maps of a layout leave, in the unit of offsets (T, V, 3).

    Refinement maps are fitted to what the best coarse map leaves, one after another, twice. Vertices of no coarse
    segment have 0.
    """
    left = np.zeros(offsets.shape, np.float32)
    for segment in layout.coarse:
        own = np.ascontiguousarray(offsets[:, segment.vertices])
        left[:, segment.vertices] = _core.map_residuals(segment.uvs, own, segment.resolution, segment.weights, threads)
    fine = [segment for segment in layout.segments if segment.level == REFINEMENT]
    shown = [np.zeros(0)] * len(fine)
    for sweep in range(2):
        for number, segment in enumerate(fine):
            own = left[:, segment.vertices] + (shown[number] if sweep else 0.0)
            own = np.ascontiguousarray(own, np.float32)
            remains = _core.map_residuals(segment.uvs, own, segment.resolution, segment.weights, threads)
            left[:, segment.vertices], shown[number] = remains, own - remains
    return np.asarray(np.linalg.norm(left.astype(np.float64), axis=2))
