"""A shot as one OBJ file a frame."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import numpy as np

from rigcast._formats.obj.mesh import faces_of, lines_of, read_text, vertices_of
from rigcast._rigs.shot import Shot
from rigcast._validate import bad_argument, missing_file

DEFAULT_FPS = 30.0


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Sorts numbers inside names by value: frame2 before frame10."""
    return [
        (piece.isdecimal(), int(piece) if piece.isdecimal() else 0, piece) for piece in re.split(r"(\d+)", name.lower())
    ]


def load_sequence(path: Path, fps: float = DEFAULT_FPS) -> Shot:
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
    topology = _face_lines(content)
    vertices = np.empty((len(files), len(first), 3), np.float32)
    vertices[0] = first
    for frame, file in enumerate(files[1:], start=1):
        content = read_text(file, "load_shot")
        points = vertices_of(content, file, "load_shot")
        if len(points) != len(first):
            got = f"{file}: {len(points)} vertices where {files[0].name} has {len(first)}"
            raise bad_argument("load_shot", "path", got, "frames of one topology")
        own = _face_lines(content)
        if own and own != topology and not np.array_equal(faces, faces_of(content, len(first), file, "load_shot")):
            got = f"{file}: other faces than {files[0].name}"
            raise bad_argument("load_shot", "path", got, "frames of one topology")
        vertices[frame] = points
    return Shot(vertices, fps, faces if len(faces) else None)


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
        raise bad_argument("load_shot", "path", got, "a file, folder or pattern of OBJ files")
    return sorted(found, key=lambda file: natural_key(file.name))


def _face_lines(content: bytes) -> str:
    """A hash of the lines of faces, empty where there are none."""
    digest, some = hashlib.blake2b(digest_size=16), False
    for _, line in lines_of(content, b"f"):
        digest.update(line)
        some = True
    return digest.hexdigest() if some else ""
