"""The surface of a mesh: named parts, materials' names, texture coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

Int32 = NDArray[np.int32]
NAMES = ("parts", "materials")
ARRAYS = ("vertex_parts", "face_materials", "uvs", "uv_faces")


def _indices() -> Int32:
    return np.zeros(0, np.int32)


def _no_uvs() -> NDArray[np.float32]:
    return np.zeros((0, 2), np.float32)


def _no_corners() -> Int32:
    return np.zeros((0, 4), np.int32)


@one_line
@dataclass(frozen=True)
class Surface:
    """Named parts, materials and texture coordinates of a mesh with V vertices and F faces; any of them may be absent.

    A vertex has one texture coordinate per corner of its faces, so several at seams; v points up. Coordinates outside
    [0, 1] lie in other tiles: (1.3, 0.2) is in tile (1, 0).

    Attributes
    ----------
    parts : list of str
        Names of the meshes that the character is made of; empty if nobody named any.
    vertex_parts : (V,) int32 array
        The part of each vertex, -1 for none; (0,) without parts.
    materials : list of str
    face_materials : (F,) int32 array
        The material of each face, -1 for none; (0,) without materials.
    uvs : (U, 2) float32 array
    uv_faces : (F, 4) int32 array
        The row of ``uvs`` at each corner; -1 pads triangles, and stands at all corners of a face without texture
        coordinates. (0, 4) without any. (F, 3) is accepted.

    Raises
    ------
    ValueError
        If names are repeated, or indices are out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from rigcast.sources import Surface
    >>> surface = Surface(parts=["body", "eyes"], vertex_parts=[0, 0, 0, 1, 1, 1])
    >>> surface.vertices_of("eyes").tolist()
    [3, 4, 5]
    """

    parts: list[str] = field(default_factory=list)
    vertex_parts: Int32 = field(default_factory=_indices)
    materials: list[str] = field(default_factory=list)
    face_materials: Int32 = field(default_factory=_indices)
    uvs: NDArray[np.float32] = field(default_factory=_no_uvs)
    uv_faces: Int32 = field(default_factory=_no_corners)

    def __post_init__(self) -> None:
        check = Arguments("Surface")
        for names in NAMES:
            object.__setattr__(self, names, check.names(names, getattr(self, names)))
        counts = len(self.parts), len(self.materials)
        for indices, size, count in zip(ARRAYS, "VF", counts, strict=False):
            given = np.asarray(getattr(self, indices))
            if given.size:
                given = check.integers(indices, given, size, low=-1, below=count, dtype=np.int32)
            object.__setattr__(self, indices, np.array(given, np.int32))
        if len(self.uvs):
            uvs = check.numbers("uvs", self.uvs, "U 2", dtype=np.float32)
            corners = check.integers("uv_faces", self.uv_faces, "F 3", "F 4", low=-1, below=len(uvs), dtype=np.int32)
            padding = np.full((len(corners), 4 - corners.shape[1]), -1, np.int32)
            object.__setattr__(self, "uvs", np.array(uvs))
            object.__setattr__(self, "uv_faces", np.concatenate([corners, padding], axis=1))
        elif len(self.uv_faces):
            raise check.wrong("uv_faces", "given without uvs", "given with them")
        else:
            object.__setattr__(self, "uvs", _no_uvs())
            object.__setattr__(self, "uv_faces", _no_corners())

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """The tiles of the texture coordinates, ascending; a coordinate on the far edge of a tile belongs to it."""
        corners = self.uv_faces[self.uv_faces[:, 0] >= 0]
        padded = np.where(corners < 0, corners[:, :1], corners)
        centers = self.uvs[padded].mean(axis=1) if len(corners) else _no_uvs()
        return [(int(u), int(v)) for u, v in np.unique(np.floor(centers).astype(np.int64), axis=0)]

    def vertices_of(self, part: str) -> NDArray[np.int64]:
        """The vertices of a part, ascending.

        Raises
        ------
        ValueError
            If there is no such part.
        """
        if part not in self.parts:
            raise bad_argument(
                "vertices_of", "part", repr(part), f"one of {', '.join(map(repr, self.parts)) or 'none'}"
            )
        return np.flatnonzero(self.vertex_parts == self.parts.index(part))

    def arrays(self) -> dict[str, Int32 | NDArray[np.float32]]:
        """The arrays that are not absent, by the names of the attributes."""
        present = {"vertex_parts": self.parts, "face_materials": self.materials, "uvs": len(self.uvs)}
        present["uv_faces"] = present["uvs"]
        return {name: getattr(self, name) for name in ARRAYS if present[name]}

    def names(self) -> dict[str, list[str]]:
        """``parts`` and ``materials``, where there are any."""
        return {name: list(getattr(self, name)) for name in NAMES if getattr(self, name)}


def surface_of(thing: Any) -> Surface:
    """The surface of a rig, a data set, a mesh or a model; empty if it states none."""
    stated = getattr(thing, "surface", None)
    if stated is None:
        return Surface(**{name: getattr(thing, name) for name in (*NAMES, *ARRAYS) if hasattr(thing, name)})
    if not isinstance(stated, Surface):
        raise bad_argument("surface_of", "surface", f"a {type(stated).__name__}", "a rigcast.sources.Surface")
    return stated


def surface_facts(surface: Surface) -> dict[str, Any]:
    """The facts on it for people, by name."""
    sizes = {part: int((surface.vertex_parts == index).sum()) for index, part in enumerate(surface.parts)}
    tiles = [f"{u} {v}" for u, v in surface.tiles]
    return {"parts": sizes, "materials": surface.materials, "uvs": len(surface.uvs), "uv_tiles": tiles}


def check_surface(
    surface: Surface, num_vertices: int, faces: Int32, function: str, argument: str = "surface"
) -> Surface:
    """The surface, if it is one of a mesh with so many vertices and these faces (F, 4).

    Raises
    ------
    ValueError
        If sizes differ, or corners have texture coordinates where the face has no corner, or lack them at some.
    """
    sizes = {"vertex_parts": num_vertices, "face_materials": len(faces), "uv_faces": len(faces)}
    for name, array in surface.arrays().items():
        if name in sizes and len(array) != sizes[name]:
            raise bad_argument(function, f"{argument}.{name}", f"of {len(array)} rows", f"of {sizes[name]}")
    if len(surface.uvs):
        absent = surface.uv_faces[:, :1] < 0
        wrong = np.flatnonzero(((surface.uv_faces < 0) != (absent | (faces < 0))).any(axis=1))
        if len(wrong):
            got = f"{surface.uv_faces[wrong[0]].tolist()} at face {wrong[0]}, {faces[wrong[0]].tolist()}"
            expected = "-1 where the face is padded, or at all corners"
            raise bad_argument(function, f"{argument}.uv_faces", got, expected)
    return surface


def joined(meshes: Sequence[tuple[str, int, int, Surface]]) -> Surface:
    """The surface of meshes that become one, each a part by its name.

    Parameters
    ----------
    meshes : sequence of (name, vertices, faces, Surface)
        In order; the parts of the surfaces are left out. Materials of one name are one.
    """
    materials = list(dict.fromkeys(name for _, _, _, surface in meshes for name in surface.materials))
    kinds, corners, start = [], [], 0
    for _, _, faces, surface in meshes:
        place = np.array([materials.index(name) for name in surface.materials] + [-1], np.int32)
        kinds.append(place[surface.face_materials] if surface.materials else np.full(faces, -1, np.int32))
        own = surface.uv_faces if len(surface.uvs) else np.full((faces, 4), -1, np.int32)
        corners.append(np.where(own < 0, -1, own + start).astype(np.int32))
        start += len(surface.uvs)
    return Surface(
        [name for name, _, _, _ in meshes],
        np.repeat(np.arange(len(meshes), dtype=np.int32), [count for _, count, _, _ in meshes]),
        materials,
        np.concatenate(kinds) if materials else _indices(),
        np.concatenate([surface.uvs for _, _, _, surface in meshes]),
        np.concatenate(corners) if start else _no_corners(),
    )
