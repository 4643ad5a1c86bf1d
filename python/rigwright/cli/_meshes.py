"""Opening what a transfer needs beside rigs: a neutral, scans, lists of vertices, weights of examples."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright._formats.npz.archive import Member, member_names, read_arrays
from rigwright._formats.npz.array import read_array
from rigwright._hashing import padded_faces
from rigwright._reading import check_regular
from rigwright.sources import Shot
from rigwright.transfer._fitting import similarity
from rigwright.transfer._packing import Plan

TWICE = 2.0  # no two grown heads differ so much

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Neutral:
    """A face at rest: vertices (V, 3), faces (F, 4) where the file has some, unit and up axis where it says them."""

    vertices: Float32
    faces: NDArray[np.int32] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def open_neutral(path: Path) -> Neutral:
    """The neutral of a rig or model, or the only (or first) mesh of a file.

    Raises
    ------
    ValueError
        If the file holds neither.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return Neutral(_one(read_array(path), path))
    if suffix == ".npz" and _has_vertices(path):
        mesh = _shot(path)
        return Neutral(_one(mesh.vertices, path), mesh.faces)
    if suffix in (".safetensors", ".npz", ".blend"):
        return _of(rw.load(path) if suffix == ".safetensors" else rw.sources.load_blendshapes(path))
    if suffix in (".glb", ".gltf"):
        with contextlib.suppress(ValueError):  # without morph targets; what is broken is told by the next reader
            return _of(rw.sources.load_blendshapes(path))
        return _of(rw.sources.load(path))
    mesh = _shot(path)
    return Neutral(_one(mesh.vertices, path), mesh.faces)


def neutral_as_of(neutral: Neutral, rig: Any, path: Path) -> tuple[Float32, list[str]]:
    """Vertices (V, 3) in the rig's unit and axes, where the file states its own, and what there is to be said.

    Raises
    ------
    ValueError
        If there are not as many as the rig has.
    """
    if len(neutral.vertices) != len(rig.rest_vertices):
        raise ValueError(f"{path}: {len(neutral.vertices)} vertices where the rig has {len(rig.rest_vertices)}")
    shot = Shot(neutral.vertices[None], 1.0, **neutral.metadata).placed(rig.meters_per_unit, rig.up_axis)
    note = unit_note(rig.rest_vertices, shot.vertices[0], 1.0, path, "rig")
    return shot.vertices[0], [note] if note else []


def unit_note(source: Float32, target: Float32, unit: float, path: Path, beside: str) -> str:
    """What to say where a target (V, 3) is so large or so small beside the source that its unit is in doubt.

    Parameters
    ----------
    source, target : (V, 3)
        The same vertices of both.
    unit : float
        The target's unit over the source's.
    path : Path
        The target's file.
    beside : str
        What the source is to the user.
    """
    scale = unit * similarity(source, target).scale
    if 1.0 / TWICE <= scale <= TWICE:
        return ""
    return f"{path.name} is {scale:.3g} times as large as the {beside}: is its unit another one?"


def _of(model: Any) -> Neutral:
    about = {"meters_per_unit": float(model.meters_per_unit), "up_axis": str(model.up_axis)}
    faces = padded_faces(model.faces) if len(model.faces) else None
    return Neutral(np.asarray(model.rest_vertices, np.float32), faces, about)


def _has_vertices(path: Path) -> bool:
    return "vertices" in member_names(path, "load_shot")


def _one(vertices: NDArray[Any], path: Path) -> Float32:
    if vertices.ndim == 3 and len(vertices) == 1:
        vertices = vertices[0]
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError(f"{path}: numbers of shape {vertices.shape}; it must hold one mesh, (V, 3)")
    _check_finite(vertices, path)
    return np.asarray(vertices, np.float32)


def _check_finite(vertices: NDArray[Any], path: Path) -> None:
    wrong = np.argwhere(~np.isfinite(vertices))
    if len(wrong):
        where = f"mesh {wrong[0, 0]}, vertex {wrong[0, 1]}" if vertices.ndim == 3 else f"vertex {wrong[0, 0]}"
        raise ValueError(f"{path}: not finite at {where} ({vertices[tuple(wrong[0])]})")


def _shot(path: Path) -> Shot:
    try:
        return rw.sources.load_shot(path)
    except ValueError as error:
        raise ValueError(
            f"{path}: no mesh ({str(error).removeprefix('load_shot: ').removeprefix('path is ')})"
        ) from None


def open_examples(paths: list[Path], count: int) -> Float32:
    """Expressions (J, V, 3) of files of one mesh or several, in the order given.

    Raises
    ------
    ValueError
        If a mesh has not ``count`` vertices.
    """
    rows = []
    for path in paths:
        meshes = read_array(path) if path.suffix.lower() == ".npy" else _shot(path).vertices
        meshes = meshes[None] if meshes.ndim == 2 else meshes
        if meshes.ndim != 3 or meshes.shape[1:] != (count, 3):
            raise ValueError(f"{path}: of shape {meshes.shape}; an example must have the target's {count} vertices")
        _check_finite(meshes, path)
        rows.append(np.asarray(meshes, np.float32))
    return np.concatenate(rows)


def read_weights(path: Path, rig: Any, missing: float = 0.0) -> Float64:
    """Weights (T, K) of any file that has some: an array alone, or what ``rw.sources.load_weights`` reads.

    Parameters
    ----------
    path : Path
    rig : BlendshapeRig
    missing : float
        Of shapes that an archive's names leave out.

    Raises
    ------
    ValueError
        If the file holds no weights of the rig.
    """
    if path.suffix.lower() == ".npy":
        try:
            return read_array(path).astype(np.float64)
        except ValueError as error:
            raise ValueError(f"{path}: no array of weights ({str(error).removeprefix(f'{path}: ')})") from None
    weights = rw.sources.load_weights(path, rig)[0].astype(np.float64)
    if path.suffix.lower() == ".npz":
        stored = read_arrays(path, {"names": Member("U", ("K",))}, "load_weights", others=True)
        named = set(map(str, stored.get("names", rig.shape_names)))
        weights[:, [name not in named for name in rig.shape_names]] = missing
    return weights


def open_weights(path: Path, rig: Any, count: int) -> Float64:
    """Weights (J, K) of examples: an array, an archive with names, or the expressions of a plan of ``rigwright pack``.

    Raises
    ------
    ValueError
        If the file is none of these, or has not ``count`` rows.
    """
    suffix = path.suffix.lower()
    weights = _planned(Plan.load(path), rig, path)[:count] if suffix == ".json" else read_weights(path, rig)
    if weights.shape != (count, rig.num_shapes):
        got = f"{path}: weights of shape {weights.shape}"
        raise ValueError(f"{got}; {count} examples of {rig.num_shapes} shapes need ({count}, {rig.num_shapes})")
    return weights


def _planned(plan: Plan, rig: Any, path: Path) -> Float64:
    index = {name: k for k, name in enumerate(rig.shape_names)}
    unknown = [name for name in plan.names if name not in index]
    if unknown:
        raise ValueError(f"{path}: a plan for another rig; {unknown[0]!r} is no shape of this one")
    weights = np.zeros((len(plan.expressions), rig.num_shapes))
    weights[:, [index[name] for name in plan.names]] = plan.weights()
    return weights


def open_indices(path: Path, columns: int) -> NDArray[np.int64]:
    """Vertex indices, ``columns`` of them a line of text or a row of ``.npy``: (n,) for one, else (n, columns).

    Raises
    ------
    ValueError
        If it holds anything else.
    """
    what = "a vertex" if columns == 1 else f"{columns} vertices"
    try:
        table = _table(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not {what} a line ({' '.join(str(error).split())})") from None
    table = table[:, None] if table.ndim == 1 and columns == 1 else table
    if table.size and (table.ndim != 2 or table.shape[1] != columns):
        raise ValueError(f"{path}: numbers of shape {table.shape}; it must hold {what} a line")
    table = table.reshape(-1, columns).astype(np.float64)
    if not (np.isfinite(table).all() and (table == np.round(table)).all()):
        raise ValueError(f"{path}: not {what} a line; they must be whole numbers")
    whole = table.astype(np.int64)
    return whole[:, 0] if columns == 1 else whole


def _table(path: Path) -> NDArray[Any]:
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return read_array(path)
    check_regular(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty file is a list of nothing
        return np.loadtxt(path, ndmin=2, delimiter="," if suffix == ".csv" else None)
