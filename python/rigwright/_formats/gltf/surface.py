"""What lies on the surface of a glTF 2.0 mesh: texture coordinates and the names of materials, and its licence."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._formats.gltf.accessors import Accessors
from rigwright._formats.gltf.blendshapes import MorphFile
from rigwright._formats.gltf.document import Document, attribute_index, integer, records, text
from rigwright._formats.gltf.geometry import read_geometry

TRIANGLES = 4
Faces = NDArray[np.int64]


@dataclass(frozen=True)
class Surface:
    """Vertices and faces in the order of the readers.

    Attributes
    ----------
    uv : (V, 2) float32 or None
        TEXCOORD_0; 0 where a part has none.
    count : int
        V.
    materials : list of str
    faces : (F, 3) int64
    material : (F,) int64
        -1 for none.
    licence : str
    """

    uv: NDArray[np.float32] | None
    count: int
    materials: list[str]
    faces: Faces
    material: NDArray[np.int64]
    licence: str

    def of_triangles(self, triangles: NDArray[np.int32]) -> NDArray[np.int64]:
        """(N,) materials of triangles (N, 3): of the same triangle, else of a face at their first vertex."""
        same = {
            tuple(sorted(face)): kind for face, kind in zip(self.faces.tolist(), self.material.tolist(), strict=True)
        }
        near = np.full(self.count, -1, np.int64)
        near[self.faces] = self.material[:, None]
        found = [same.get(tuple(sorted(face)), int(near[face[0]])) for face in triangles.tolist()]
        return np.array(found, np.int64)


def read_surface(path: Path) -> Surface:
    """Read it of the meshes that :func:`rigwright.sources.load_mesh` reads of this file.

    Raises
    ------
    ValueError
        If the file is malformed.
    """
    document = Document(path)
    accessors = Accessors(document)
    chosen: list[int] = []
    with contextlib.suppress(ValueError):  # without morph targets
        chosen = MorphFile.open(path, None).mesh_nodes
    chosen = chosen or [n for n, node in enumerate(document.gltf.nodes) if node.mesh is not None]
    listed = records(document.gltf.materials, "materials")
    names = [text(record.name) or f"material {n}" for n, record in enumerate(listed)]
    parts = [_of_node(document, accessors, node, len(names)) for node in chosen]
    starts = np.cumsum([0, *(len(uv) for uv, _, _, _ in parts)])
    return Surface(
        np.concatenate([uv for uv, _, _, _ in parts]) if any(has for _, has, _, _ in parts) else None,
        int(starts[-1]),
        names,
        np.concatenate([faces + start for (_, _, faces, _), start in zip(parts, starts[:-1], strict=True)]),
        np.concatenate([material for _, _, _, material in parts]),
        text(document.gltf.asset.copyright),
    )


def _of_node(
    document: Document, accessors: Accessors, node: int, materials: int
) -> tuple[NDArray[np.float32], bool, Faces, NDArray[np.int64]]:
    """Texture coordinates and whether there are any; faces and their materials."""
    geometry = read_geometry(document, accessors, [node], 0)
    meshes = records(document.gltf.meshes, "meshes")
    mesh = meshes[integer(document.gltf.nodes[node].mesh, 0, len(meshes), f"nodes[{node}].mesh")]
    uv, found = np.zeros((len(geometry.vertices), 2), np.float32), False
    starts: dict[object, int] = {}
    kinds: list[NDArray[np.int64]] = []
    end = 0
    for number, primitive in enumerate(records(mesh.primitives, "primitives")):
        if primitive.mode is not None and primitive.mode < TRIANGLES:
            continue
        where = f"nodes[{node}].primitives[{number}]"
        position = attribute_index(primitive.attributes, "POSITION")
        size = len(accessors.floats(position, "VEC3", f"{where}: POSITION"))
        start = starts.setdefault(position, end)  # primitives that share vertices
        end = max(end, start + size)
        coordinates = attribute_index(primitive.attributes, "TEXCOORD_0")
        if coordinates is not None and end <= len(uv):
            uv[start : start + size] = accessors.floats(coordinates, "VEC2", f"{where}: TEXCOORD_0")
            found = True
        kind = -1 if primitive.material is None else integer(primitive.material, 0, materials, f"{where}.material")
        kinds.append(np.full(_count(accessors, primitive, size, where), kind, np.int64))
    return uv, found and end == len(uv), np.asarray(geometry.faces), np.concatenate(kinds)


def _count(accessors: Accessors, primitive: Any, size: int, where: str) -> int:
    """Triangles of a primitive."""
    corners = size
    if primitive.indices is not None:
        corners = len(accessors.integers(primitive.indices, "SCALAR", f"{where}: indices"))
    return corners // 3 if primitive.mode in (None, TRIANGLES) else max(0, corners - 2)
