"""One piece of a face on a map: the artist's texture coordinates where they serve, else charts; then mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.segments import components
from rigcast.training._face_maps._layout.pieces import FaceMesh, MapPiece
from rigcast.training._face_maps._layout.segments import Floors
from rigcast.training._face_maps._layout.uvs import MARGIN, Charted, VertexUvs, own_charts, packed
from rigcast.training._face_maps._rows import some

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

OVERLAPPED = 0.02  # of the triangles: beyond, charts of our own are tried
FRAMES = 48  # that texture coordinates are judged by
FRAMES_SOUGHT = 512  # among so many samples
LEAST_ISLAND = 8  # vertices: smaller ones share a place
LEAST_MENDED = 64  # vertices: an island of fewer is only stretched to its place
LEAST_ROOM = 0.01  # of the map, for an island that hardly moves
GOOD = 1e-3  # mm, mean: coordinates that leave less are not mended
MOVES = 1e-4  # of the largest offset: smaller ones do not count in floors


@dataclass(frozen=True)
class Laid:
    """A piece on a map: coordinates before (stretched to the square) and after mending, floors, words."""

    before: Float64
    after: Float64
    floors: Floors
    note: str


def lay(
    mesh: FaceMesh,
    piece: MapPiece,
    uvs: VertexUvs,
    offsets: Float32,
    resolution: int,
    fields: int,
    seed: int,
    threads: int,
    *,
    mended: bool = True,
) -> Laid:
    """Lay vertices that move out on a map.

    Parameters
    ----------
    mesh : FaceMesh
        Lengths in millimeters.
    piece : MapPiece
    uvs : VertexUvs
    offsets : (T, V, 3) array
        Millimeters.
    resolution, fields, seed, threads : int
    mended : bool
        False: usable coordinates of the artist are only stretched to the square.
    """
    vertices, name = piece.vertices, piece.name
    own = some(offsets[:, vertices], FRAMES_SOUGHT, seed)
    frames = np.ascontiguousarray(own[_core.distinct_frames(own, FRAMES, threads)])
    rest = np.ascontiguousarray(mesh.rest_vertices[vertices])
    mender = _Mender(name, rest, frames, resolution, fields, threads)
    charts = own_charts(rest, mesh.faces_among(vertices), resolution)
    if piece.tile < 0:
        return mender.mended(charts, f"{name}: without texture coordinates; {charts.note}.")
    artist = Charted(uvs.uvs[vertices], mesh.faces_among(vertices, uvs.whole), "")
    if (np.ptp(artist.uvs, axis=0) <= 0.0).any() and len(vertices) > 2:
        return mender.mended(charts, f"{name}: its texture coordinates lie on a line; {charts.note}.")
    if not mended:
        return mender.laid(artist, stretched(artist.uvs), "")
    share = _core.num_overlapped(artist.uvs, artist.faces) / max(num_triangles(artist.faces), 1)
    if share <= OVERLAPPED:
        return mender.mended(artist, "")
    words = f"{name}: {share:.0%} of its texture overlaps"
    given = mender.mended(artist, f"{words}; kept, since charts of least stretch show no more.")
    made = mender.mended(charts, f"{words}; laid out anew: {charts.note}.")
    return made if made.floors.after[0] < given.floors.after[0] - GOOD else given


@dataclass(frozen=True)
class _Mender:
    """Mends coordinates of vertices at rest (M, 3) by frames (T, M, 3), in millimeters."""

    name: str
    rest: Float32
    frames: Float32
    resolution: int
    fields: int
    threads: int

    def mended(self, charted: Charted, note: str) -> Laid:
        """As a whole, or each island by itself and then packed anew if that leaves less; not if nothing is left."""
        before = stretched(charted.uvs)
        if self._floor(before)[0] < GOOD:
            return self.laid(charted, before, note)
        islands = _islands(charted.faces, len(self.rest))
        found = self._whole(charted, self.fields if len(islands) == 1 else 0)
        after = np.asarray(found["uvs"])
        if len(islands) > 1:
            packed_anew = self._packed(charted, islands)
            if self._floor(packed_anew)[0] < found["floor_after"][0]:
                after = packed_anew
                words = f"{self.name}: its {len(islands)} islands of texture keep their layout"
                words += ", each gets room for its motion."
                note = f"{note} {words}".strip()
            else:
                after = np.asarray(self._whole(charted, self.fields)["uvs"])
        return self.laid(charted, after, note)

    def laid(self, charted: Charted, after: Float64, note: str) -> Laid:
        """With these coordinates."""
        before = stretched(charted.uvs)
        folds = [_folded(at, charted.faces) for at in (before, after)]
        overlaps = [_core.num_overlapped(at, charted.faces) for at in (before, after)]
        floors = Floors(self.name, self.resolution, self._floor(before), self._floor(after), *folds, *overlaps)
        return Laid(before, after, floors, note)

    def _whole(self, charted: Charted, fields: int) -> dict[str, Any]:
        arguments = self.rest, charted.faces, self.frames, self.resolution, fields, self.threads
        return dict(_core.mend_uvs(charted.uvs, *arguments))

    def _packed(self, charted: Charted, islands: list[Int64]) -> Float64:
        """Islands mended one by one, in rectangles with areas by how much their motion changes along edges."""
        after = stretched(charted.uvs)
        weights = []
        for island in islands:
            place = np.full(len(self.rest), -1, np.int32)
            place[island] = np.arange(len(island), dtype=np.int32)
            kept = ((charted.faces < 0) | (place[charted.faces] >= 0)).all(axis=1)
            faces = np.where(charted.faces[kept] < 0, -1, place[charted.faces[kept]]).astype(np.int32)
            frames = np.ascontiguousarray(self.frames[:, island])
            after[island] = stretched(charted.uvs[island])
            if len(island) >= LEAST_MENDED and np.abs(frames).max() > 0.0:
                own = self.rest[island], faces, frames, self.resolution, self.fields, self.threads
                after[island] = _core.mend_uvs(charted.uvs[island], *own)["uvs"]
            weights.append(_change(faces, frames))
        total = np.array(weights) + LEAST_ROOM * max(sum(weights), 1e-30)
        for island, (low, high) in zip(islands, packed(total), strict=True):
            gap = np.minimum(MARGIN / (self.resolution - 1), 0.25 * (high - low))
            after[island] = low + gap + after[island] * (high - low - 2.0 * gap)
        return stretched(after)

    def _floor(self, uvs: Float64) -> tuple[float, float]:
        left = _core.map_floor(uvs, self.frames, self.resolution, None, self.threads)
        size = np.sqrt(np.square(self.frames).sum(axis=2))
        seen = left[size > MOVES * size.max()]
        return float(seen.mean()), float(seen.max())


def _folded(uvs: Float64, faces: NDArray[np.int32]) -> int:
    """Triangles that wind against the majority of their island: mirrored islands are no folds."""
    island = components(faces, len(uvs))[faces[:, 0]]
    return sum(_core.num_folded(uvs, faces[island == number]) for number in np.unique(island))


def _islands(faces: NDArray[np.int32], count: int) -> list[Int64]:
    """Vertices that faces of the texture connect; those of few vertices together are the last island."""
    label = components(faces, count)
    order = np.argsort(label, kind="stable")
    _, starts = np.unique(label[order], return_index=True)
    parts = np.split(order, starts[1:])
    large = [part for part in parts if len(part) >= LEAST_ISLAND]
    small = [part for part in parts if len(part) < LEAST_ISLAND]
    return large + ([np.sort(np.concatenate(small))] if small else [])


def _change(faces: NDArray[np.int32], frames: Float32) -> float:
    """The change of the motion along the edges of an island, over all frames."""
    last = np.where(faces[:, 3:] < 0, faces[:, 2:3], faces[:, 3:])
    corners = np.concatenate([faces[:, :3], last], axis=1)
    total = 0.0
    for a, b in zip(corners.T, np.roll(corners, -1, axis=1).T, strict=True):
        total += float(np.sqrt(np.square(frames[:, a] - frames[:, b], dtype=np.float64).sum(axis=(0, 2))).sum())
    return total


def num_triangles(faces: NDArray[np.int32]) -> int:
    """Of faces (F, 4), a quad as two."""
    return len(faces) + int((faces[:, 3] >= 0).sum())


def stretched(uvs: Float64) -> Float64:
    """Each axis from 0 to 1; 1/2 on an axis without extent."""
    low, size = uvs.min(axis=0), np.ptp(uvs, axis=0)
    return np.where(size > 0.0, (uvs - low) / np.where(size > 0.0, size, 1.0), 0.5)


def floors_of(name: str, uvs: Float64, offsets: Float32, resolution: int, threads: int) -> Floors:
    """Floors of coordinates that were not mended."""
    floor = _Mender(name, offsets[0], offsets, resolution, 0, threads)._floor(uvs)
    return Floors(name, resolution, floor, floor, 0, 0, 0, 0)
