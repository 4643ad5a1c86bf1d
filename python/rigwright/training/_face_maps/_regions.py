"""Coarse maps of their own for refined rectangles: inside one, only controls that move it act.

A coarse network mixes its inputs, so a control that moves any vertex of a segment moves all of them a little. What is
refined becomes a region: its coarse map reads the controls that move the rectangle, and blends with the segment's
around it. With d the depth of a vertex in rectangle Q, negative outside (rectangles are at least ``GAP`` apart),

    a_Q = smooth(1 + d / GAP), r = prod (1 - a_Q), weight of region Q: a_Q (1 - r) / sum a, of the remainder: r.

The weights of a vertex have a sum of 1; inside of Q that of Q is 1. So a control that moves no vertex of it in
the rig moves none there in the model, by exactly nothing, whatever else is turned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigwright.training._face_maps._charts import FRAMES, floors_of, stretched
from rigwright.training._face_maps._layout import COARSE, Floors, Layout, MapSegment
from rigwright.training._face_maps._rectangles import GAP, smooth
from rigwright.training._face_maps._refinement import some

Float64 = NDArray[np.float64]

RESOLUTION = 16  # of a region's map: finer than a segment's 32 over the whole texture
SMALLEST = 1e-6  # weights below are 0


def with_regions(
    layout: Layout, offsets: NDArray[np.float32], influence: NDArray[np.bool_], *, unit_to_mm: float, seed: int = 0,
    threads: int = 0,
) -> Layout:  # fmt: skip
    """Cut each coarse segment with refinement segments into regions, one for each, and the remainder.

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
        details = [detail for detail in fine if np.isin(detail.vertices, segment.vertices).all()]
        for region in _cut(segment, details, influence):
            inside = np.searchsorted(segment.vertices, region.vertices)
            own = np.ascontiguousarray(frames[:, region.vertices])
            whole = region.name == segment.name
            coarse.append(region)
            floors.append(floor if whole else floors_of(region.name, region.uvs, own, region.resolution, threads))
            before.append(uvs if len(inside) == len(segment.vertices) else stretched(uvs[inside]))
    return replace(layout, segments=[*coarse, *fine], floors=floors, original_uvs=before)


def _cut(segment: MapSegment, details: list[MapSegment], influence: NDArray[np.bool_]) -> list[MapSegment]:
    """The remainder of a segment, then the regions of its details; the segment itself without details."""
    if not details:
        return [segment]
    rectangles = [detail.rectangle for detail in details if detail.rectangle is not None]
    near = np.stack([smooth(1.0 + rectangle.depth(segment.uvs) / GAP) for rectangle in rectangles])
    rest = np.prod(1.0 - near, axis=0)
    shares = near * ((1.0 - rest) / np.maximum(near.sum(axis=0), SMALLEST))
    found = []
    if (rest > SMALLEST).any():
        kept = np.flatnonzero(rest > SMALLEST)
        columns = _columns_outside(segment, rest, shares, details, influence)
        found.append(_part(segment, segment.name, kept, segment.uvs[kept], rest, columns, segment.resolution))
    for detail, rectangle, share in zip(details, rectangles, shares, strict=True):
        kept = np.flatnonzero(share > SMALLEST)
        uvs = rectangle.stretched(segment.uvs[kept], GAP)
        name = detail.name.replace(", detail ", ", region ")
        found.append(_part(segment, name, kept, uvs, share, detail.columns, RESOLUTION))
    return found


def _columns_outside(
    segment: MapSegment, rest: Float64, shares: Float64, details: list[MapSegment], influence: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Columns of the remainder: those that move a vertex which it moves alone, or which no region there reads."""
    moving = influence[segment.vertices]
    own = moving[rest > 1.0 - SMALLEST].any(axis=0)
    seen = np.zeros_like(moving)
    for detail, share in zip(details, shares, strict=True):
        seen[np.ix_(share > SMALLEST, detail.columns)] = True
    unseen = (moving & ~seen)[rest > SMALLEST].any(axis=0)
    return np.flatnonzero(own | unseen).astype(np.int64)


def _part(
    segment: MapSegment, name: str, kept: NDArray[np.intp], uvs: Float64, share: Float64,
    columns: NDArray[np.int64], resolution: int,
) -> MapSegment:  # fmt: skip
    weights = share[kept].astype(np.float32)
    return MapSegment(name, COARSE, segment.vertices[kept], uvs, weights, columns, resolution)
