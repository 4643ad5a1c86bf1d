"""A moving mesh for Blender: a .blend with a point cache beside it, or Alembic, which Blender writes."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._atomic_files import atomic_file
from rigwright._formats.blender.process import run_script
from rigwright._formats.point_cache import write_pc2
from rigwright._rigs.moving_mesh import MovingMesh, turn_between

SCRIPT = Path(__file__).with_name("write_cache.py")
TIMEOUT = 3600.0  # a long motion of a dense mesh


def cache_beside(path: Path) -> Path:
    """Where a .blend's point cache lies."""
    return path.with_suffix(".pc2")


def write_blend_cache(path: Path, mesh: MovingMesh, blender: str | None = None) -> None:
    """Write a .blend whose mesh is moved by a Mesh Cache modifier, and its PC2 file, named as the .blend is.

    The object is turned so that the character stands upright in Blender; the scene has the mesh's unit and rate. The
    cache keeps the mesh's axes. The .blend is written last: a failure leaves the old one.
    """
    turn = turn_between(mesh.up_axis, "Z")
    with tempfile.TemporaryDirectory(prefix="rigwright-export-") as name:
        folder = Path(name)
        cache = cache_beside(path)
        _run(folder, mesh, turn, f"//{cache.name}", ".blend", blender)
        write_pc2(cache, mesh)
        _copy(folder / "scene.blend", path)


def write_alembic(path: Path, mesh: MovingMesh, blender: str | None = None) -> None:
    """Write an .abc, y up, in the mesh's unit; frame t of T is sampled at t / fps seconds, t from 1."""
    upright = mesh.placed(up_axis="Z")
    with tempfile.TemporaryDirectory(prefix="rigwright-export-") as name:
        folder = Path(name)
        write_pc2(folder / "cache.pc2", upright)
        _run(folder, upright, np.eye(3), str(folder / "cache.pc2"), ".abc", blender)
        _copy(folder / "scene.abc", path)


def _run(
    folder: Path, mesh: MovingMesh, turn: NDArray[np.float64], cache: str, suffix: str, blender: str | None
) -> None:
    about: dict[str, Any] = {
        "name": mesh.name or "mesh",
        "licence": mesh.licence,
        "turn": turn.tolist(),
        "meters_per_unit": mesh.meters_per_unit,
        "fps": mesh.fps,
        "frames": len(mesh),
        "cache": cache,
        "suffix": suffix,
    }
    (folder / "scene.json").write_text(json.dumps(about), encoding="utf-8")
    np.savez(folder / "scene.npz", first=mesh.first, faces=mesh.faces)
    run_script(SCRIPT, [str(folder)], blender, TIMEOUT)


def _copy(made: Path, path: Path) -> None:
    with made.open("rb") as source, atomic_file(path) as stream:
        shutil.copyfileobj(source, stream)
