"""Coarse maps of their own for refined rectangles: inside one, only controls that move it act.

A coarse network mixes its inputs, so a control that moves any vertex of a segment moves all of them a little. What is
refined becomes a region: its coarse map reads the controls that move the rectangle, and has the weights of its
refinement (:func:`shares`). What remains, of weight r, belongs to the segment's own map, which reads the controls that
move what it moves alone. Some control may move vertices between rectangles only, where no map reads it. It is an input
of a map of its own, "NAME, around", of weight r (1 - smooth((r - R) / (1 - E - R))); the segment's own map has the rest
of r, which is all of it where no rectangle is near (r above 1 - E).

The coarse weights of a vertex have a sum of 1; inside of a rectangle that of its region is 1. So a control that moves
no vertex of it in the rig moves none there in the model, by exactly nothing, whatever else is turned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._layout.charts import FRAMES, floors_of, stretched
from rigcast.training._face_maps._layout.segments import COARSE, Floors, Layout, MapSegment
from rigcast.training._face_maps._refine.rectangles import SMALLEST, Rectangle, shares, smooth
from rigcast.training._face_maps._rows import some

Float64 = NDArray[np.float64]

RESOLUTION = 16  # of a region's map: about as fine as a segment's 32 over the whole texture
ALONE = 1e-3  # E, of a weight: the segment's own map acts alone from 1 - ALONE on
AROUND = 0.7  # R: the weight r from which on the segment's own map begins, if there is one "around"


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
    fine = [segment for segment in layout.segments if segment.level != COARSE]
    cut = [
        _cut(segment, [detail for detail in fine if np.isin(detail.vertices, segment.vertices).all()], influence)
        for segment in layout.coarse
    ]
    frames = some(np.asarray(offsets), FRAMES, seed) * np.float32(unit_to_mm)
    coarse: list[MapSegment] = []
    floors: list[Floors] = []
    before: list[Float64] = []
    stated = zip(layout.coarse, layout.floors, layout.original_uvs, strict=True)
    for regions, (segment, floor, uvs) in zip(cut, stated, strict=True):
        for region in regions:
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
    rectangles = [Rectangle(*detail.rectangle) for detail in details if detail.rectangle is not None]
    near, rest = shares(rectangles, segment.uvs)
    moving = influence[segment.vertices]
    own = _columns(moving[rest > 1.0 - ALONE])
    seen = np.tile(own, (len(rest), 1))
    for detail, share in zip(details, near, strict=True):
        seen[np.ix_(share > SMALLEST, detail.columns)] = True
    unseen = _columns((moving & ~seen)[(rest > SMALLEST) & (rest <= 1.0 - ALONE)])
    found = []
    if not own.any():  # rectangles cover what moves
        found.append(_part(segment, segment.name, rest, _columns(moving[rest > SMALLEST]), segment.resolution))
    elif unseen.any():
        around = rest * (1.0 - smooth((rest - AROUND) / (1.0 - ALONE - AROUND)))
        between = unseen | _columns(moving[around > SMALLEST])
        found.append(_part(segment, segment.name, rest - around, own, segment.resolution))
        found.append(_part(segment, f"{segment.name}, around", around, between, segment.resolution))
    else:
        found.append(_part(segment, segment.name, rest, own, segment.resolution))
    found = [part for part in found if len(part.vertices) and len(part.columns)]
    for detail in details:
        name = detail.name.replace(", detail ", ", region ")
        found.append(replace(detail, name=name, level=COARSE, resolution=RESOLUTION, rectangle=None))
    return found


def _columns(moving: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those that move any of some vertices."""
    return np.asarray(moving.any(axis=0))


def _part(segment: MapSegment, name: str, share: Float64, columns: NDArray[np.bool_], resolution: int) -> MapSegment:
    kept = np.flatnonzero(share > SMALLEST)
    weights, inputs = share[kept].astype(np.float32), np.flatnonzero(columns).astype(np.int64)
    return MapSegment(name, COARSE, segment.vertices[kept], segment.uvs[kept], weights, inputs, resolution)
