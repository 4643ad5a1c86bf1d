"""A blendshape rig and its animation as one binary glTF 2.0 file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.gltf.builder import Builder, mesh_of
from rigcast._formats.gltf.face_notes import notes_of
from rigcast._rigs.motions import shot
from rigcast._rigs.motions.head import motion_parts
from rigcast._rigs.pieces import Piece, pieces
from rigcast._rigs.rotations import matrix_to_quaternion
from rigcast._rigs.surface import Surface

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

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
    document = Builder()
    whole = surface or Surface()
    parts = pieces(np.asarray(rig.faces), whole, len(rig.rest_vertices))
    names = _node_names(rig.metadata.get("name") or "face", parts)
    targets = [(name, partial(rig.column, number)) for number, name in enumerate(rig.column_names)]
    rest = np.asarray(rig.rest_vertices, np.float32)
    meshes = [mesh_of(document, rest, targets, piece, whole.materials) for piece in parts]
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
            "asset": asset(rig.metadata),
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


def asset(metadata: dict[str, Any]) -> dict[str, str]:
    licence = str(metadata.get("licence") or "")
    return {"version": "2.0", "generator": "rigcast"} | ({"copyright": licence} if licence else {})


def _placement(metadata: dict[str, Any]) -> dict[str, list[float]]:
    scale = float(metadata.get("meters_per_unit", 1.0))
    turn = TO_Y_UP[str(metadata.get("up_axis", "Y"))]
    placed = {} if scale == 1.0 else {"scale": [scale] * 3}
    return placed if turn is None else placed | {"rotation": turn}


def _node_tracks(document: Builder, rig: BlendshapeRig, motion: NDArray[np.float64] | None) -> dict[str, int]:
    """The tracks that move the node, by the path that they are keyed under: the head's motion, in meters and y up."""
    if motion is None:
        return {}
    turn, unit = shot.TO_Y_UP[str(rig.up_axis)], float(rig.meters_per_unit)
    rotation, shift, scale = motion_parts(motion)
    tracks = {"rotation": document.vectors(matrix_to_quaternion(turn @ rotation), "VEC4")}
    tracks["translation"] = document.vectors(unit * shift @ turn.T, "VEC3")
    if np.abs(scale - 1.0).max() > SCALES:
        tracks["scale"] = document.vectors(np.repeat(unit * scale[:, None], 3, axis=1), "VEC3")
    return tracks
