"""A shot as one OBJ file a frame."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rigcast._formats.obj.mesh import faces_of, lines_of, notes_of, read_text, vertices_of
from rigcast._rigs.motions.shot import Shot
from rigcast._validate import FPS, bad_argument, missing_file

# a frame at the end of a name: its sign after a dot, a blank or an underscore, and what may be decimals
FRAME = re.compile(r"(?P<head>.*?)(?P<sign>(?:(?<=[._ ])|^)-)?(?P<whole>\d+)(?:\.(?P<part>\d+))?$")


def in_order(names: Sequence[str]) -> list[int]:
    """Places of the names of frames in order of time: frame2 before frame10, ``c.-002`` before ``c.0001``.

    ``c.1.25`` comes before ``c.1.5`` where the last numbers are decimals. They are frames of their own, as in
    ``shot.12.9`` and ``shot.12.10``, if all are as long, or if one ends in a zero that no decimal fraction has.
    """
    found = [FRAME.match(re.sub(r"(\.obj)?(\.gz)?$", "", name.lower())) for name in names]
    parts = [match["part"] for match in found if match and match["part"] is not None]
    decimals = len({len(part) for part in parts}) > 1 and not any(len(p) > 1 and p.endswith("0") for p in parts)

    def key(place: int) -> list[tuple[bool, float, str]]:
        match = found[place]
        if match is None:
            return _natural(names[place].lower())
        whole, part = match["whole"], match["part"]
        if part is not None and not decimals:
            head = _natural(f"{match['head']}{match['sign'] or ''}{whole}.")
            return [*head, (True, float(part), part)]
        number = f"{match['sign'] or ''}{whole}.{part or 0}"
        return [*_natural(match["head"]), (True, float(number), number)]

    return sorted(range(len(names)), key=lambda place: (key(place), names[place]))


def _natural(text: str) -> list[tuple[bool, float, str]]:
    """Numbers inside a text sort by value."""
    pieces = (piece for piece in re.split(r"(\d+)", text) if piece)
    return [(piece.isdecimal(), float(piece) if piece.isdecimal() else 0.0, piece) for piece in pieces]


def load_sequence(path: Path, fps: float = FPS) -> Shot:
    """Read the OBJ files of a folder, of a pattern, or one file.

    All must have as many vertices as the first, and its faces where they have any.

    Raises
    ------
    ValueError
        If there is no file, or one is malformed or differs; the message names it.
    """
    files = _files(path)
    content = read_text(files[0], "load_shot")
    first = vertices_of(content, files[0], "load_shot")
    faces = faces_of(content, len(first), files[0], "load_shot")
    topology, notes = _face_lines(content), notes_of(content)
    vertices = np.empty((len(files), len(first), 3), np.float32)
    vertices[0] = first
    for frame, file in enumerate(files[1:], start=1):
        content = read_text(file, "load_shot")
        points = vertices_of(content, file, "load_shot")
        if len(points) != len(first):
            got = f"{file}: {len(points)} vertices where {files[0].name} has {len(first)}"
            raise bad_argument("load_shot", "path", got, "frames of one topology", file)
        own = _face_lines(content)
        if own and own != topology and not np.array_equal(faces, faces_of(content, len(first), file, "load_shot")):
            got = f"{file}: other faces than {files[0].name}"
            raise bad_argument("load_shot", "path", got, "frames of one topology", file)
        vertices[frame] = points
    return Shot(vertices, fps, faces if len(faces) else None, notes=notes)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = [file for file in path.iterdir() if file.name.lower().endswith((".obj", ".obj.gz"))]
    elif path.exists():
        found = [path]
    else:
        found = list(path.parent.glob(path.name)) if path.parent.is_dir() else []
    if not found and not os.path.exists(path):
        raise missing_file("load_shot", "path", path, "a file, folder or pattern of OBJ files")
    if not found:
        got = f"{str(path)!r}, where no OBJ file is"
        raise bad_argument("load_shot", "path", got, "a file, folder or pattern of OBJ files", path)
    return [found[place] for place in in_order([file.name for file in found])]


def _face_lines(content: bytes) -> str:
    """A hash of the lines of faces, empty where there are none."""
    digest, some, above = hashlib.blake2b(digest_size=16), False, 0
    for _, line in lines_of(content, b"v", b"f"):
        if line[:1] == b"v":
            above += 1
            continue
        digest.update(line)
        if b"-" in line:  # counts back from the vertices above
            digest.update(b"%d" % above)
        some = True
    return digest.hexdigest() if some else ""
