"""Wavefront OBJ: vertices and faces, nothing else.

A file is held as its bytes and read line by line into flat arrays: memory stays at a few times the file's length.
"""

from __future__ import annotations

import gzip
import io
import itertools
import os
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import check_regular, read_bytes
from rigcast._validate import bad_argument, missing_file

LARGEST = 1 << 30  # unpacked bytes
EXPANSION = 200  # unpacked bytes a packed byte may give: text of numbers packs 3 to 10 times
ALLOWANCE = 1 << 20
LONGEST_LINE = 1 << 24  # bytes: a polygon of two million corners


def read_text(path: Path, function: str) -> bytes:
    """An OBJ file, gzip'ed if it ends in ``.gz``, with ``\\n`` after each line.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file cannot be read, or is no regular file, or too large.
    """
    if not os.path.exists(path):
        raise missing_file(function, "path", path)
    try:
        content = _unpacked(path) if path.suffix.lower() == ".gz" else read_bytes(path, LARGEST)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise bad_argument(function, "path", f"{path}: unreadable ({error})", "an OBJ file") from error
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def _unpacked(path: Path) -> bytes:
    check_regular(path)
    limit = min(LARGEST, EXPANSION * path.stat().st_size + ALLOWANCE)
    with gzip.open(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"more than {limit} bytes unpacked")
    return content


def lines_of(content: bytes, letter: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbers, from 1, and texts of the lines that begin with a letter and a blank."""
    for number, line in enumerate(io.BytesIO(content), start=1):
        if line[:1] == letter and line[1:2] in (b" ", b"\t"):
            yield number, line


def vertices_of(content: bytes, path: Path, function: str) -> NDArray[np.float64]:
    """Vertices (V, 3); what follows the third number of a line (w, colors) is left out."""
    numbers, count = array("d"), 0
    for _, line in lines_of(content, b"v"):
        count += 1
        try:
            numbers.extend(map(float, line[:LONGEST_LINE].split(None, 4)[1:4]))
        except ValueError:
            break
    vertices = np.frombuffer(numbers, np.float64)
    if count == 0 or len(numbers) != 3 * count or not np.isfinite(vertices).all():
        got = f"{path}: vertices that are not all of three finite numbers" if count else f"{path}: without vertices"
        raise bad_argument(function, "path", got, "an OBJ file with vertices")
    return np.array(vertices.reshape(-1, 3), np.float64)


def faces_of(content: bytes, num_vertices: int, path: Path, function: str) -> NDArray[np.int32]:
    """Faces (F, 4), -1 pads triangles; polygons of more corners become fans of triangles."""
    result = array("i")
    for number, line in lines_of(content, b"f"):
        words = line.split()[1:] if len(line) <= LONGEST_LINE else []
        try:
            corners = [int(corner.partition(b"/")[0]) for corner in words]
        except ValueError:
            corners = []
        placed = [c - 1 if c > 0 else num_vertices + c for c in corners]
        if len(corners) < 3 or 0 in corners or not all(0 <= c < num_vertices for c in placed):
            got = f"{path}, line {number}: {line[:60].rstrip().decode(errors='replace')!r}"
            raise bad_argument(function, "path", got, f"a face of three or more of the {num_vertices} vertices")
        if len(placed) == 4:
            result.extend(placed)
        else:
            for b, c in itertools.pairwise(placed[1:]):
                result.extend((placed[0], b, c, -1))
    return np.frombuffer(result, np.int32).reshape(-1, 4).copy() if result else np.zeros((0, 4), np.int32)
