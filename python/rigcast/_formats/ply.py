"""PLY meshes, as scanners write them, read by trimesh."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._safe_reading import check_regular
from rigcast._validate import bad_argument

LONGEST_LINE = 1 << 12  # bytes of a header


def read_ply(path: Path, function: str) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Vertices (V, 3) in the order of the file, and triangles (F, 3): trimesh cuts quads in two.

    Raises
    ------
    ValueError
        If the file is no PLY mesh.
    rigcast._extras.MissingExtra
        Without trimesh.
    """
    trimesh = require("trimesh", extra="meshes", purpose="reading PLY files")
    check_regular(path)
    promised = _promised(path, function)
    try:
        with path.open("rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is wrong is compared below
            # process=False: vertices are neither merged nor sorted; maintain_order is about faces
            mesh: Any = trimesh.load(stream, file_type="ply", process=False, maintain_order=True)
        with np.errstate(over="ignore"):  # becomes infinite, which a mesh refuses with its vertex
            vertices = np.asarray(mesh.vertices, np.float32).reshape(-1, 3)
        faces = np.asarray(getattr(mesh, "faces", np.zeros((0, 3))), np.int32).reshape(-1, 3)
    except Exception as error:
        raise bad_argument(function, "path", f"{path}: unreadable ({error})", "a PLY mesh", path) from error
    if not len(vertices):
        raise bad_argument(function, "path", f"{path}: without vertices", "a PLY mesh", path)
    given = {"vertex": len(vertices), "face": len(faces)}
    for name, count in promised.items():
        if name in given and (given[name] < count if name == "face" else given[name] != count):
            raise _torn(path, function, f"{given[name]:,} of {name} elements where the header says {count:,}")
    return vertices, faces


def _promised(path: Path, function: str) -> dict[str, int]:
    """Elements that the header counts; of a text file their lines are looked at, too.

    The library below leaves out faces that it cannot read, and cuts polygons in triangles, so that their number tells
    nothing.
    """
    found: dict[str, int] = {}
    listed: dict[str, bool] = {}
    text, name = False, ""
    with path.open("rb") as stream:
        while line := stream.readline(LONGEST_LINE):
            words = line.decode("latin-1").split()
            if words[:1] == ["format"]:
                text = words[1:2] == ["ascii"]
            elif words[:2] == ["element", "tristrips"]:
                raise bad_argument(function, "path", f"{path}: a mesh of triangle strips", "a PLY mesh of faces", path)
            elif words[:1] == ["element"] and len(words) == 3 and words[2].isdigit():
                name, found[words[1]] = words[1], int(words[2])
            elif words[:1] == ["property"]:
                listed.setdefault(name, words[1:2] == ["list"])
            elif words[:1] == ["end_header"]:
                if text:
                    _check_lines(stream, found, listed, path, function)
                return found
    raise bad_argument(function, "path", f"{path}: without the end of a header", "a PLY mesh", path)


def _check_lines(stream: BinaryIO, counts: dict[str, int], listed: dict[str, bool], path: Path, function: str) -> None:
    """Refuse lines that are missing, and faces whose line is not as long as it says."""
    lines = (line.split() for line in stream)
    rows = (words for words in lines if words)
    for name, count in counts.items():
        for number in range(count):
            words = next(rows, None)
            if words is None:
                raise _torn(path, function, f"{number:,} of {name} elements where the header says {count:,}")
            if name == "face" and listed.get(name) and not _is_list(words):
                shown = b" ".join(words)[:40].decode(errors="replace")
                raise _torn(path, function, f"face {number + 1} as {shown!r}")


def _is_list(words: list[bytes]) -> bool:
    try:
        return len(words) > int(words[0]) >= 0 and min((int(w) for w in words[1 : int(words[0]) + 1]), default=0) >= 0
    except ValueError:
        return False


def _torn(path: Path, function: str, got: str) -> ValueError:
    return bad_argument(function, "path", f"{path}: {got}", "a PLY mesh that is whole", path)
