"""Materials and texture coordinates of primitives, collected while their faces are read (glTF 2.0, section 3.7.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.accessors import Accessors
from rigcast._formats.gltf.document import Document, attribute_index, integer, records, refuse, text
from rigcast._rigs.surface import Surface

Faces = NDArray[np.int64]


def material_names(document: Document) -> list[str]:
    """Of all materials of a file; equal names are one material."""
    listed = records(document.gltf.materials, "materials")
    return [text(record.name) or f"material {n}" for n, record in enumerate(listed)]


class Coverage:
    """The surface of primitives, read one after another."""

    def __init__(self, document: Document, accessors: Accessors) -> None:
        self._document, self._accessors = document, accessors
        self._materials = material_names(document)
        self._starts: dict[object, int] = {}
        self._uvs: list[NDArray[np.float32]] = []
        self._corners: list[NDArray[np.int64]] = []
        self._kinds: list[NDArray[np.int64]] = []
        self._count = 0

    def add(self, primitive: Any, faces: Faces, size: int, where: str) -> None:
        """A primitive whose faces name its own vertices, of which there are ``size``."""
        kind = -1
        if primitive.material is not None:
            kind = integer(primitive.material, 0, len(self._materials), f"{where}.material")
        self._kinds.append(np.full(len(faces), kind, np.int64))
        accessor = attribute_index(primitive.attributes, "TEXCOORD_0")
        if accessor is None:
            self._corners.append(np.full((len(faces), 3), -1, np.int64))
            return
        if accessor not in self._starts:
            coordinates = self._accessors.floats(accessor, "VEC2", f"{where}: TEXCOORD_0")
            self._document.spend(coordinates.nbytes, where)
            self._starts[accessor] = self._count
            self._uvs.append(turned(coordinates))
            self._count += len(coordinates)
        place = [*self._starts].index(accessor)
        count = len(self._uvs[place])
        if count != size:
            raise refuse(f"{where}: TEXCOORD_0", f"of {count} vertices", f"of {size}, like the primitive")
        self._corners.append(faces + self._starts[accessor])

    def surface(self, parts: list[str], sizes: list[int]) -> Surface:
        """All of it; the mesh nodes are the parts, with so many vertices each. Materials without faces are left out."""
        listed = list(dict.fromkeys(self._materials))
        place = np.array([listed.index(name) for name in self._materials] + [-1], np.int32)
        kinds = place[np.concatenate(self._kinds)]
        used = [n for n in range(len(listed)) if (kinds == n).any()]
        renumbered = np.full(len(listed) + 1, -1, np.int32)
        renumbered[used] = np.arange(len(used), dtype=np.int32)
        corners = np.concatenate(self._corners)
        return Surface(
            parts,
            np.repeat(np.arange(len(parts), dtype=np.int32), sizes),
            [listed[n] for n in used],
            renumbered[kinds] if used else np.zeros(0, np.int32),
            np.concatenate([np.zeros((0, 2), np.float32), *self._uvs]),
            corners.astype(np.int32) if self._count else np.zeros((0, 3), np.int32),
        )


def turned(uvs: NDArray[Any]) -> NDArray[np.float32]:
    """Texture coordinates between glTF, whose v points down, and :class:`Surface`, whose v points up."""
    result = uvs.astype(np.float64)
    result[:, 1] = 1.0 - result[:, 1]
    return result.astype(np.float32)
