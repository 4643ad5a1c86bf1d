"""Files of tracked points: tables (OpenFace and others), arrays, and JSON of landmark detectors."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._safe_reading import LARGEST_JSON, as_utf8, check_regular, errors_naming, read_bytes, read_json, table_rows
from rigcast._validate import FPS, bad_argument, bad_file, missing_file
from rigcast.capture._tracks import Tracks, at_constant_rate, checked_tracks, with_note
from rigcast.sources._arrays import read_array

Float64 = NDArray[np.float64]

COLUMN = re.compile(r"^(x|y|z|c|certainty|visibility)_?(\d+)$")  # capitals are OpenFace's positions in space
TIMES = ("timestamp", "time")
FACES = ("face_id", "face")
SURE = 0.5  # confidence of a frame below which OpenFace says it has no face
MEMBERS = {
    "points": Member("fiu", None),
    "certainty": Member("f", ("T", "P")),
    "fps": Member("fiu", ()),
    "size": Member("iu", (2,)),
}


@dataclass(frozen=True)
class KnownTracks:
    """Facts that a caller knows of a file beforehand: frames per second, size of the image, which face of several."""

    fps: float | None = None
    size: tuple[int, int] | None = None
    face: int | None = None


def load_tracks(
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    face: int | None = None,
) -> Tracks:
    """Read the points of a shot.

    ========== =====================================================================================================
    ``.csv``   One row per frame: OpenFace (``frame, face_id, timestamp, confidence, success, x_0, ... y_67``), or any
               table with columns ``x_0, y_0`` and if it has them ``z_0`` and ``c_0`` (certainty), ... by point. Rows
               with ``success`` 0 or a ``confidence`` below .5 have no face.
    ``.npz``   ``points`` (T, P, 2 or 3), NaN where nothing was found; ``certainty`` (T, P), ``fps``, ``size``
    ``.npy``   points
    ``.json``  A list of frames, or ``{"frames": [...], "fps": ..., "size": [w, h]}``; a frame is a list of points,
               ``{"x": ..., "y": ...}`` or ``[x, y]``, in one more list as MediaPipe's ``faceLandmarks`` has it, and
               empty or null where there is no face. MediaPipe's own ``z`` is left out: it is no position.
    ========== =====================================================================================================

    Parameters
    ----------
    path : path-like
    fps : float, optional
        Frames per second; default what the file says, else 30 with a note. Uneven times are resampled, with a note.
    size : (int, int), optional
        Width and height of the image in pixels.
    face : int, optional
        Which face of a file with several, as it numbers them.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file holds no points, or several faces and ``face`` is not given.

    Examples
    --------
    >>> np.save("points.npy", np.random.default_rng(0).uniform(0, 500, (3, 68, 2)))
    >>> rc.capture.load_tracks("points.npy", fps=60).points.shape
    (3, 68, 2)
    """
    file = Path(path)
    if not file.exists():
        raise missing_file("load_tracks", "path", file)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise bad_file(file, "no file of points", f"one that ends in {', '.join(READERS)}", "load_tracks")
    check_regular(file)
    known = KnownTracks(fps, size, face)
    with errors_naming(file):
        tracks, times, stated = reader(file, known)
        if fps is None and times is not None:
            tracks = at_constant_rate(times, tracks)
        elif fps is None and stated is None:
            tracks = with_note(tracks, "the file states no rate: 30 frames per second were taken")
    return tracks


Read = tuple[Tracks, Float64 | None, float | None]


def _made(
    points: Any, certainty: Any, known: KnownTracks, fps: float | None, size: Any, notes: tuple[str, ...]
) -> Tracks:
    rate = known.fps or fps or FPS
    return checked_tracks("load_tracks", points, certainty, rate, known.size if size is None else size, notes)


def _read_npz(path: Path, known: KnownTracks) -> Read:
    found = read_arrays(path, MEMBERS, "load_tracks", others=True)
    if "points" not in found:
        raise bad_argument("load_tracks", "path", "an archive without points", "one with points (T, P, 2 or 3)")
    fps = float(found["fps"]) if "fps" in found else None
    size = None if "size" not in found else tuple(int(value) for value in found["size"])
    return _made(found["points"], found.get("certainty"), known, fps, known.size or size, ()), None, fps


def _read_npy(path: Path, known: KnownTracks) -> Read:
    return _made(read_array(path, "load_tracks"), None, known, None, None, ()), None, None


def _read_csv(path: Path, known: KnownTracks) -> Read:
    try:
        rows = table_rows(as_utf8(read_bytes(path, LARGEST_JSON)).decode("utf-8", "replace"))
    except csv.Error as error:
        raise bad_argument("load_tracks", "path", f"no table ({error})", "rows of numbers under names") from None
    names = [cell.strip() for cell in rows[0]] if rows else []
    columns = {match.groups(): n for n, name in enumerate(names) if (match := COLUMN.match(name))}
    count = 1 + max((int(index) for axis, index in columns if axis in "xy"), default=-1)
    if not count or any((axis, str(i)) not in columns for axis in "xy" for i in range(count)):
        got = f"a table with the columns {', '.join(names[:6]) or 'none'}"
        raise bad_argument("load_tracks", "path", got, "one with x_0, y_0, x_1, y_1, ... counted from 0")
    table = _numbers(rows[1:], len(names))
    table, notes = _one_face(table, names, known)
    axes = "xyz" if ("z", "0") in columns else "xy"
    points = np.stack([table[:, [columns[axis, str(i)] for i in range(count)]] for axis in axes], axis=2)
    times = next((table[:, names.index(name)] for name in TIMES if name in names), None)
    certain = _certainty(table, names, columns, points)
    return _made(points, certain, known, None, None, notes), times, None


def _numbers(rows: list[list[str]], width: int) -> Float64:
    table = np.full((len(rows), width), np.nan)
    for t, row in enumerate(rows):
        if len(row) > width:
            raise bad_argument("load_tracks", "path", f"a table with {len(row)} cells in row {t + 1}", f"{width} cells")
        for n, cell in enumerate(row):
            try:
                table[t, n] = float(cell) if cell else np.nan
            except ValueError:
                got = f"{cell[:20]!r} in row {t + 1}, column {n + 1}"
                raise bad_argument("load_tracks", "path", got, "numbers") from None
    return table


def _one_face(table: Float64, names: list[str], known: KnownTracks) -> tuple[Float64, tuple[str, ...]]:
    """Rows of one face."""
    column = next((names.index(name) for name in FACES if name in names), None)
    faces = [] if column is None else np.unique(table[:, column][np.isfinite(table[:, column])]).astype(int).tolist()
    if column is None or len(faces) < 2:
        return table, ()
    if known.face is None or known.face not in faces:
        got = f"{len(faces)} faces: {', '.join(map(str, faces[:6]))}"
        raise bad_argument("load_tracks", "face", "None" if known.face is None else str(known.face), f"one of {got}")
    return table[table[:, column] == known.face], (f"face {known.face} of {len(faces)} was taken",)


def _certainty(table: Float64, names: list[str], columns: dict[tuple[str, ...], int], points: Float64) -> Float64:
    certain = np.ones(points.shape[:2])
    for axis in ("c", "certainty", "visibility"):
        for i in range(points.shape[1]):
            if (axis, str(i)) in columns:
                certain[:, i] = np.clip(np.nan_to_num(table[:, columns[axis, str(i)]]), 0.0, 1.0)
    for name, least in (("success", 1.0), ("confidence", SURE)):
        if name in names:
            certain[~(table[:, names.index(name)] >= least)] = 0.0
    return certain


def _read_json(path: Path, known: KnownTracks) -> Read:
    content = read_json(path)
    head = content if isinstance(content, dict) else {"frames": content}
    frames = head.get("frames", head.get("faceLandmarks"))
    if not isinstance(frames, list):
        raise bad_argument("load_tracks", "path", "JSON without frames", 'a list of frames, or {"frames": [...]}')
    listed = [_json_frame(frame, t, known.face) for t, frame in enumerate(frames)]
    counts = sorted({len(frame) for frame in listed if frame})
    if len(counts) != 1:
        got = f"frames of {', '.join(map(str, counts)) or 'no'} points"
        raise bad_argument("load_tracks", "path", got, "frames of one number of points, or empty ones")
    points = np.full((len(listed), counts[0], 2), np.nan)
    for t, frame in enumerate(listed):
        if frame:
            points[t] = frame
    size, fps = head.get("size"), head.get("fps")
    return _made(points, None, known, fps, known.size or size, ()), None, fps


def _json_frame(frame: Any, t: int, face: int | None) -> list[tuple[float, float]]:
    if isinstance(frame, dict):
        frame = frame.get("faceLandmarks", frame.get("points"))
    if not frame:
        return []
    try:
        if isinstance(frame[0], list) and frame[0] and not isinstance(frame[0][0], int | float):
            if len(frame) > 1 and face is None:
                raise bad_argument("load_tracks", "face", "None", f"one of the {len(frame)} faces of frame {t}")
            frame = frame[face or 0] if (face or 0) < len(frame) else []
        return [(float(p["x"]), float(p["y"])) if isinstance(p, dict) else (float(p[0]), float(p[1])) for p in frame]
    except (KeyError, TypeError, IndexError):
        raise bad_argument("load_tracks", "path", f"no list of points in frame {t}", "points x, y") from None


READERS = {".csv": _read_csv, ".npz": _read_npz, ".npy": _read_npy, ".json": _read_json}
