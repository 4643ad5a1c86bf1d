"""A moving mesh for Blender: a .blend with a point cache next to it, or Alembic, which Blender writes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._formats.blender.process import run_script
from rigcast._formats.point_cache import cache_paths, write_pc2_parts
from rigcast._rigs.motions.moving_mesh import MovingMesh, turn_between
from rigcast._rigs.pieces import Piece

SCRIPT = Path(__file__).with_name("write_cache.py")
TIMEOUT = 3600.0  # a long motion of a dense mesh


def blend_cache_paths(path: Path, parts: Sequence[str] = ()) -> list[Path]:
    """The paths of the point caches of a .blend: ``NAME.pc2``, or ``NAME.PART.pc2`` for each of several parts."""
    return cache_paths(path.with_suffix(".pc2"), parts)


def write_blend_cache(path: Path, mesh: MovingMesh, blender: str | None = None) -> list[Path]:
    """Write a .blend whose meshes, one per part, are moved by Mesh Cache modifiers, and their PC2 files.

    The objects are turned so that the character stands upright in Blender; the scene has the mesh's unit and rate. The
    caches keep the mesh's axes. The .blend is written last: a failure leaves the old one.

    Returns
    -------
    list of Path
        The caches.
    """
    turn, parts = turn_between(mesh.up_axis, "Z"), mesh.pieces
    caches = blend_cache_paths(path, [part.name for part in parts])
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as name:
        folder = Path(name)
        _run(folder, mesh, parts, turn, [f"//{cache.name}" for cache in caches], ".blend", blender)
        write_pc2_parts([(cache, part.vertices) for cache, part in zip(caches, parts, strict=True)], mesh)
        _copy(folder / "scene.blend", path)
    return caches


def write_alembic(path: Path, mesh: MovingMesh, blender: str | None = None) -> None:
    """Write an .abc, y up, in the mesh's unit; frame t of T is sampled at t / fps seconds, t from 1."""
    upright = mesh.placed(up_axis="Z")
    parts = upright.pieces
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as name:
        folder = Path(name)
        caches = [folder / f"cache{number}.pc2" for number in range(len(parts))]
        write_pc2_parts([(cache, part.vertices) for cache, part in zip(caches, parts, strict=True)], upright)
        _run(folder, upright, parts, np.eye(3), [str(cache) for cache in caches], ".abc", blender)
        _copy(folder / "scene.abc", path)


def _run(
    folder: Path,
    mesh: MovingMesh,
    parts: list[Piece],
    turn: NDArray[np.float64],
    caches: list[str],
    suffix: str,
    blender: str | None,
) -> None:
    about: dict[str, Any] = {
        "parts": [
            {"name": part.name or "mesh", "cache": cache, "materials": part.surface.materials}
            for part, cache in zip(parts, caches, strict=True)
        ],
        "licence": mesh.licence,
        "turn": turn.tolist(),
        "meters_per_unit": mesh.meters_per_unit,
        "fps": mesh.fps,
        "frames": len(mesh),
        "suffix": suffix,
    }
    (folder / "scene.json").write_text(json.dumps(about), encoding="utf-8")
    arrays: dict[str, Any] = {}
    for number, part in enumerate(parts):
        arrays |= {f"first{number}": mesh.first[part.vertices], f"faces{number}": part.faces}
        arrays |= {f"{name}{number}": array for name, array in part.surface.arrays().items()}
    np.savez(folder / "scene.npz", **arrays)
    run_script(SCRIPT, [str(folder)], blender, TIMEOUT)


def _copy(made: Path, path: Path) -> None:
    with made.open("rb") as source, atomic_file(path) as stream:
        shutil.copyfileobj(source, stream)
