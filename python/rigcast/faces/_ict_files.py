"""ICT FaceKit as it is published: a folder of OBJ files with one order of vertices, and ``vertex_indices.json``.

``generic_neutral_mesh.obj`` is the generic face, ``identity000.obj`` to ``identity099.obj`` are faces one standard
deviation along each identity mode, and every other ``.obj`` is the generic face with one expression at full strength
(github.com/ICT-VGL/ICT-FaceKit, folder ``FaceXModel``; MIT licence, USC ICT).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.obj.mesh import faces_of, read_text, vertices_of
from rigcast._safe_reading import read_json
from rigcast._validate import bad_argument, missing_file
from rigcast.faces._packed import Float32
from rigcast.progress import Progress, ProgressCallback, silent

NEUTRAL = "generic_neutral_mesh.obj"
INDICES = "vertex_indices.json"
ROUNDING = 5e-7  # centimeters: the files have six decimals, so that smaller differences are none
MODE = re.compile(r"identity\d{3}")


def read_neutral(folder: Path, count: int, function: str) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Vertices (V, 3) of the generic face and its faces (F, 4)."""
    path = _existing(folder / NEUTRAL, function)
    content = read_text(path, function)
    vertices = _checked(vertices_of(content, path, function), path, count, function)
    return vertices, faces_of(content, count, path, function)


def expression_names(folder: Path, function: str) -> list[str]:
    """Names of the expressions: those that ``vertex_indices.json`` lists must be there.

    Raises
    ------
    FileNotFoundError
        If one is missing, as in a download that was cut off.
    """
    names = sorted(path.stem for path in folder.glob("*.obj") if path.name != NEUTRAL and not MODE.match(path.stem))
    listed = indices(folder, function).get("expressions", [])
    for name in listed if isinstance(listed, list) else []:
        if name not in names:
            raise missing_file(function, "folder", folder / f"{name}.obj", f"complete: {INDICES} lists {name}")
    return names


def mode_names(folder: Path) -> list[str]:
    """Names of the identity modes."""
    return sorted(path.stem for path in folder.glob("identity*.obj") if MODE.fullmatch(path.stem))


def read_deltas(
    folder: Path, names: list[str], neutral: NDArray[np.float64], function: str, progress: ProgressCallback = silent
) -> Float32:
    """Offsets (K, V, 3) from the neutral; what is less than the files' rounding is 0."""
    deltas = np.zeros((len(names), *neutral.shape), np.float32)
    for done, (name, delta) in enumerate(zip(names, deltas, strict=True)):
        progress(Progress("reading", done, len(names), name))
        path = _existing(folder / f"{name}.obj", function)
        moved = _checked(vertices_of(read_text(path, function), path, function), path, len(neutral), function)
        offset = moved - neutral
        delta[:] = np.where(np.abs(offset) < ROUNDING, 0.0, offset)
    progress(Progress("reading", len(names), len(names)))
    return deltas


def indices(folder: Path, function: str) -> dict[str, Any]:
    """The lists of ``vertex_indices.json``."""
    path = _existing(folder / INDICES, function)
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        raise bad_argument(function, "folder", f"with {path} unreadable ({error})", "complete", path) from error
    if not isinstance(content, dict):
        raise bad_argument(function, "folder", f"with {path}, a {type(content).__name__}", "complete", path)
    return content


def _existing(path: Path, function: str) -> Path:
    if not path.is_file():
        raise missing_file(function, "folder", path, "the data set's folder")
    return path


def _checked(vertices: NDArray[np.float64], path: Path, count: int, function: str) -> NDArray[np.float64]:
    if len(vertices) != count:
        raise bad_argument(function, "folder", f"with {len(vertices)} vertices in {path}", f"with {count}")
    return vertices
