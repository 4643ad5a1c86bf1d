"""A blendshape rig and its animation as one binary glTF 2.0 file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._formats.gltf.coverage import turned
from rigcast._formats.gltf.face_notes import notes_of
from rigcast._rigs import shot
from rigcast._rigs.head import motion_parts
from rigcast._rigs.pieces import Piece, pieces, split_at_seams, triangulated
from rigcast._rigs.rotations import matrix_to_quaternion
from rigcast._rigs.surface import Surface

if TYPE_CHECKING:
    from rigcast import BlendshapeRig

FLOAT, U16, U32 = 5126, 5123, 5125
VERTEX_DATA, INDEX_DATA = 34962, 34963
# Node rotations (x, y, z, w) that turn a rig's up axis to glTF's y.
TO_Y_UP = {"Y": None, "Z": [-(0.5**0.5), 0.0, 0.0, 0.5**0.5], "X": [0.0, 0.0, 0.5**0.5, 0.5**0.5]}

SCALES = 1e-9  # relative: scales nearer to 1 are rounding


def write_glb(
    path: Path,
    rig: BlendshapeRig,
    weights: NDArray[np.float32],
    fps: float,
    motion: NDArray[np.float64] | None = None,
    still: NDArray[np.float32] | None = None,
    surface: Surface | None = None,
    is_face: bool = True,
) -> None:
    """Write mesh, targets (sparse where that is smaller) and a LINEAR clip with one key per frame.

    The node scales by ``meters_per_unit`` and turns the up axis, so that viewers show meters, y up. The head's motion
    (T, 3, 4) is keyed on the same node: rotations as quaternions, which LINEAR interpolates on the sphere.
    ``still`` are the weights (N,) of what is shown without the clip, by default the neutral.
    ``surface``, of the rig's vertices and faces, adds texture coordinates and materials by their names. glTF has one
    texture coordinate per vertex: those at seams are duplicated behind the others. Each part is a mesh with a node of
    its own below the one that is placed. Correctives are targets of their own; the node of a face says of what in its
    ``extras`` (``face_notes``), that of a moving mesh (``is_face`` False) has none.
    """
    document = _Document()
    whole = surface or Surface()
    parts = pieces(np.asarray(rig.faces), whole, len(rig.rest_vertices))
    names = _node_names(rig.metadata.get("name") or "face", parts)
    meshes = [_mesh(document, rig, piece, whole.materials) for piece in parts]
    for number, mesh in enumerate(meshes):
        mesh["weights"] = [0.0] * rig.num_columns if still is None else still.tolist()
        if parts[number].name:
            mesh["name"] = parts[number].name
    start = document.numbers((np.arange(len(weights)) / fps).astype(np.float32))
    keys = document.numbers(np.ascontiguousarray(rig.activations(weights), np.float32).reshape(-1))
    tracks = [(node, "weights", keys) for node in range(len(names) > 1, len(names))]
    tracks += [(0, path, output) for path, output in _node_tracks(document, rig, motion).items()]
    samplers = [{"input": start, "output": output, "interpolation": "LINEAR"} for _, _, output in tracks]
    channels = [{"sampler": n, "target": {"node": node, "path": path}} for n, (node, path, _) in enumerate(tracks)]
    document.write(
        path,
        {
            "asset": _asset(rig.metadata),
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": _nodes(names, _placement(rig.metadata), notes_of(rig) if is_face else {}),
            "meshes": meshes,
            **({"materials": [{"name": name} for name in whole.materials]} if whole.materials else {}),
            "animations": [{"name": "weights", "samplers": samplers, "channels": channels}],
        },
    )


def _node_names(name: str, parts: list[Piece]) -> list[str]:
    """Of the node that is placed, then of the parts, if there are several."""
    return [name] + [part.name or name for part in parts] * (len(parts) > 1)


def _nodes(names: list[str], placement: dict[str, list[float]], extras: dict[str, Any]) -> list[dict[str, Any]]:
    below = [{"name": name, "mesh": number} for number, name in enumerate(names[1:])]
    holds = {"children": [*range(1, len(names))]} if below else {"mesh": 0}
    return [{"name": names[0], **holds, **placement, **({"extras": extras} if extras else {})}, *below]


def _mesh(document: _Document, rig: BlendshapeRig, piece: Piece, materials: list[str]) -> dict[str, Any]:
    """One primitive per material of a part; they share vertices and targets."""
    triangles, covered = triangulated(piece.faces, piece.surface)
    vertices, uvs = piece.vertices, None
    if len(covered.uvs):
        places, triangles, uvs = split_at_seams(triangles, covered, len(vertices))
        vertices = vertices[places]
    rest = np.asarray(rig.rest_vertices, np.float32)[vertices]
    shared: dict[str, Any] = {"attributes": {"POSITION": document.dense(rest, VERTEX_DATA)}}
    if uvs is not None:
        shared["attributes"]["TEXCOORD_0"] = document.vectors(turned(uvs), "VEC2")
    shared["targets"] = [{"POSITION": document.offsets(rig.column(n)[vertices])} for n in range(rig.num_columns)]
    return {
        "primitives": _primitives(document, shared, triangles, len(vertices), covered, materials),
        "extras": {"targetNames": rig.column_names},
    }


def _asset(metadata: dict[str, Any]) -> dict[str, str]:
    licence = str(metadata.get("licence") or "")
    return {"version": "2.0", "generator": "rigcast"} | ({"copyright": licence} if licence else {})


def _placement(metadata: dict[str, Any]) -> dict[str, list[float]]:
    scale = float(metadata.get("meters_per_unit", 1.0))
    turn = TO_Y_UP[str(metadata.get("up_axis", "Y"))]
    placed = {} if scale == 1.0 else {"scale": [scale] * 3}
    return placed if turn is None else placed | {"rotation": turn}


def _node_tracks(document: _Document, rig: BlendshapeRig, motion: NDArray[np.float64] | None) -> dict[str, int]:
    """What moves the node, by the path that it is keyed under: where the head goes, in meters and y up."""
    if motion is None:
        return {}
    turn, unit = shot.TO_Y_UP[str(rig.up_axis)], float(rig.meters_per_unit)
    rotation, shift, scale = motion_parts(motion)
    tracks = {"rotation": document.vectors(matrix_to_quaternion(turn @ rotation), "VEC4")}
    tracks["translation"] = document.vectors(unit * shift @ turn.T, "VEC3")
    if np.abs(scale - 1.0).max() > SCALES:
        tracks["scale"] = document.vectors(np.repeat(unit * scale[:, None], 3, axis=1), "VEC3")
    return tracks


def _primitives(
    document: _Document,
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


class _Document:
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
        if not len(moving) or len(moving) * (16 if wide else 14) >= delta.nbytes:
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

    def vectors(self, values: NDArray[Any], kind: str) -> int:
        """An accessor of vectors (n, 2), (n, 3) or (n, 4) that state no range."""
        view = self._view(values.astype("<f4").tobytes())
        return self._accessor({"bufferView": view, "componentType": FLOAT, "count": len(values), "type": kind})

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
