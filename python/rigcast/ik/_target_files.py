"""Targets in files: positions of vertices per frame."""

from __future__ import annotations

import csv
import itertools
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._safe_reading import as_utf8, check_regular, errors_naming, table_rows
from rigcast._shown import one_line
from rigcast._validate import MOST_INDEX, bad_argument, missing_file

COLUMNS = ["frame", "vertex", "x", "y", "z"]
MEMBERS = {
    "targets": Member("f", ("T", "M", 3)),
    "vertices": Member("iu", ("M",)),
    "weights": Member("f", ("M",)),
    "fps": Member("fiu", ()),
}
EXPECTED = ".npz (targets, vertices, weights, fps) or .csv (frame,vertex,x,y,z)"


@one_line
class TargetFile(NamedTuple):
    """The content of a file of targets: positions (T, M, 3), vertices (M,), weights (M,) or None, fps or None."""

    targets: NDArray[np.float64]
    vertices: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    fps: float | None


def load_targets(path: str | os.PathLike[str]) -> TargetFile:
    """Read targets for :func:`rigcast.ik.solve`.

    Parameters
    ----------
    path : path-like
        ``.npz`` with ``targets`` (T, M, 3) and ``vertices`` (M,), and optionally ``weights`` (M,) and ``fps``. Or
        ``.csv`` with the header ``frame,vertex,x,y,z`` and one row per frame and vertex, in any order: every frame has
        the same vertices, and frames are whole numbers without gaps.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If it is no such file, or a row is missing, twice or no numbers.

    Examples
    --------
    >>> np.savez("goals.npz", targets=np.zeros((4, 2, 3)), vertices=[0, 7])
    >>> rc.ik.load_targets("goals.npz").targets.shape
    (4, 2, 3)
    """
    file = Path(path)
    if not os.path.exists(file):
        raise missing_file("load_targets", "path", path, f"targets: {EXPECTED}")
    if file.suffix.lower() == ".csv":
        with errors_naming(file):
            return _read_csv(file)
    if file.suffix.lower() != ".npz":
        raise bad_argument("load_targets", "path", repr(str(path)), EXPECTED, path)
    found: dict[str, Any] = read_arrays(file, MEMBERS, "load_targets", others=True)
    for name in ("targets", "vertices"):
        if name not in found:
            raise bad_argument("load_targets", name, f"missing in {file}", "an array of the archive")
    for name in sorted({"targets", "weights", "fps"} & set(found)):
        if not np.isfinite(found[name]).all():
            raise bad_argument("load_targets", name, f"not finite in {file}", "finite everywhere")
    weights = found.get("weights")
    return TargetFile(
        np.asarray(found["targets"], np.float64),
        np.asarray(found["vertices"], np.int64),
        None if weights is None else np.asarray(weights, np.float64),
        float(found["fps"]) if "fps" in found else None,
    )


def _read_csv(path: Path) -> TargetFile:
    rows = _rows(path)
    frames, vertices = sorted({row[0] for row in rows}), list(dict.fromkeys(row[1] for row in rows))
    if frames != list(range(frames[0], frames[0] + len(frames))):
        gap = next(a for a, b in itertools.pairwise(frames) if b != a + 1)
        raise bad_argument("load_targets", str(path), f"without a frame {gap + 1}", "without gaps between its frames")
    places = {vertex: i for i, vertex in enumerate(vertices)}
    targets = np.full((len(frames), len(vertices), 3), np.nan)
    for line, (frame, vertex, *position) in enumerate(rows, 2):
        at = frame - frames[0], places[vertex]
        if not np.isnan(targets[at]).all():
            got = f"with vertex {vertex} of frame {frame} twice, in line {line} again"
            raise bad_argument("load_targets", str(path), got, "of one row per frame and vertex")
        targets[at] = position
    missing = np.argwhere(np.isnan(targets).any(axis=2))
    if len(missing):
        frame, vertex = frames[0] + int(missing[0][0]), vertices[int(missing[0][1])]
        got = f"without vertex {vertex} in frame {frame}"
        raise bad_argument("load_targets", str(path), got, "of the same vertices in every frame")
    return TargetFile(targets, np.array(vertices, np.int64), None, None)


def _rows(path: Path) -> list[tuple[int, int, float, float, float]]:
    try:
        check_regular(path)
        text = as_utf8(path.read_bytes()).decode("utf-8")
        lines = table_rows(text)
    except (UnicodeError, csv.Error):
        raise bad_argument(
            "load_targets", str(path), "no text", f"a table with the header {','.join(COLUMNS)}"
        ) from None
    if not lines or [cell.lower() for cell in lines[0]] != COLUMNS or len(lines) < 2:
        header = ",".join(lines[0])[:80] if lines else ""
        expected = f"a table with the header {','.join(COLUMNS)} and rows"
        raise bad_argument("load_targets", str(path), f"a table that begins with {header!r}", expected)
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        try:
            frame, vertex = int(cells[0]), int(cells[1])
            x, y, z = map(float, cells[2:])
        except (ValueError, IndexError):
            got = f"with {','.join(cells)[:80]!r} in line {number}"
            raise bad_argument(
                "load_targets", str(path), got, "of two whole numbers and three numbers per line"
            ) from None
        if not np.isfinite([x, y, z]).all():
            raise bad_argument("load_targets", str(path), f"with {','.join(cells)[:80]!r} in line {number}", "finite")
        if not (0 <= vertex <= MOST_INDEX and abs(frame) <= MOST_INDEX):
            got = f"with {','.join(cells)[:80]!r} in line {number}"
            raise bad_argument("load_targets", str(path), got, f"of frames and vertices up to {MOST_INDEX}")
        rows.append((frame, vertex, x, y, z))
    return rows
