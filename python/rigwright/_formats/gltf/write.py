"""A blendshape rig and its animation as one binary glTF 2.0 file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigwright._atomic_files import atomic_write
from rigwright._rigs import shot
from rigwright._rigs.head import motion_parts
from rigwright._rigs.rotations import matrix_to_quaternion

if TYPE_CHECKING:
    from rigwright import BlendshapeRig
    from rigwright._formats.gltf.surface import Surface

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
) -> None:
    """Write mesh, targets (sparse where that is smaller) and a LINEAR clip with one key per frame.

    The node scales by ``meters_per_unit`` and turns the up axis, so that viewers show meters, y up. The head's motion
    (T, 3, 4) is keyed on the same node: rotations as quaternions, which LINEAR interpolates on the sphere.
    ``still`` are the weights (N,) of what is shown without the clip, by default the neutral.
    ``surface`` adds texture coordinates and materials by their names, in the order of the rig's vertices.
    """
    document = _Document()
    rest = np.asarray(rig.rest_vertices, np.float32)
    primitive: dict[str, Any] = {"attributes": {"POSITION": document.dense(rest, VERTEX_DATA)}}
    if surface is not None and surface.uv is not None:
        primitive["attributes"]["TEXCOORD_0"] = document.vectors(surface.uv, "VEC2")
    primitive["targets"] = [{"POSITION": document.offsets(rig.column(n))} for n in range(rig.num_columns)]
    primitives = _primitives(document, primitive, _triangles(np.asarray(rig.faces)), len(rest), surface)
    mesh: dict[str, Any] = {"primitives": primitives, "extras": {"targetNames": rig.column_names}}
    mesh["weights"] = [0.0] * rig.num_columns if still is None else still.tolist()
    times = (np.arange(len(weights)) / fps).astype(np.float32)
    keys = np.ascontiguousarray(rig.activations(weights), np.float32)
    start = document.numbers(times)
    tracks = {"weights": document.numbers(keys.reshape(-1))} | _node_tracks(document, rig, motion)
    samplers = [{"input": start, "output": output, "interpolation": "LINEAR"} for output in tracks.values()]
    channels = [{"sampler": number, "target": {"node": 0, "path": path}} for number, path in enumerate(tracks)]
    document.write(
        path,
        {
            "asset": _asset(rig.metadata),
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": rig.metadata.get("name") or "face", "mesh": 0, **_placement(rig.metadata)}],
            "meshes": [mesh],
            **({"materials": [{"name": name} for name in surface.materials]} if surface and surface.materials else {}),
            "animations": [{"name": "weights", "samplers": samplers, "channels": channels}],
        },
    )


def _asset(metadata: dict[str, Any]) -> dict[str, str]:
    licence = str(metadata.get("licence") or "")
    return {"version": "2.0", "generator": "rigwright"} | ({"copyright": licence} if licence else {})


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
    document: _Document, shared: dict[str, Any], triangles: NDArray[np.int32], count: int, surface: Surface | None
) -> list[dict[str, Any]]:
    """One primitive a material; they share vertices and targets."""
    if not len(triangles):
        return [shared | {"mode": 0}]  # points
    if surface is None or not surface.materials:
        return [shared | {"indices": document.indices(triangles, count)}]
    kinds = surface.of_triangles(triangles)
    return [
        shared
        | {"indices": document.indices(triangles[kinds == kind], count)}
        | ({"material": int(kind)} if kind >= 0 else {})
        for kind in np.unique(kinds)
    ]


def _triangles(faces: NDArray[np.int32]) -> NDArray[np.int32]:
    """Triangles of faces (F, 4): quads are split along their first diagonal."""
    quads = faces[faces[:, 3] >= 0]
    return np.concatenate([faces[:, :3], quads[:, [0, 2, 3]]])


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
