"""The lines of ``rigcast info`` about shots and weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import sources
from rigcast._formats.npz.archive import foreign_kind, member_names
from rigcast._formats.registry import GLTF, USD
from rigcast._formats.usd.shot import moving_meshes
from rigcast._formats.usd.weights import usd_animations
from rigcast.cli._described.clips import describe_scene
from rigcast.cli._described.tables import NOT_STATED, describe_rows, describe_table, describe_targets, describe_weights
from rigcast.cli._inputs.shots import states_rate
from rigcast.cli._result import WrongInput
from rigcast.sources._arrays import read_array

MESHES = (".obj", ".obj.gz", ".abc", ".pc2", ".mdd", *USD.endings)  # of a shot, whatever they hold
RIGS = {"neutral", "format", "channel_names", "morph_names"}  # of archives that hold rigs


def describe_motion(path: Path, mesh: str | None = None) -> dict[str, Any] | None:
    """Facts of a shot, of weights, or of a scene without a surface; None for a file that is neither.

    Parameters
    ----------
    path : Path
    mesh : str, optional
        Of a USD or Alembic file with several; default for USD: all, as one.

    Raises
    ------
    ValueError
        If a file that looks like one is malformed.
    """
    name = path.name.lower()
    if path.is_dir():
        return None if (path / "manifest.json").exists() or not _holds_meshes(path) else _shot(path)
    if name.endswith(MESHES):
        return _shot(path, mesh)
    if name.endswith(GLTF.endings):
        return describe_scene(path)
    if name.endswith((".bvh", ".bvh.gz")):
        return _skeleton_motion(path)
    if name.endswith(".ply"):
        return _mesh(path)
    if name.endswith(".csv"):
        return describe_table(path)
    if name.endswith(".npy"):
        return _array(path)
    if name.endswith(".npz"):
        return _archive(path)
    return None


def describe_moving_glb(path: Path) -> dict[str, Any] | None:
    """Facts of a .glb as a shot; None if it is another file or holds no motion."""
    if not path.name.lower().endswith(GLTF.endings):
        return None
    try:
        return _shot(path)
    except ValueError:
        return None


def _archive(path: Path) -> dict[str, Any] | None:
    try:
        held = set(member_names(path, "info"))
    except ValueError:  # the reader of rigs says what is wrong
        return None
    if {"targets", "vertices"} <= held:
        return describe_targets(path)
    is_rig = held & RIGS and not ("weights" in held and not held & {"deltas", "format"})  # a capture has a neutral, too
    if is_rig or foreign_kind(sorted(held)) is not None:
        return None
    if "weights" in held:
        return describe_weights(path, held)
    return _shot(path) if "vertices" in held else None


def _holds_meshes(folder: Path) -> bool:
    return any(entry.name.lower().endswith((".obj", ".obj.gz")) for entry in folder.iterdir())


def _shot(path: Path, mesh: str | None = None) -> dict[str, Any]:
    names = moving_meshes(path) if mesh is None and path.suffix.lower() in USD.endings else []
    if len(names) > 1:
        return _several(path, {name: sources.load_shot(path, mesh=name) for name in names})
    shot = sources.load_shot(path) if mesh is None else sources.load_shot(path, mesh=mesh)
    facts = _shot_facts(path, shot, states_rate(path)) | _rate_notes(path)
    return facts | {"weights": _usd_weights(path)} if path.suffix.lower() in USD.endings else facts


def _several(path: Path, shots: dict[str, sources.Shot]) -> dict[str, Any]:
    """Facts of the moving meshes of one file, as if they were one."""
    first, *others = shots.values()
    if any(len(shot.vertices) != len(first.vertices) for shot in others):
        listing = ", ".join(f"{name} ({len(shot.vertices)} frames)" for name, shot in shots.items())
        raise WrongInput(f"{path} holds meshes of different lengths: --mesh must name one of {listing}")
    joined = np.concatenate([shot.vertices for shot in shots.values()], axis=1)
    facts = _shot_facts(path, replace(first, vertices=joined, faces=None), states_rate(path))
    if all(shot.faces is not None for shot in shots.values()):
        facts["faces"] = sum(len(shot.faces) for shot in shots.values() if shot.faces is not None)
    meshes = {name.rpartition("/")[2]: shot.vertices.shape[1] for name, shot in shots.items()}
    return facts | {"meshes": meshes, "weights": _usd_weights(path)}


def _rate_notes(path: Path) -> dict[str, list[str]]:
    """Notes on the origin of an MDD file's rate: it holds a time per frame."""
    if path.suffix.lower() != ".mdd":
        return {}
    if states_rate(path):
        return {"notes": ["fps from the differences of the times that the file holds"]}
    return {"notes": ["the file's times are not evenly spaced: its rate must be given by --fps"]}


def _usd_weights(path: Path) -> list[str]:
    """The animations of blend shapes in a USD file, which is a shot as well."""
    return [
        f"{place.rpartition('/')[2]}: {len(values)} frames of {len(names)} shapes at {rate:g} per second"
        for place, (names, values, rate, _) in usd_animations(path).items()
    ]


def _skeleton_motion(path: Path) -> dict[str, Any]:
    bvh = sources.load_bvh(path)
    return {
        "type": "motion of joints",
        "name": path.name,
        "frames": len(bvh.values),
        "fps": float(np.round(1.0 / bvh.frame_time, 4)),
        "seconds": len(bvh.values) * bvh.frame_time,
        "joints": len(bvh.joints),
        "moving_channels": int((np.ptp(bvh.values, axis=0) > 0).sum()) if len(bvh.values) else 0,
        "meters_per_unit": NOT_STATED,
        "up_axis": NOT_STATED,
        "size": size_of(bvh.motion().rest_globals[:, :, 3]),
        "bytes": path.stat().st_size,
    }


def _mesh(path: Path) -> dict[str, Any]:
    mesh = sources.load_mesh(path)
    return {
        "type": "mesh",
        "name": path.name,
        "vertices": len(mesh.vertices),
        "faces": len(mesh.faces),
        "size": size_of(mesh.vertices),
        "bytes": path.stat().st_size,
    }


def _shot_facts(path: Path, shot: sources.Shot, stated: bool) -> dict[str, Any]:
    points = shot.vertices
    moves = max(float(np.square(frame - points[0]).sum(axis=1).max()) for frame in points)
    return {
        "type": "shot",
        "name": path.name,
        "frames": len(points),
        "fps": float(shot.fps) if stated else NOT_STATED,
        "seconds": len(points) / shot.fps if stated else NOT_STATED,
        "vertices": points.shape[1],
        "faces": NOT_STATED if shot.faces is None else len(shot.faces),
        "meters_per_unit": NOT_STATED if shot.meters_per_unit is None else float(shot.meters_per_unit),
        "up_axis": shot.up_axis or NOT_STATED,
        "size": size_of(points[0], shot.meters_per_unit),
        "moves_at_most": float(np.sqrt(moves)),
        "bytes": _bytes(path),
    }


def size_of(points: NDArray[Any], meters_per_unit: float | None = None) -> str:
    """Extents along x, y and z of points (n, 3), and the largest in meters where the unit is known."""
    size = np.ptp(np.asarray(points, np.float64), axis=0)
    unit = "" if meters_per_unit is None else f", {figure_of(meters_per_unit * size.max())} m"
    return " x ".join(figure_of(value) for value in size) + unit


def size_facts(points: NDArray[Any], meters_per_unit: float) -> dict[str, Any]:
    """The size of a character (V, 3): in words, and the largest extent in meters."""
    return {
        "size": size_of(points, meters_per_unit),
        "size_meters": meters_per_unit * float(np.ptp(np.asarray(points, np.float64), axis=0).max()),
    }


def _bytes(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def figure_of(value: float) -> str:
    """Four digits."""
    return f"{value:.4g}"


def _array(path: Path) -> dict[str, Any] | None:
    array = read_array(path, "info")
    if array.ndim == 3 and array.shape[2] == 3:
        return _shot_facts(path, sources.load_shot(path), stated=False)
    if array.ndim != 2:
        raise WrongInput(
            f"{path} holds an array {array.shape}; it must be a shot (T, V, 3), rows (T, K) or a mesh (V, 3)"
        )
    return describe_rows(path, np.asarray(array, np.float64))
