"""Meshes cut as files want them: by part, into triangles, at the seams of texture coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.surface import Surface

Int32 = NDArray[np.int32]


@dataclass(frozen=True)
class Piece:
    """The mesh of one part.

    Attributes
    ----------
    name : str
        Of the part; empty for what belongs to none.
    vertices : (n,) int32 array
        The vertices of the whole mesh that it has, ascending.
    faces : (f, 4) int32 array
        Places in ``vertices``, -1 pads triangles.
    surface : Surface
        Of these faces, without parts.
    """

    name: str
    vertices: Int32
    faces: Int32
    surface: Surface


def pieces(faces: Int32, surface: Surface, num_vertices: int) -> list[Piece]:
    """One per part, in the order of the parts, then what belongs to none; the whole mesh if there are no parts.

    A face belongs to the part of its first corner, and a part has all vertices of its faces.
    """
    if not surface.parts:
        return [Piece("", np.arange(num_vertices, dtype=np.int32), faces, surface)]
    owner = surface.vertex_parts[faces[:, 0]] if len(faces) else np.zeros(0, np.int32)
    found = []
    for part, name in [*enumerate(surface.parts), (-1, "")]:
        own = np.flatnonzero(owner == part)
        corners = faces[own]
        vertices = np.union1d(np.flatnonzero(surface.vertex_parts == part), corners[corners >= 0]).astype(np.int32)
        if len(vertices):
            place = np.zeros(num_vertices, np.int32)
            place[vertices] = np.arange(len(vertices), dtype=np.int32)
            found.append(Piece(name, vertices, np.where(corners < 0, -1, place[corners]), of_faces(surface, own)))
    return found


def of_faces(surface: Surface, rows: NDArray[np.int64]) -> Surface:
    """The surface of some faces, without parts; texture coordinates and materials that none of them uses are left
    out."""
    kinds = surface.face_materials[rows] if surface.materials else np.zeros(0, np.int32)
    used = np.unique(kinds[kinds >= 0])
    corners = surface.uv_faces[rows] if len(surface.uvs) else np.zeros((0, 4), np.int32)
    kept = np.unique(corners[corners >= 0])
    return Surface(
        materials=[surface.materials[kind] for kind in used.tolist()],
        face_materials=_places(kinds, used) if len(used) else np.zeros(0, np.int32),
        uvs=surface.uvs[kept],
        uv_faces=_places(corners, kept) if len(kept) else np.zeros((0, 4), np.int32),
    )


def _places(indices: Int32, kept: Int32) -> Int32:
    return np.where(indices < 0, -1, np.searchsorted(kept, indices)).astype(np.int32)


def triangulated(faces: Int32, surface: Surface) -> tuple[Int32, Surface]:
    """Triangles (t, 3) of faces (F, 4), quads split along their first diagonal, and their surface."""
    quads = np.flatnonzero(faces[:, 3] >= 0)
    corners = surface.uv_faces
    split = Surface(
        materials=surface.materials,
        face_materials=np.concatenate([surface.face_materials, surface.face_materials[quads]])
        if surface.materials
        else np.zeros(0, np.int32),
        uvs=surface.uvs,
        uv_faces=np.concatenate([corners[:, :3], corners[quads][:, [0, 2, 3]]]) if len(surface.uvs) else corners,
    )
    return np.concatenate([faces[:, :3], faces[quads][:, [0, 2, 3]]]), split


def split_at_seams(triangles: Int32, surface: Surface, num_vertices: int) -> tuple[Int32, Int32, NDArray[np.float32]]:
    """A mesh that has one texture coordinate per vertex.

    Parameters
    ----------
    triangles : (t, 3) int32 array
    surface : Surface
        Of the triangles, with texture coordinates.

    Returns
    -------
    vertices : (n,) int32 array
        The vertex that each one comes from: all vertices in order, then again those with further coordinates.
    triangles : (t, 3) int32 array
    uvs : (n, 2) float32 array
        0 at vertices without any.
    """
    corners = surface.uv_faces[:, :3]
    has = corners >= 0
    pairs, pair_of = np.unique(np.stack([triangles[has], corners[has]], axis=1), axis=0, return_inverse=True)
    first = np.concatenate([[True], pairs[1:, 0] != pairs[:-1, 0]]) if len(pairs) else np.zeros(0, bool)
    slot = np.where(first, pairs[:, 0], num_vertices + np.cumsum(~first) - 1).astype(np.int32)
    result = triangles.copy()
    result[has] = slot[pair_of.reshape(-1)]
    vertices = np.concatenate([np.arange(num_vertices), pairs[~first, 0]]).astype(np.int32)
    uvs = np.zeros((len(vertices), 2), np.float32)
    uvs[slot] = surface.uvs[pairs[:, 1]]
    return vertices, result, uvs


def seam_copies(surface: Surface, faces: Int32) -> int:
    """The number of vertices that :func:`split_at_seams` adds to a mesh with these faces (F, 4)."""
    has = surface.uv_faces >= 0 if len(surface.uvs) else np.zeros(faces.shape, bool)
    pairs = np.unique(np.stack([faces[has], surface.uv_faces[has]], axis=1), axis=0) if has.any() else np.zeros((0, 2))
    return len(pairs) - len(np.unique(pairs[:, 0]))


def on_faces(surface: Surface, its_faces: Int32, faces: Int32, num_vertices: int) -> Surface:
    """A surface laid onto other faces of the same vertices.

    A face has what a face of the same corners has, else the material of a face at its first vertex; its corners have
    the texture coordinates of that face where it has them, else those that the vertex has in some face.
    """
    if its_faces.shape == faces.shape and np.array_equal(its_faces, faces):
        return surface
    same = {tuple(sorted(face)): row for row, face in enumerate(its_faces.tolist())}
    near, some_uv = np.full((2, num_vertices), -1, np.int32)
    for corner in range(4):
        there = np.flatnonzero(its_faces[:, corner] >= 0)
        near[its_faces[there, corner]] = there
        if len(surface.uvs):
            some_uv[its_faces[there, corner]] = surface.uv_faces[there, corner]
    twins = np.array([same.get(tuple(sorted(face)), -1) for face in faces.tolist()], np.int32)
    source = np.where(twins >= 0, twins, near[faces[:, 0]])
    return Surface(
        surface.parts,
        surface.vertex_parts,
        surface.materials,
        np.where(source >= 0, surface.face_materials[source], -1) if surface.materials else surface.face_materials,
        surface.uvs,
        _laid(surface, its_faces, faces, twins, some_uv) if len(surface.uvs) else surface.uv_faces,
    )


def _laid(surface: Surface, its_faces: Int32, faces: Int32, twins: Int32, some_uv: Int32) -> Int32:
    corners = np.where(faces < 0, -1, some_uv[faces])
    matched = np.flatnonzero(twins >= 0)
    there = its_faces[twins[matched]]
    for corner in range(4):
        hit = there == faces[matched, corner][:, None]
        found = surface.uv_faces[twins[matched], hit.argmax(axis=1)]
        corners[matched, corner] = np.where(faces[matched, corner] < 0, -1, found)
    incomplete = ((corners < 0) & (faces >= 0)).any(axis=1)
    corners[incomplete] = -1
    return corners.astype(np.int32)
