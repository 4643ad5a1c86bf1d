"""Files of a data set other than its shards, written first: the rest state, surface, skin weights, clips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._hashing import topology_hash
from rigcast._rigs.surface import Surface, check_surface
from rigcast._validate import Arguments, bad_argument
from rigcast.errors import ArgumentError
from rigcast.sampling._check import CheckedRig, check_faces
from rigcast.sampling._drawing.clips import Clip, Clips, no_clips
from rigcast.sampling._store.layout import FILES, npy_header
from rigcast.sampling._store.rows import RowFile, Rows


def npy_bytes(array: NDArray[Any]) -> bytes:
    """The content of the ``.npy`` file of a little-endian array."""
    return npy_header(array.dtype.str, array.shape) + np.ascontiguousarray(array).tobytes()


def file_contents(facts: CheckedRig, clips: Clips) -> dict[str, bytes]:
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
        raise ArgumentError("Dataset", "", f"{files} do not fit the mesh: {error}", "") from error


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


def read_rest(
    folder: Path, manifest: dict[str, Any]
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]:
    """The rest state: vertices (V, 3), faces (F, 4), joints (J, 3, 4); none of them can be written to.

    Raises
    ------
    ValueError
        If a file is missing or malformed, or the mesh is not the manifest's. The message names the file.
    """
    count, joints = manifest["num_vertices"], len(manifest["joint_names"])
    check = Arguments("Dataset")
    rest = _read(folder / "rest_vertices.npy", "<f4", (count, 3))
    rest = np.array(check.numbers("rest_vertices.npy", rest, "V 3", dtype=np.float32))
    faces = check_faces(_read(folder / "faces.npy", "<i4", (manifest["num_faces"], 4)), count, "Dataset", "faces.npy")
    found = topology_hash(faces, count)
    if found != manifest["topology_hash"]:
        got = f"a mesh of topology hash {found[:12]}..."
        expected = f"the mesh of the manifest, {manifest['topology_hash'][:12]}..."
        raise bad_argument("Dataset", "faces.npy", got, expected)
    skeleton = np.zeros((0, 3, 4), np.float32)
    if joints:
        skeleton = _read(folder / "skeleton_rest.npy", "<f4", (joints, 3, 4))
        skeleton = np.array(check.numbers("skeleton_rest.npy", skeleton, "J 3 4", dtype=np.float32))
    return frozen(rest), frozen(faces), frozen(skeleton)


OwnSkin = tuple[NDArray[np.int32], NDArray[np.float32]] | None


def read_more(folder: Path, manifest: dict[str, Any], faces: NDArray[np.int32]) -> tuple[Surface, Clips, OwnSkin]:
    """The surface of the mesh, the clips of the rows, and the rig's own skin weights; empty where the set has none.

    Raises
    ------
    ValueError
        If a file is missing or malformed. The message names the file.
    """

    def read(name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        return _read(folder / name, dtype, shape)

    return read_surface(manifest, faces, read), read_clips(manifest, read), read_skin(manifest, read)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, which nobody can write to any"""
    array.flags.writeable = False
    return array


def _read(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    return Rows([RowFile(path, dtype, shape)])[:]
