"""``.target`` files, plain or gzipped: a line for each vertex that moves, ``index dx dy dz``; ``#`` opens a comment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.mpfb.files import read_text
from rigcast._validate import bad_argument

ENDINGS = (".target", ".target.gz")


def target_files(folder: Path) -> dict[str, Path]:
    """The targets of a folder by name, in the order of their names."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        ending = next((ending for ending in ENDINGS if path.name.endswith(ending)), None)
        if ending is not None:
            found.setdefault(path.name.removesuffix(ending), path)
    return {name: found[name] for name in sorted(found)}


def read_target(path: Path, num_vertices: int, function: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Vertices (n,) that a target moves, and how far (n, 3), in the files' axes and unit (decimeters).

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no target of a mesh with ``num_vertices``.
    """
    lines = read_text(path, function).splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    try:
        table = np.array(rows, np.float64).reshape(len(rows), 4)
    except ValueError:
        table = np.full((1, 4), np.nan)
    moved = table[:, 0]
    if not np.isfinite(table).all() or (moved != np.round(moved)).any():
        got = f"with {path} that is no target"
        raise bad_argument(function, "folder", got, "with lines of a vertex and three finite numbers", path)
    if len(moved) and not 0 <= moved.min() <= moved.max() < num_vertices:
        got = f"with {path} that moves vertex {moved.max() if moved.min() >= 0 else moved.min():.17g}"
        raise bad_argument(function, "folder", got, f"targets of {num_vertices} vertices", path)
    return moved.astype(np.int64), table[:, 1:]


def read_deltas(files: dict[str, Path], num_vertices: int, function: str) -> NDArray[np.float32]:
    """Dense offsets (K, V, 3) of some targets."""
    dense = np.zeros((len(files), num_vertices, 3), np.float32)
    for row, path in zip(dense, files.values(), strict=True):
        index, delta = read_target(path, num_vertices, function)
        np.add.at(row, index, delta.astype(np.float32))
    return dense
