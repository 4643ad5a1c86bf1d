"""Texture coordinates of vertices: the artist's, one per vertex, or charts of least stretch where there are none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.surface import Surface

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
SEAM_SWEEPS = 3
MARGIN = 1.0  # texels that packed charts stay apart, on either side


@dataclass(frozen=True)
class VertexUvs:
    """The artist's texture coordinates, one per vertex.

    Attributes
    ----------
    tiles : list of (u, v)
    tile : (V,) int array
        Where most of the vertex' corners lie, the first of equals; -1 for vertices without texture coordinates.
    uvs : (V, 2) float64 array
        Inside the tile: the coordinates of most of the vertex' corners there, at seams those that keep most faces
        whole, the first of equals. NaN for none.
    whole : (F,) bool array
        Faces whose corners lie at their vertices' coordinates: not across a seam.
    several : int
        Vertices with several coordinates.
    """

    tiles: list[tuple[int, int]]
    tile: NDArray[np.int64]
    uvs: Float64
    whole: NDArray[np.bool_]
    several: int


def vertex_uvs(surface: Surface, faces: Int32, num_vertices: int) -> VertexUvs:
    """One texture coordinate for each vertex of a mesh with faces (F, 4)."""
    if not len(surface.uvs):
        nothing = np.full((num_vertices, 2), np.nan)
        return VertexUvs([], np.full(num_vertices, -1), nothing, np.ones(len(faces), bool), 0)
    values, row = np.unique(surface.uvs, axis=0, return_inverse=True)
    corners = np.where(surface.uv_faces < 0, -1, row.reshape(-1)[surface.uv_faces])
    face, corner = np.nonzero((corners >= 0) & (faces >= 0))
    vertex, place = faces[face, corner].astype(np.int64), corners[face, corner].astype(np.int64)
    count = np.bincount(face, minlength=len(faces))
    middle = [np.bincount(face, values[place, axis], len(faces)) / np.maximum(count, 1) for axis in range(2)]
    tiles, tile_of = np.unique(np.floor(np.stack(middle, axis=1)).astype(np.int64)[face], axis=0, return_inverse=True)
    tile = _most(vertex, tile_of.reshape(-1), num_vertices)
    inside = tile_of.reshape(-1) == tile[vertex]
    chosen = _most(vertex[inside], place[inside], num_vertices)
    in_tile = corners.copy()
    in_tile[face[~inside], corner[~inside]] = -1
    _settle_seams(faces, in_tile, chosen)
    uvs = np.where(chosen[:, None] >= 0, values[chosen] - tiles[tile], np.nan).astype(np.float64)
    whole = ((corners < 0) | (corners == chosen[faces])).all(axis=1) & (corners[:, 0] >= 0)
    pairs = np.unique(np.stack([vertex, place], axis=1), axis=0)
    several = int((np.bincount(pairs[:, 0]) > 1).sum())
    return VertexUvs([(int(u), int(v)) for u, v in tiles], tile, uvs, whole, several)


def _settle_seams(faces: Int32, corners: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
    """Changes the choice at vertices with several coordinates where another one fits more of the corners around it.

    Parameters
    ----------
    faces : (F, 4) array
    corners : (F, 4) int array
        Coordinates of the corners; negative where the face has none, or lies in another tile.
    chosen : (V,) int array
        Coordinates of the vertices; changed in place.
    """
    face, corner = np.nonzero(corners >= 0)
    vertex, place = faces[face, corner], corners[face, corner]
    pairs = np.unique(np.stack([vertex, place], axis=1), axis=0)
    several = np.flatnonzero(np.bincount(pairs[:, 0], minlength=len(chosen)) > 1)
    order = np.argsort(vertex, kind="stable")
    bounds = np.searchsorted(vertex[order], np.stack([several, several + 1]))
    for _ in range(SEAM_SWEEPS):
        for v, begin, end in zip(several, *bounds, strict=True):
            around = face[order[begin:end]]
            others = (corners[around] >= 0) & (faces[around] != v)
            fits = (others & (corners[around] == chosen[faces[around]])).sum(axis=1)
            values, which = np.unique(place[order[begin:end]], return_inverse=True)
            scores = np.bincount(which.reshape(-1), fits, len(values))
            if scores.max() > scores[values == chosen[v]].sum():
                chosen[v] = values[scores.argmax()]


def _most(vertex: NDArray[np.int64], label: NDArray[np.int64], num_vertices: int) -> NDArray[np.int64]:
    """The label (V,) that each vertex has most often, the lowest of equals; -1 for none."""
    pairs, votes = np.unique(np.stack([vertex, label], axis=1), axis=0, return_counts=True)
    order = np.lexsort((pairs[:, 1], -votes, pairs[:, 0]))
    owner, first = np.unique(pairs[order, 0], return_index=True)
    result = np.full(num_vertices, -1)
    result[owner] = pairs[order, 1][first]
    return result


@dataclass(frozen=True)
class Charted:
    """Coordinates (M, 2) of some vertices, the faces (F, 4) among them that lie in a chart as a whole, and words."""

    uvs: Float64
    faces: Int32
    note: str


def own_charts(rest: NDArray[np.float32], faces: Int32, resolution: int) -> Charted:
    """Charts of least stretch for a mesh without usable texture coordinates, packed into the unit square.

    Parameters
    ----------
    rest : (M, 3) array
    faces : (F, 4) array
        Of these vertices.
    resolution : int
        Texels of the map: charts stay two texels apart.
    """
    uvs, chart, whole, facts = _core.chart_uvs(rest, faces)
    uvs, chart = np.array(uvs), np.array(chart)
    loose = chart < 0
    if loose.any():
        uvs[loose] = _projected(rest[loose])
        chart[loose] = len(facts)
    used = np.unique(chart)
    rooms = packed(np.bincount(chart)[used].astype(np.float64))
    edge = MARGIN / (resolution - 1) if len(used) > 1 else 0.0
    for number, (low, high) in zip(used, rooms, strict=True):
        gap = np.minimum(edge, 0.25 * (high - low))
        uvs[chart == number] = low + gap + uvs[chart == number] * (high - low - 2.0 * gap)
    cut, holes = (sum(fact[i] for fact in facts) for i in (1, 2))
    words = [f"{len(used)} charts" if len(used) > 1 else "one chart"]
    words += [f"{cut} edges cut open"] * bool(cut) + [f"{holes} holes bridged"] * bool(holes)
    flat = [number for number, fact in enumerate(facts) if fact[0] == 0.0 and not (chart == number).any()]
    if loose.any():
        words.append(f"{int(loose.sum())} vertices of {'no face' if not flat else 'unusable charts'} projected flat")
    return Charted(uvs, faces[np.asarray(whole)], ", ".join(words))


def packed(weights: Float64) -> list[tuple[Float64, Float64]]:
    """Rectangles (low, high) that fill the unit square, with areas in proportion to weights."""
    rooms: list[tuple[Float64, Float64]] = [(np.zeros(2), np.ones(2))] * len(weights)

    def fill(members: NDArray[np.intp], low: Float64, high: Float64) -> None:
        if len(members) == 1:
            rooms[int(members[0])] = (low, high)
            return
        sums = np.cumsum(weights[members])
        cut = 1 + int(np.argmin(np.abs(sums[:-1] - 0.5 * sums[-1])))
        axis = int(high[1] - low[1] > high[0] - low[0])
        middle_low, middle_high = low.copy(), high.copy()
        middle_low[axis] = middle_high[axis] = low[axis] + (high[axis] - low[axis]) * sums[cut - 1] / sums[-1]
        fill(members[:cut], low, middle_high)
        fill(members[cut:], middle_low, high)

    fill(np.argsort(-weights, kind="stable"), np.zeros(2), np.ones(2))
    return rooms


def spread_out(count: int) -> Float64:
    """Places (M, 2) of few vertices on a grid in the unit square: no two share a texel of a map with that many."""
    across = max(int(np.ceil(np.sqrt(count))), 2)
    place = np.arange(count)
    return np.asarray(np.stack([place % across, place // across], axis=1) / (across - 1.0))


def _projected(points: NDArray[np.float32]) -> Float64:
    """Points along their two longest axes, in the unit square."""
    extent = np.ptp(points, axis=0)
    axes = np.sort(np.argsort(-extent, kind="stable")[:2])
    low, size = points[:, axes].min(axis=0), extent[axes]
    placed = np.where(size > 0.0, (points[:, axes] - low) / np.where(size > 0.0, size, 1.0), 0.5)
    return np.asarray(placed, np.float64)
