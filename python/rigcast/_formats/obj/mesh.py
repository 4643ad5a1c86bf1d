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
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._safe_reading import Malformed, as_utf8, check_regular, read_bytes
from rigcast._validate import bad_argument, missing_file

LARGEST = 1 << 30  # unpacked bytes
EXPANSION = 200  # unpacked bytes a packed byte may give: text of numbers packs 3 to 10 times
ALLOWANCE = 1 << 20
LONGEST_LINE = 1 << 24  # bytes: a polygon of two million corners

# What does not change vertices and polygons: names, groups, materials, normals, coordinates of textures, shading.
HARMLESS = frozenset(
    b"v f vn vt g o s mg usemtl mtllib usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj".split()
)
LEFT_OUT = {
    **dict.fromkeys((b"l", b"line"), "lines"),
    b"p": "points",
    **dict.fromkeys(
        b"vp cstype deg bmat step curv curv2 surf parm trim hole scrv sp end con ctech stech".split(),
        "lines of curves and free-form surfaces",
    ),
}


def read_text(path: Path, function: str) -> bytes:
    """An OBJ file, gzip'ed if it ends in ``.gz``: UTF-8, ``\\n`` after each line, lines that go on joined.

    A line goes on where a backslash ends it; as many empty lines follow as were joined, so that numbers of lines stay.

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
        content = as_utf8(content)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise bad_argument(function, "path", f"{path}: unreadable ({error})", "an OBJ file", path) from error
    content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content
    content = content.replace(b"\nfo ", b"\nf ") if b"\nfo " in content else content  # faces, in files of old programs
    return _joined(content) if b"\\" in content else content


def _unpacked(path: Path) -> bytes:
    check_regular(path)
    limit = min(LARGEST, EXPANSION * path.stat().st_size + ALLOWANCE)
    with gzip.open(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise Malformed(f"more than {limit} bytes unpacked")
    return content


def _joined(content: bytes) -> bytes:
    result, waiting = io.BytesIO(), 0
    for line in io.BytesIO(content):
        bare = line.rstrip()
        if bare.endswith(b"\\") and b"#" not in bare:
            result.write(bare[:-1] + b" ")
            waiting += 1
        else:
            result.write(line.rstrip(b"\n") + b"\n" * (1 + waiting))
            waiting = 0
    return result.getvalue()


def lines_of(content: bytes, *letters: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbers, from 1, and texts without indent of the lines that begin with one of some letters and a blank."""
    for number, line in enumerate(io.BytesIO(content), start=1):
        if line[:1].isspace():
            line = line.lstrip()
        if line[:1] in letters and line[1:2] in (b" ", b"\t"):
            yield number, line


def vertices_of(content: bytes, path: Path, function: str) -> NDArray[np.float64]:
    """Vertices (V, 3); what follows the third number of a line (w, colors) is left out."""
    numbers, count = array("d"), 0
    for _, line in lines_of(content, b"v"):
        count += 1
        try:
            numbers.extend(map(float, line[:LONGEST_LINE].partition(b"#")[0].split(None, 4)[1:4]))
        except ValueError:
            break
    vertices = np.frombuffer(numbers, np.float64)
    if count == 0 or len(numbers) != 3 * count or not (np.abs(vertices) <= np.finfo(np.float32).max).all():
        wrong = f"vertices that are not all of three finite numbers ({_first_wrong(content)})"
        got = f"{path}: {wrong if count else 'without vertices'}"
        raise bad_argument(function, "path", got, "an OBJ file with vertices", path)
    return np.array(vertices.reshape(-1, 3), np.float64)


def _first_wrong(content: bytes) -> str:
    for number, line in lines_of(content, b"v"):
        try:
            values = np.array(line.partition(b"#")[0].split(None, 4)[1:4], np.float64)
        except ValueError:
            values = np.zeros(0)
        if len(values) < 3 or not (np.abs(values) <= np.finfo(np.float32).max).all():
            return f"line {number}: {line[:60].rstrip().decode(errors='replace')!r}"
    return "in all lines together"


def faces_of(content: bytes, num_vertices: int, path: Path, function: str) -> NDArray[np.int32]:
    """Faces (F, 4), -1 pads triangles; polygons of more corners become fans of triangles.

    A negative corner counts back from the vertices above its line.
    """
    result, above = array("i"), 0
    for number, line in lines_of(content, b"v", b"f"):
        if line[:1] == b"v":
            above += 1
            continue
        words = line.partition(b"#")[0].split()[1:] if len(line) <= LONGEST_LINE else []
        try:
            corners = [int(corner.partition(b"/")[0]) for corner in words]
        except ValueError:
            corners = []
        placed = [c - 1 if c > 0 else above + c for c in corners]
        if len(corners) < 3 or 0 in corners or not all(0 <= c < num_vertices for c in placed):
            got = f"{path}, line {number}: {line[:60].rstrip().decode(errors='replace')!r}"
            raise bad_argument(function, "path", got, f"a face of three or more of the {num_vertices} vertices", path)
        if len(placed) == 4:
            result.extend(placed)
        else:
            for b, c in itertools.pairwise(placed[1:]):
                result.extend((placed[0], b, c, -1))
    return np.frombuffer(result, np.int32).reshape(-1, 4).copy() if result else np.zeros((0, 4), np.int32)


def notes_of(content: bytes) -> tuple[str, ...]:
    """Notes on the content of a file other than vertices and polygons, one sentence per kind with its count."""
    kinds: Counter[str] = Counter()
    for line in io.BytesIO(content):
        word = line[:64].split(None, 1)[:1]
        if not word or word[0].startswith(b"#") or word[0] in HARMLESS:
            continue
        kinds[LEFT_OUT.get(word[0], f"lines that begin with {word[0][:20].decode(errors='replace')!r}")] += 1
    return tuple(f"{count:,} {kind} are left out" for kind, count in kinds.most_common(8))
