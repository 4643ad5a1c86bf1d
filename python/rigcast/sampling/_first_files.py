"""Files of a data set that are written first: the rig's rest state, what lies on its mesh, clips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.surface import Surface, check_surface
from rigcast._validate import bad_argument
from rigcast.sampling._check import CheckedRig
from rigcast.sampling._clips import Clip, Clips, no_clips
from rigcast.sampling._npy import npy_header

# name -> whether a manifest asks for it, its type, its shape
Shape = Callable[[dict[str, Any]], tuple[int, ...]]
FILES: dict[str, tuple[str, str, Shape]] = {
    "vertex_parts": ("parts", "<i4", lambda m: (m["num_vertices"],)),
    "face_materials": ("materials", "<i4", lambda m: (m["num_faces"],)),
    "uvs": ("num_uvs", "<f4", lambda m: (m["num_uvs"], 2)),
    "uv_faces": ("num_uvs", "<i4", lambda m: (m["num_faces"], 4)),
    "clip": ("clips", "<i4", lambda m: (m["count"],)),
    "skin_joint": ("skin", "<i4", lambda m: (m["num_vertices"], m["skin"])),
    "skin_weight": ("skin", "<f4", lambda m: (m["num_vertices"], m["skin"])),
}


def stated(surface: Surface, clips: Clips) -> dict[str, Any]:
    """The fields of a manifest that say which files there are."""
    return {
        "parts": list(surface.parts),
        "materials": list(surface.materials),
        "num_uvs": len(surface.uvs),
        "clips": [clip.entry() for clip in clips.clips],
    }


def npy_bytes(array: NDArray[Any]) -> bytes:
    """The content of the ``.npy`` file of a little-endian array."""
    return npy_header(array.dtype.str, array.shape) + np.ascontiguousarray(array).tobytes()


def contents(facts: CheckedRig, clips: Clips) -> dict[str, bytes]:
    """Contents of the files that are known before anything is sampled: the rig's rest state, its surface, clips."""
    rest = {"rest_vertices.npy": facts.rest_vertices, "faces.npy": facts.faces}
    if facts.joint_names:
        rest["skeleton_rest.npy"] = facts.skeleton_rest
    found = rest | {f"{name}.npy": array.astype(FILES[name][1]) for name, array in facts.surface.arrays().items()}
    if facts.skin is not None:
        found |= {"skin_joint.npy": facts.skin.joint.astype("<i4"), "skin_weight.npy": facts.skin.weight.astype("<f4")}
    if clips.clips:
        found["clip.npy"] = clips.rows.astype("<i4")
    return {name: npy_bytes(array) for name, array in found.items()}


def file_names(manifest: dict[str, Any]) -> set[str]:
    """The names of the files for surface and clips that a manifest asks for."""
    return {f"{name}.npy" for name, (field, _, _) in FILES.items() if manifest.get(field)}


def read_surface(
    manifest: dict[str, Any], faces: NDArray[np.int32], read: Callable[[str, str, tuple[int, ...]], NDArray[Any]]
) -> Surface:
    """The surface; empty if the rig has none.

    Parameters
    ----------
    read : callable
        The content of a file by name, type and shape.

    Raises
    ------
    ValueError
        If a file is missing or malformed, or an index is out of range. The message names the file.
    """
    content: dict[str, Any] = {name: manifest[name] for name in ("parts", "materials")}
    for name in ("vertex_parts", "face_materials", "uvs", "uv_faces"):
        field, dtype, shape = FILES[name]
        if manifest[field]:
            content[name] = read(f"{name}.npy", dtype, shape(manifest))
    try:
        return check_surface(Surface(**content), manifest["num_vertices"], faces, "Dataset")
    except ValueError as error:
        files = ", ".join(f"{name}.npy" for name in content if name not in ("parts", "materials"))
        raise ValueError(f"Dataset: {files} do not fit the mesh: {error}") from error


def read_skin(
    manifest: dict[str, Any], read: Callable[[str, str, tuple[int, ...]], NDArray[Any]]
) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
    """Joints and weights (V, K) of the rig's own skin; None if the set has none.

    Raises
    ------
    ValueError
        As :func:`read_surface`.
    """
    count = manifest.get("skin", 0)
    if not count:
        return None
    files = {name: FILES[name] for name in ("skin_joint", "skin_weight")}
    joint, weight = (read(f"{name}.npy", dtype, shape(manifest)) for name, (_, dtype, shape) in files.items())
    if joint.min(initial=0) < 0 or joint.max(initial=0) >= len(manifest["joint_names"]):
        raise bad_argument("Dataset", "skin_joint.npy", "out of range", "joints of the set")
    if not (np.isfinite(weight).all() and (weight >= 0).all() and (np.abs(weight.sum(axis=1) - 1.0) < 1e-3).all()):
        raise bad_argument("Dataset", "skin_weight.npy", "no weights", "not negative, each row of sum 1")
    return joint.astype(np.int32), weight.astype(np.float32)


def read_clips(manifest: dict[str, Any], read: Callable[[str, str, tuple[int, ...]], NDArray[Any]]) -> Clips:
    """The clips; none if no row is of one.

    Raises
    ------
    ValueError
        As :func:`read_surface`.
    """
    count = manifest["count"]
    if not manifest["clips"]:
        return no_clips(count)
    rows = read("clip.npy", "<i4", (count,))
    known = tuple(Clip(entry["name"], entry["fps"]) for entry in manifest["clips"])
    wrong = np.flatnonzero((rows < -1) | (rows >= len(known)))
    if len(wrong):
        got = f"{rows[wrong[0]]} in row {wrong[0]}"
        raise bad_argument("Dataset", "clip.npy", got, f"clips from -1 to {len(known) - 1}")
    return Clips(known, rows.astype(np.int32))


def are_clips(value: Any, _: dict[str, Any]) -> bool:
    """Whether a manifest's field ``clips`` is right."""
    if not isinstance(value, list) or not all(isinstance(e, dict) and e.keys() == {"name", "fps"} for e in value):
        return False
    try:
        clips = [Clip(entry["name"], entry["fps"]) for entry in value]
    except ValueError:
        return False
    return len(set(clips)) == len(clips)
