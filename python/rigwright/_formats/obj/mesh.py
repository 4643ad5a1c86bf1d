"""Wavefront OBJ: vertices and faces, nothing else."""

from __future__ import annotations

import gzip
import itertools
import os
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigwright._validate import bad_argument, missing_file

LARGEST = 1 << 30  # unpacked bytes


def read_lines(path: Path, function: str) -> list[bytes]:
    """Lines of an OBJ file, gzip'ed if it ends in ``.gz``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it cannot be read.
    """
    if not os.path.exists(path):
        raise missing_file(function, "path", path)
    try:
        if path.suffix.lower() != ".gz":
            return path.read_bytes().splitlines()
        with gzip.open(path) as stream:
            content = stream.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise bad_argument(function, "path", f"{path}: unreadable ({error})", "an OBJ file") from error
    if len(content) > LARGEST:
        raise bad_argument(function, "path", f"{path}: more than {LARGEST} bytes", "an OBJ file of usual size")
    return content.splitlines()


def vertices_of(lines: list[bytes], path: Path, function: str) -> NDArray[np.float64]:
    """Vertices (V, 3); what follows the third number of a line (w, colors) is left out."""
    rows = [line.split()[1:4] for line in lines if line.startswith((b"v ", b"v\t"))]
    try:
        vertices = np.array(rows, np.float64)
    except ValueError:
        vertices = np.empty(0)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        got = f"{path}: {len(rows)} lines of vertices, not all of three finite numbers"
        raise bad_argument(function, "path", got, "an OBJ file with vertices")
    return vertices


def faces_of(lines: list[bytes], num_vertices: int, path: Path, function: str) -> NDArray[np.int32]:
    """Faces (F, 4), -1 pads triangles; polygons of more corners become fans of triangles."""
    result: list[tuple[int, int, int, int]] = []
    for number, line in enumerate(lines, start=1):
        if not line.startswith((b"f ", b"f\t")):
            continue
        try:
            corners = [int(corner.split(b"/")[0]) for corner in line.split()[1:]]
        except ValueError:
            corners = []
        placed = [c - 1 if c > 0 else num_vertices + c for c in corners]
        if len(corners) < 3 or 0 in corners or not all(0 <= c < num_vertices for c in placed):
            got = f"{path}, line {number}: {line[:60].decode(errors='replace')!r}"
            raise bad_argument(function, "path", got, f"a face of three or more of the {num_vertices} vertices")
        if len(placed) == 4:
            result.append((placed[0], placed[1], placed[2], placed[3]))
        else:
            result += [(placed[0], b, c, -1) for b, c in itertools.pairwise(placed[1:])]
    return np.array(result, np.int32).reshape(-1, 4)
