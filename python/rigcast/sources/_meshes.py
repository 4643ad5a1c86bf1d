"""Opening one mesh, whatever kind of file holds it, or several of one topology."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import load as load_model
from rigcast._formats.gltf import GltfSkeleton
from rigcast._formats.npz.archive import Member, member_names, read_arrays
from rigcast._formats.ply import read_ply
from rigcast._formats.readers import existing_file
from rigcast._formats.registry import GLTF
from rigcast._hashing import padded_faces
from rigcast._rigs.mesh import Mesh
from rigcast._rigs.motions.shot import Shot
from rigcast._rigs.source_notes import notes_of, opened
from rigcast._safe_reading import errors_naming
from rigcast._text import escaped
from rigcast._validate import bad_argument, bad_file, missing_file
from rigcast.sources._arrays import read_array
from rigcast.sources._blendshapes import load_blendshapes
from rigcast.sources._load import load
from rigcast.sources._shots import load_shot

Float32 = NDArray[np.float32]

MEMBERS = {"vertices": Member("fiu", ("V", 3)), "faces": Member("iu", ("F", "W"))}  # of an archive of one mesh


def load_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Open one mesh: a scan, or a character at rest.

    Parameters
    ----------
    path : path-like
        ``.obj``, ``.obj.gz``; ``.ply`` (needs trimesh); ``.npy`` (V, 3); ``.npz`` with ``vertices`` and optional
        ``faces``; ``.glb``, ``.gltf``, ``.blend``, ``.safetensors`` and rigs in ``.npz``: the mesh at rest; USD and
        ``.abc``: the only frame. Vertices keep the order of the file.

    Returns
    -------
    Mesh
        ``vertices`` (V, 3), ``faces`` (F, 4), ``name``; unit and up axis if the file states them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it holds no mesh, or several frames.
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> rc.exports.write_rig("face.glb", rc.faces.example())
    >>> rc.sources.load_mesh("face.glb")
    <Mesh 'face': 2,536 vertices, 4,808 faces>
    """
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file("load_mesh", "path", file)
    existing_file(file, "load_mesh")
    suffix = file.suffix.lower()
    if suffix == ".npy":
        return _one(read_array(file, "load_mesh"), path=file)
    if suffix == ".ply":
        return _one(*read_ply(file, "load_mesh"), path=file)
    if suffix == ".safetensors":
        with errors_naming(file):
            return _at_rest(opened(file, load_model(file), inherited=True), file)
    if suffix == ".npz" and "vertices" in member_names(file, "load_mesh"):
        return _archived(file)
    if suffix in (".npz", ".blend", ".fbx"):
        return _at_rest(load_blendshapes(file), file)
    if suffix in GLTF.endings:
        with contextlib.suppress(ValueError):  # without morph targets; the next reader reports what is broken
            return _at_rest(load_blendshapes(file), file)
        return _at_rest(load(file), file)
    shot = _shot(file, "load_mesh")
    about: dict[str, Any] = {"meters_per_unit": shot.meters_per_unit, "up_axis": shot.up_axis, "notes": shot.notes}
    return _one(shot.vertices, shot.faces, path=file, **about)


def load_scans(paths: Sequence[str | os.PathLike[str]], count: int | None = None) -> Float32:
    """Read scans of one topology into one array: files of one mesh or several, folders of OBJ files.

    Parameters
    ----------
    paths : sequence of path
        ``.npy`` (J, V, 3) or (V, 3), ``.ply``, or what :func:`load_shot` opens.
    count : int, optional
        The number of vertices that each must have. Default: as the first.

    Returns
    -------
    (J, V, 3) float32, in the order given

    Raises
    ------
    ValueError
        If a mesh has another number of vertices or is not finite, or there is none.
    """
    rows: list[Float32] = []
    for path in map(Path, paths):
        meshes = _meshes(path)
        meshes = meshes[None] if meshes.ndim == 2 else meshes
        wanted = meshes.shape[1] if count is None and meshes.ndim == 3 else count
        if meshes.ndim != 3 or meshes.shape[1:] != (wanted, 3) or meshes.dtype.kind not in "fiu":
            problem = f"{meshes.dtype} {meshes.shape}; every mesh must have {wanted} vertices"
            raise bad_file(path, problem, function="load_scans")
        _check_finite("load_scans", meshes, path)
        count = wanted
        rows.append(np.asarray(meshes, np.float32))
    if not rows:
        raise bad_argument("load_scans", "paths", "empty", "at least one file")
    return np.concatenate(rows)


def _meshes(path: Path) -> NDArray[Any]:
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return read_array(path, "load_scans")
    if suffix == ".ply":
        return read_ply(path, "load_scans")[0]
    return _shot(path, "load_scans").vertices


def _at_rest(model: Any, path: Path) -> Mesh:
    if isinstance(model, GltfSkeleton):
        raise bad_argument("load_mesh", "path", f"{path}: joints and clips alone", "a file of a mesh", path)
    name = getattr(model, "name", "") or getattr(model, "metadata", {}).get("name", "")
    faces = padded_faces(model.faces) if len(model.faces) else np.zeros((0, 4), np.int32)
    unit, up_axis = float(model.meters_per_unit), str(model.up_axis)
    about = (unit, up_axis, tuple(notes_of(model)))
    return Mesh(np.asarray(model.rest_vertices, np.float32), faces, name or escaped(path.stem), *about)


def _archived(path: Path) -> Mesh:
    """``vertices`` (V, 3) or (1, V, 3), and ``faces`` if there are some; other arrays are left alone."""
    with contextlib.suppress(ValueError):
        arrays = read_arrays(path, MEMBERS, "load_mesh", others=True)
        return _one(arrays["vertices"], arrays.get("faces"), path=path)
    shot = _shot(path, "load_mesh")
    return _one(shot.vertices, shot.faces, path=path, notes=shot.notes)


def _one(vertices: NDArray[Any], faces: NDArray[np.int32] | None = None, *, path: Path, **about: Any) -> Mesh:
    if vertices.ndim == 3 and len(vertices) == 1:
        vertices = vertices[0]
    if vertices.ndim != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "fiu":
        raise bad_argument("load_mesh", "path", f"{path}: {vertices.dtype} {vertices.shape}", "one mesh, (V, 3)", path)
    _check_finite("load_mesh", vertices, path)
    known = np.zeros((0, 4), np.int32) if faces is None else faces
    with errors_naming(path):
        return Mesh(np.asarray(vertices, np.float32), known, escaped(path.stem), **about)


def _check_finite(function: str, vertices: NDArray[Any], path: Path) -> None:
    wrong = np.argwhere(~(np.abs(vertices) <= np.finfo(np.float32).max))
    if len(wrong):
        where = f"mesh {wrong[0, 0]}, vertex {wrong[0, 1]}" if vertices.ndim == 3 else f"vertex {wrong[0, 0]}"
        got = f"{path}: not finite at {where} ({vertices[tuple(wrong[0])]})"
        raise bad_argument(function, "path", got, "finite everywhere", path)


def _shot(path: Path, function: str) -> Shot:
    try:
        return load_shot(path)
    except ValueError as error:
        reason = str(error).removeprefix("load_shot: ").removeprefix("path is ")
        raise bad_argument(function, "path", f"{path}: no mesh ({reason})", "a file of a mesh", path) from None
