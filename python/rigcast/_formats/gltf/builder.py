"""Binary glTF 2.0 files under construction: buffer, accessors, and meshes of parts with materials."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._formats.gltf.coverage import turned
from rigcast._rigs.description import Skin
from rigcast._rigs.pieces import Piece, split_at_seams, triangulated
from rigcast._rigs.surface import Surface

FLOAT, U16, U32 = 5126, 5123, 5125
VERTEX_DATA, INDEX_DATA = 34962, 34963
PER_SET = 4  # joints of one attribute


def mesh_of(
    document: Builder,
    rest: NDArray[np.float32],
    targets: Sequence[tuple[str, Callable[[], NDArray[np.float32]]]],
    piece: Piece,
    materials: list[str],
    skin: Skin | None = None,
) -> dict[str, Any]:
    """A mesh: one primitive per material of a part; they share vertices, targets and skin.

    Parameters
    ----------
    document : Builder
    rest : (V, 3) array
        Of the whole mesh.
    targets : sequence of (name, function that gives the offsets (V, 3))
    piece : Piece
    materials : list of str
        Of the file.
    skin : Skin, optional
        Of the whole mesh.
    """
    triangles, covered = triangulated(piece.faces, piece.surface)
    vertices, uvs = piece.vertices, None
    if len(covered.uvs):
        places, triangles, uvs = split_at_seams(triangles, covered, len(vertices))
        vertices = vertices[places]
    shared: dict[str, Any] = {"attributes": {"POSITION": document.dense(rest[vertices], VERTEX_DATA)}}
    if uvs is not None:
        shared["attributes"]["TEXCOORD_0"] = document.vectors(turned(uvs), "VEC2")
    if skin is not None:
        shared["attributes"] |= _influences(document, skin.joint[vertices], skin.weight[vertices])
    if targets:
        shared["targets"] = [{"POSITION": document.offsets(offsets()[vertices])} for _, offsets in targets]
    mesh: dict[str, Any] = {"primitives": _primitives(document, shared, triangles, len(vertices), covered, materials)}
    return mesh | ({"extras": {"targetNames": [name for name, _ in targets]}} if targets else {})


def _influences(document: Builder, joint: NDArray[np.int32], weight: NDArray[np.float64]) -> dict[str, int]:
    """Attributes of four joints each, the largest weights first."""
    sets = -(-joint.shape[1] // PER_SET)
    room = ((0, 0), (0, sets * PER_SET - joint.shape[1]))
    joints = np.pad(np.where(weight > 0, joint, 0), room).astype(np.uint16)
    weights = np.pad(weight, room).astype(np.float32)
    found = {}
    for number in range(sets):
        columns = slice(number * PER_SET, (number + 1) * PER_SET)
        found[f"JOINTS_{number}"] = document.joints(joints[:, columns])
        found[f"WEIGHTS_{number}"] = document.vectors(weights[:, columns], "VEC4", VERTEX_DATA)
    return found


def _primitives(
    document: Builder,
    shared: dict[str, Any],
    triangles: NDArray[np.int32],
    count: int,
    surface: Surface,
    materials: list[str],
) -> list[dict[str, Any]]:
    """One per material, each numbered as the file's are."""
    if not len(triangles):
        return [shared | {"mode": 0}]  # points
    if not surface.materials:
        return [shared | {"indices": document.indices(triangles, count)}]
    found = []
    for kind in np.unique(surface.face_materials).tolist():
        indices = document.indices(triangles[surface.face_materials == kind], count)
        number = {"material": materials.index(surface.materials[kind])} if kind >= 0 else {}
        found.append(shared | {"indices": indices} | number)
    return found


def offset_bytes(moving: int, count: int) -> int:
    """Bytes of the offsets of a morph target of ``count`` vertices, of which ``moving`` move."""
    return min(12 * count, moving * (16 if count > 1 << 16 else 14))


class Builder:
    """Buffer, views and accessors under construction."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self._views: list[dict[str, int]] = []
        self._accessors: list[dict[str, Any]] = []

    def dense(self, values: NDArray[np.float32], target: int | None = None) -> int:
        """An accessor of vectors (n, 3), with the range that positions must state."""
        view = self._view(values.astype("<f4").tobytes(), target)
        ends = {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        return self._accessor({"bufferView": view, "componentType": FLOAT, "count": len(values), "type": "VEC3"} | ends)

    def offsets(self, delta: NDArray[np.float32]) -> int:
        """An accessor of morph offsets (V, 3): sparse over zeros where few vertices move."""
        delta = np.asarray(delta, np.float32)
        moving = np.flatnonzero(delta.any(axis=1))
        wide = len(delta) > 1 << 16
        if not len(moving) or offset_bytes(len(moving), len(delta)) == delta.nbytes:
            return self.dense(delta) if len(moving) else self._zeros(len(delta))
        sparse = {
            "count": len(moving),
            "indices": {
                "bufferView": self._view(moving.astype("<u4" if wide else "<u2").tobytes()),
                "componentType": U32 if wide else U16,
            },
            "values": {"bufferView": self._view(delta[moving].astype("<f4").tobytes())},
        }
        ends = {"min": delta.min(axis=0).tolist(), "max": delta.max(axis=0).tolist()}
        return self._accessor({"componentType": FLOAT, "count": len(delta), "type": "VEC3", "sparse": sparse} | ends)

    def indices(self, triangles: NDArray[np.int32], num_vertices: int) -> int:
        """An accessor of corners, in 16 bits where they fit."""
        wide = num_vertices >= 1 << 16  # 65535 is the restart value
        view = self._view(triangles.astype("<u4" if wide else "<u2").tobytes(), INDEX_DATA)
        kind = {"componentType": U32 if wide else U16, "count": triangles.size, "type": "SCALAR"}
        return self._accessor({"bufferView": view} | kind)

    def numbers(self, values: NDArray[np.float32]) -> int:
        """An accessor of numbers (n,)."""
        view = self._view(values.astype("<f4").tobytes())
        ends = {"min": [float(values.min())], "max": [float(values.max())]}
        kind = {"bufferView": view, "componentType": FLOAT, "count": len(values), "type": "SCALAR"}
        return self._accessor(kind | ends)

    def vectors(self, values: NDArray[Any], kind: str, target: int | None = None) -> int:
        """An accessor of rows (n, ...) of numbers that state no range."""
        view = self._view(values.astype("<f4").tobytes(), target)
        return self._accessor({"bufferView": view, "componentType": FLOAT, "count": len(values), "type": kind})

    def joints(self, values: NDArray[np.uint16]) -> int:
        """An accessor of joint indices (n, 4)."""
        view = self._view(values.astype("<u2").tobytes(), VERTEX_DATA)
        return self._accessor({"bufferView": view, "componentType": U16, "count": len(values), "type": "VEC4"})

    def write(self, path: Path, content: dict[str, Any]) -> None:
        """Write the container."""
        buffers = {"buffers": [{"byteLength": len(self._blob)}], "bufferViews": self._views}
        text = json.dumps(content | buffers | {"accessors": self._accessors}).encode()
        text += b" " * (-len(text) % 4)
        blob = bytes(self._blob) + b"\0" * (-len(self._blob) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
        atomic_write(path, struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)

    def _zeros(self, count: int) -> int:
        ends = {"min": [0.0] * 3, "max": [0.0] * 3}
        return self._accessor({"componentType": FLOAT, "count": count, "type": "VEC3"} | ends)

    def _view(self, content: bytes, target: int | None = None) -> int:
        self._blob += b"\0" * (-len(self._blob) % 4)
        view = {"buffer": 0, "byteOffset": len(self._blob), "byteLength": len(content)}
        self._views.append(view if target is None else view | {"target": target})
        self._blob += content
        return len(self._views) - 1

    def _accessor(self, record: dict[str, Any]) -> int:
        self._accessors.append(record)
        return len(self._accessors) - 1
