"""Coarse maps of their own for refined squares: inside one, only controls that move the square act.

A coarse network mixes its inputs, so a control that moves any vertex of a segment moves all of them a little. A square
that is refined becomes a region: its coarse map reads the controls that move the square, and blends with the segment's
around the square. With d the depth of a vertex in square Q, negative outside (squares are at least ``GAP`` apart),

    a_Q = smooth(1 + d / GAP), r = prod (1 - a_Q), weight of region Q: a_Q (1 - r) / sum a, of the remainder: r.

The weights of a vertex have a sum of 1; inside of Q that of Q is 1. So a control that moves no vertex of a square in
the rig moves none there in the model, by exactly nothing, whatever else is turned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigwright.training._face_maps._charts import FRAMES, floors_of, stretched
from rigwright.training._face_maps._layout import COARSE, Floors, Layout, MapSegment
from rigwright.training._face_maps._refinement import GAP, SIDE, depth, smooth, some

Float64 = NDArray[np.float64]

RESOLUTION = 16  # of a region's map: finer than a segment's 32 over the whole texture
SMALLEST = 1e-6  # weights below are 0


def with_regions(
    layout: Layout, offsets: NDArray[np.float32], influence: NDArray[np.bool_], *, unit_to_mm: float, seed: int = 0,
    threads: int = 0,
) -> Layout:  # fmt: skip
    """Cut each coarse segment with refinement squares into regions, one per square, and the remainder.

    Parameters
    ----------
    layout : Layout
        With refinement segments.
    offsets : (T, V, 3) array
        From the rest, in the rig's unit: floors of the regions are those of some of these samples.
    influence : (V, C) bool array
        Columns that move each vertex.
    unit_to_mm : float
    seed, threads : int

    Returns
    -------
    Layout
        Coarse segments named as before, or ``NAME, region N`` for ``NAME, detail N``.
    """
    frames = some(np.asarray(offsets), FRAMES, seed) * np.float32(unit_to_mm)
    fine = [segment for segment in layout.segments if segment.level != COARSE]
    coarse: list[MapSegment] = []
    floors: list[Floors] = []
    before: list[Float64] = []
    for segment, floor, uvs in zip(layout.coarse, layout.floors, layout.original_uvs, strict=True):
        squares = [square for square in fine if np.isin(square.vertices, segment.vertices).all()]
        for region in _cut(segment, squares, influence):
            inside = np.searchsorted(segment.vertices, region.vertices)
            own = np.ascontiguousarray(frames[:, region.vertices])
            whole = region.name == segment.name
            coarse.append(region)
            floors.append(floor if whole else floors_of(region.name, region.uvs, own, region.resolution, threads))
            before.append(uvs if len(inside) == len(segment.vertices) else stretched(uvs[inside]))
    return replace(layout, segments=[*coarse, *fine], floors=floors, original_uvs=before)


def _cut(segment: MapSegment, squares: list[MapSegment], influence: NDArray[np.bool_]) -> list[MapSegment]:
    """The remainder of a segment, then the regions of its squares; the segment itself without squares."""
    if not squares:
        return [segment]
    lows = [_low(segment, square) for square in squares]
    near = np.stack([smooth(1.0 + depth(segment.uvs, lows, number) / GAP) for number in range(len(lows))])
    rest = np.prod(1.0 - near, axis=0)
    shares = near * ((1.0 - rest) / np.maximum(near.sum(axis=0), SMALLEST))
    found = []
    if (rest > SMALLEST).any():
        kept = np.flatnonzero(rest > SMALLEST)
        columns = _columns_outside(segment, rest, shares, squares, influence)
        found.append(_part(segment, segment.name, kept, segment.uvs[kept], rest, columns, segment.resolution))
    for square, low, share in zip(squares, lows, shares, strict=True):
        kept = np.flatnonzero(share > SMALLEST)
        uvs = np.clip((segment.uvs[kept] - low + GAP) / (SIDE + 2.0 * GAP), 0.0, 1.0)
        name = square.name.replace(", detail ", ", region ")
        found.append(_part(segment, name, kept, uvs, share, square.columns, RESOLUTION))
    return found


def _columns_outside(
    segment: MapSegment, rest: Float64, shares: Float64, squares: list[MapSegment], influence: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Columns of the remainder: those that move a vertex which it moves alone, or which no region there reads."""
    moving = influence[segment.vertices]
    own = moving[rest > 1.0 - SMALLEST].any(axis=0)
    seen = np.zeros_like(moving)
    for square, share in zip(squares, shares, strict=True):
        seen[np.ix_(share > SMALLEST, square.columns)] = True
    unseen = (moving & ~seen)[rest > SMALLEST].any(axis=0)
    return np.flatnonzero(own | unseen).astype(np.int64)


def _part(
    segment: MapSegment, name: str, kept: NDArray[np.intp], uvs: Float64, share: Float64,
    columns: NDArray[np.int64], resolution: int,
) -> MapSegment:  # fmt: skip
    weights = share[kept].astype(np.float32)
    return MapSegment(name, COARSE, segment.vertices[kept], uvs, weights, columns, resolution)


def _low(segment: MapSegment, square: MapSegment) -> Float64:
    """The low corner of a refinement square on its segment's map."""
    own = segment.uvs[np.searchsorted(segment.vertices, square.vertices)]
    return np.asarray(np.median(own - SIDE * square.uvs, axis=0))
