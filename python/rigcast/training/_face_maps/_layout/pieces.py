"""The pieces of a face that become map segments: named parts, materials or components, cut by texture tile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.segments import components, segments
from rigcast._rigs.surface import Surface
from rigcast.training._face_maps._layout.rigid import Component
from rigcast.training._face_maps._layout.uvs import VertexUvs

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

REST_OF_MESH = "rest of the mesh"


@dataclass(frozen=True)
class MapPiece:
    """A piece of the mesh: its name, its vertices (M,), ascending, and its texture tile, -1 for none."""

    name: str
    vertices: Int64
    tile: int


@dataclass(frozen=True)
class FaceMesh:
    """A mesh with what lies on it: what :func:`rigcast.segments` cuts."""

    rest_vertices: NDArray[np.float32]
    faces: Int32
    surface: Surface

    def faces_among(self, vertices: Int64, chosen: NDArray[np.bool_] | None = None) -> Int32:
        """The (chosen) faces with all corners among vertices, (F, 4), as places in ``vertices``."""
        place = np.full(len(self.rest_vertices), -1, np.int32)
        place[vertices] = np.arange(len(vertices), dtype=np.int32)
        kept = ((self.faces < 0) | (place[self.faces] >= 0)).all(axis=1)
        if chosen is not None:
            kept &= chosen
        return np.where(self.faces[kept] < 0, -1, place[self.faces[kept]]).astype(np.int32)


def pieces(mesh: FaceMesh, uvs: VertexUvs) -> tuple[list[MapPiece], list[str]]:
    """All vertices as pieces, and sentences on how they were cut."""
    cut = segments(mesh)
    labels, names = np.array(cut.vertices, np.int64), list(cut.names)
    if (labels < 0).any():
        labels[labels < 0] = len(names)
        names.append(REST_OF_MESH)
    found = []
    split = 0
    for number, name in enumerate(names):
        own = np.flatnonzero(labels == number)
        tiles = np.unique(uvs.tile[own])
        split += len(tiles) > 1
        for tile in tiles:
            place = f"tile {uvs.tiles[tile][0]} {uvs.tiles[tile][1]}" if tile >= 0 else "no texture coordinates"
            title = f"{name} ({place})" if len(tiles) > 1 else name
            found.append(MapPiece(title, own[uvs.tile[own] == tile], int(tile)))
    notes = [f"Cut by {cut.by} into {len(names)} segments."]
    if split:
        notes.append(f"{split} of them lie in several texture tiles: each tile is a segment of its own.")
    if uvs.several:
        notes.append(
            f"{uvs.several:,} vertices have several texture coordinates: that which keeps most faces whole was "
            "taken. Faces across these seams count neither as folded nor for the spacing."
        )
    return found, notes


def connected(mesh: FaceMesh, piece: MapPiece) -> list[Component]:
    """The connected components of a piece, in the order of their first vertices; vertices of no face count alone."""
    label = components(mesh.faces_among(piece.vertices), len(piece.vertices))
    order = np.argsort(label, kind="stable")
    _, starts = np.unique(label[order], return_index=True)
    return [Component(piece.name, piece.vertices[part]) for part in np.split(order, starts[1:])]
