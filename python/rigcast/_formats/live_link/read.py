"""The CSV layout of Live Link Face: one row per frame with timecode, 52 ARKit blendshapes and 9 angles.

Names of a rig are mapped onto the columns as onto any curves (``rigcast._rigs.matching``): ``eyeBlink_L``,
``eyeBlinkLeft`` and ``EyeBlinkLeft`` are one; a shape that is spelled exactly as a column comes first. Where a rig has
two sides and the layout one column (``browInnerUp_L`` and ``_R`` of the ICT face), the column is their mean, which is
exact where both sides move alike, and it is read into both.
Columns of any other name are the rig's own. Headers are read in any case, tables also with semicolons or tabs.

Tables of other recorders are read too: one column per curve under its name, before them any of a timecode, the number
of the frame, and a time in seconds or milliseconds, which states the rate.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.matching import by_name, match_names
from rigcast._safe_reading import as_utf8, check_regular, table_rows
from rigcast._validate import Arguments, bad_argument
from rigcast.errors import InputWarning

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

BLENDSHAPES = (
    "EyeBlinkLeft",
    "EyeLookDownLeft",
    "EyeLookInLeft",
    "EyeLookOutLeft",
    "EyeLookUpLeft",
    "EyeSquintLeft",
    "EyeWideLeft",
    "EyeBlinkRight",
    "EyeLookDownRight",
    "EyeLookInRight",
    "EyeLookOutRight",
    "EyeLookUpRight",
    "EyeSquintRight",
    "EyeWideRight",
    "JawForward",
    "JawRight",
    "JawLeft",
    "JawOpen",
    "MouthClose",
    "MouthFunnel",
    "MouthPucker",
    "MouthRight",
    "MouthLeft",
    "MouthSmileLeft",
    "MouthSmileRight",
    "MouthFrownLeft",
    "MouthFrownRight",
    "MouthDimpleLeft",
    "MouthDimpleRight",
    "MouthStretchLeft",
    "MouthStretchRight",
    "MouthRollLower",
    "MouthRollUpper",
    "MouthShrugLower",
    "MouthShrugUpper",
    "MouthPressLeft",
    "MouthPressRight",
    "MouthLowerDownLeft",
    "MouthLowerDownRight",
    "MouthUpperUpLeft",
    "MouthUpperUpRight",
    "BrowDownLeft",
    "BrowDownRight",
    "BrowInnerUp",
    "BrowOuterUpLeft",
    "BrowOuterUpRight",
    "CheekPuff",
    "CheekSquintLeft",
    "CheekSquintRight",
    "NoseSneerLeft",
    "NoseSneerRight",
    "TongueOut",
)
ANGLES = (
    "HeadYaw",
    "HeadPitch",
    "HeadRoll",
    "LeftEyeYaw",
    "LeftEyePitch",
    "LeftEyeRoll",
    "RightEyeYaw",
    "RightEyePitch",
    "RightEyeRoll",
)
COLUMNS = (*BLENDSHAPES, *ANGLES)  # 61
LEADING = ("Timecode", "BlendshapeCount")
DEFAULT_FPS = 60.0  # what the app records where it can
TIMECODE = re.compile(r"(\d{1,3}):(\d{1,2}):(\d{1,2})[:;](\d{1,3})(\.\d+)?$")
COUNTS = {"blendshapecount", "frame", "frames", "framenumber", "frameindex", "index", ""}  # first columns without use
SECONDS = {"time": 1.0, "times": 1.0, "timestamp": 1.0, "seconds": 1.0, "timeseconds": 1.0, "timesec": 1.0,
           "timestampms": 1e-3, "timems": 1e-3, "milliseconds": 1e-3}  # fmt: skip
UNEVEN = 0.5  # share of a frame by which times may be further apart or closer: rounded to hundredths, not a lost row
SLOWEST = 2.0  # seconds between two rows; times further apart are milliseconds


@dataclass(frozen=True)
class CurveTable:
    """A table of curves, one row per frame.

    Attributes
    ----------
    names : list of str
        Of the curves, without the first columns.
    values : (T, K) float64 array
        Zeros where a row holds no numbers.
    fps : float or None
        None where the table does not state it.
    timecoded : bool
        True for tables of Live Link Face, with timecodes.
    """

    names: list[str]
    values: NDArray[np.float64]
    fps: float | None
    timecoded: bool


def column_sources(shape_names: Sequence[str], function: str = "write_blendshape_weights") -> dict[str, list[int]]:
    """For each column of the layout the rig's shapes that stand for it: one, or both sides, or none.

    Angles are no shapes: only a shape of exactly that name stands for one.
    """
    result: dict[str, list[int]] = {column: [] for column in COLUMNS}
    for shape, column in sorted(match_names(COLUMNS, shape_names, function, ANGLES).items()):
        result[COLUMNS[column]].append(shape)
    return result


def load_live_link(path: Path, rig: BlendshapeRig, fps: float | None = None) -> tuple[NDArray[np.float32], float]:
    """Read weights (T, K) and their rate.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    fps : float, optional
        Frames per second. Default with timecodes: counted in a full second of them, else one more than the frame number
        before the only new second, else 60; with times: their median difference. Rows count as frames one after the
        other.

    Raises
    ------
    ValueError
        If the file is no table of curves, or has neither timecodes nor times and no rate is given.
    """
    if fps is not None:
        Arguments("load_blendshape_weights").rate("fps", fps)
    table = load_table(path)
    rate = fps or table.fps or (DEFAULT_FPS if table.timecoded else None)
    if rate is None:
        got = f"None, and {path} has no column of times that rise evenly"
        raise bad_argument("load_blendshape_weights", "fps", got, "the frames per second of its rows")
    angles = [name for name in table.names if name.lower() in {angle.lower() for angle in ANGLES}]
    return by_name(table.names, table.values, rig, exact=angles), rate


def load_table(path: Path) -> CurveTable:
    """Read all curves of a table without a rig.

    Raises
    ------
    ValueError
        If the file is no table of curves.
    """
    header, rows = _rows(path)
    keys = [re.sub(r"[^a-z]", "", name.lower()) for name in header]
    first = 0
    while first < len(keys) and (keys[first] in COUNTS or keys[first] in SECONDS or keys[first] == "timecode"):
        first += 1
    if first == len(header) or any(_is_number(name) for name in header):
        got = f"{path}: a table that begins with {','.join(header)[:60]!r}"
        expected = (
            "one with the names of curves in its first row, after Timecode, BlendshapeCount, frame or time if any"
        )
        raise bad_argument("load_blendshape_weights", "path", got, expected, path)
    values = _numbers(header, rows, first, path)
    if "timecode" in keys[:first]:
        place = keys.index("timecode")
        return CurveTable(header[first:], values, _rate_of_codes([row[place] for row in rows], path), True)
    timed = [place for place in range(first) if keys[place] in SECONDS]
    fps = _rate_of_times([row[timed[0]] for row in rows], SECONDS[keys[timed[0]]], path) if timed else None
    return CurveTable(header[first:], values, fps, False)


def _rows(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        check_regular(path)
        table = table_rows(as_utf8(path.read_bytes()).decode("utf-8"))
    except (ValueError, csv.Error) as error:
        raise bad_argument(
            "load_blendshape_weights",
            "path",
            f"{path}: unreadable ({error})",
            "a Live Link Face CSV",
            path,
        ) from error
    header = table[0] if table else []
    if header[-1:] == [""] and all(len(row) == len(header) and not row[-1] for row in table):
        table = [row[:-1] for row in table]  # each line ends in a comma
        header = table[0]
    if len(set(header)) != len(header):
        twice = next(name for place, name in enumerate(header) if name in header[:place])
        got = f"{path}: a table with two columns {twice[:60]!r}"
        raise bad_argument("load_blendshape_weights", "path", got, "one whose columns have different names", path)
    if len(table) < 2:
        raise bad_argument(
            "load_blendshape_weights",
            "path",
            f"{path}: without a frame",
            "a Live Link Face CSV with frames",
            path,
        )
    return header, table[1:]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(header: list[str], rows: list[list[str]], first: int, path: Path) -> NDArray[np.float64]:
    """The cells (T, K) from column ``first`` on; a row may be empty of numbers where no face was seen: zeros."""
    result = np.zeros((len(rows), len(header) - first))
    for index, row in enumerate(rows):
        if first and (len(row) <= first or not any(cell.strip() for cell in row[first:])):
            continue
        try:
            numbers = [float(cell) for cell in row[first:]]
        except ValueError:
            numbers = []
        if len(numbers) != len(header) - first or not (np.abs(numbers) <= np.finfo(np.float32).max).all():
            got = f"{path}: row {index + 2} of {len(row)} cells, not all finite numbers"
            raise bad_argument("load_blendshape_weights", "path", got, f"{len(header)} cells in each row", path)
        result[index] = numbers
    return result


def _rate_of_times(cells: list[str], unit: float, path: Path) -> float | None:
    """Rows per second of a column of times in a unit of seconds; None if they do not rise evenly."""
    try:
        times = np.array([float(cell) for cell in cells])
    except ValueError:
        return None
    step = float(times[-1] - times[0]) / max(len(times) - 1, 1)
    if not np.isfinite(step) or step <= 0 or (np.abs(np.diff(times) - step) > UNEVEN * step).any():
        return None
    if unit == 1.0 and step > SLOWEST:
        warnings.warn(f"{path.name}: times {step:g} apart are taken for milliseconds", InputWarning, stacklevel=2)
        unit = 1e-3
    return 1.0 / (unit * step)


def _rate_of_codes(codes: list[str], path: Path) -> float | None:
    """Frames in a full second of the timecodes, or what the numbers of the frames count up to; None within a second."""
    seconds, frames = [], []
    for index, code in enumerate(codes):
        match = TIMECODE.match(code.strip())
        if match is None:
            got = f"{path}: row {index + 2} with timecode {code[:30]!r}"
            raise bad_argument("load_blendshape_weights", "path", got, "HH:MM:SS:FF, or give fps", path)
        hours, minutes, whole = (int(part) for part in match.groups()[:3])
        seconds.append(3600 * hours + 60 * minutes + whole)
        frames.append(int(match.group(4)))
    change = np.flatnonzero(np.diff(seconds))
    if len(change) > 1:
        return float(np.median(np.diff(change)))
    return frames[change[0]] + 1.0 if len(change) else None
