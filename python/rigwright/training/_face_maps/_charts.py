"""One piece of a face on a map: the artist's texture coordinates where they serve, else charts; then mended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright.training._face_maps._layout import Floors
from rigwright.training._face_maps._pieces import Mesh, Piece
from rigwright.training._face_maps._refinement import some
from rigwright.training._face_maps._uvs import Charted, VertexUvs, own_charts

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

OVERLAPPED = 0.02  # of the triangles: beyond, charts of our own are tried
FRAMES = 48  # that texture coordinates are judged by
FRAMES_SOUGHT = 512  # among so many samples
MOVES = 1e-4  # of the largest offset: smaller ones do not count in floors


@dataclass(frozen=True)
class Laid:
    """A piece on a map: coordinates before (stretched to the square) and after mending, floors, words."""

    before: Float64
    after: Float64
    floors: Floors
    note: str


def lay(
    mesh: Mesh, piece: Piece, uvs: VertexUvs, offsets: Float32, resolution: int, fields: int, seed: int, threads: int
) -> Laid:
    """Lay vertices that move out on a map.

    Parameters
    ----------
    mesh : Mesh
        Lengths in millimeters.
    piece : Piece
    uvs : VertexUvs
    offsets : (T, V, 3) array
        Millimeters.
    resolution, fields, seed, threads : int
    """
    vertices = piece.vertices
    own = some(offsets[:, vertices], FRAMES_SOUGHT, seed)
    frames = np.ascontiguousarray(own[_core.distinct_frames(own, FRAMES, threads)])
    rest = np.ascontiguousarray(mesh.rest_vertices[vertices])

    def mended(charted: Charted) -> Laid:
        found = _core.mend_uvs(charted.uvs, rest, charted.faces, frames, resolution, fields, threads)
        before = stretched(charted.uvs)
        overlaps = [_core.num_overlapped(at, charted.faces) for at in (before, found["uvs"])]
        folds = found["folded_before"], found["folded_after"]
        floors = Floors(piece.name, resolution, found["floor_before"], found["floor_after"], *folds, *overlaps)
        return Laid(before, np.asarray(found["uvs"]), floors, charted.note)

    charts = own_charts(rest, mesh.faces_among(vertices), resolution)
    if piece.tile < 0:
        return mended(Charted(charts.uvs, charts.faces, f"{piece.name}: without texture coordinates; {charts.note}."))
    artist = Charted(uvs.uvs[vertices], mesh.faces_among(vertices, uvs.whole), "")
    if (np.ptp(artist.uvs, axis=0) <= 0.0).any() and len(vertices) > 2:
        words = f"{piece.name}: its texture coordinates lie on a line; {charts.note}."
        return mended(Charted(charts.uvs, charts.faces, words))
    given = mended(artist)
    share = _core.num_overlapped(artist.uvs, artist.faces) / max(num_triangles(artist.faces), 1)
    if share <= OVERLAPPED:
        return given
    made = mended(charts)
    words = f"{piece.name}: {share:.0%} of its texture overlaps"
    if made.floors.after[0] < given.floors.after[0]:
        return Laid(made.before, made.after, made.floors, f"{words}; laid out anew: {charts.note}.")
    return Laid(given.before, given.after, given.floors, f"{words}; kept, since charts of least stretch show less.")


def num_triangles(faces: NDArray[np.int32]) -> int:
    """Of faces (F, 4), a quad as two."""
    return len(faces) + int((faces[:, 3] >= 0).sum())


def stretched(uvs: Float64) -> Float64:
    """Each axis from 0 to 1; 1/2 on an axis without extent."""
    low, size = uvs.min(axis=0), np.ptp(uvs, axis=0)
    return np.where(size > 0.0, (uvs - low) / np.where(size > 0.0, size, 1.0), 0.5)


def floors_of(name: str, uvs: Float64, offsets: Float32, resolution: int, threads: int) -> Floors:
    """Floors of coordinates that were not mended."""
    left = _core.map_floor(uvs, offsets, resolution, None, threads)
    size = np.linalg.norm(offsets, axis=2)
    seen = left[size > MOVES * size.max()]
    floor = (float(seen.mean()), float(seen.max()))
    return Floors(name, resolution, floor, floor, 0, 0, 0, 0)
