"""The CSV layout of Live Link Face: one row per frame with timecode, 52 ARKit blendshapes and 9 angles.

Names of a rig are mapped onto the columns as onto any curves (``rigcast._rigs.matching``): ``eyeBlink_L``,
``eyeBlinkLeft`` and ``EyeBlinkLeft`` are one; a shape that is spelled exactly as a column comes first. Where a rig has
two sides and the layout one column (``browInnerUp_L`` and ``_R`` of the ICT face), the column is their mean, which is
exact where both sides move alike, and it is read into both.
Columns of any other name are the rig's own. Headers are read in any case, tables also with semicolons or tabs.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.matching import by_name, match_names
from rigcast._safe_reading import as_utf8, check_regular, table_rows
from rigcast._validate import Arguments, bad_argument

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
        Frames per second; by default counted in a full second of the timecodes, else one more than the frame number
        before the only new second, else 60. Rows count as frames one after the other.
    """
    if fps is not None:
        Arguments("load_blendshape_weights").rate("fps", fps)
    header, rows = _rows(path)
    values = _numbers(header, rows, path)
    angles = [name for name in header[2:] if name.lower() in {angle.lower() for angle in ANGLES}]
    result = by_name(header[2:], values[:, 2:], rig, exact=angles)
    return result, fps if fps is not None else _rate([row[0] for row in rows], path) or DEFAULT_FPS


def load_table(path: Path) -> tuple[list[str], NDArray[np.float64], float | None]:
    """All columns of a file, names and values (T, columns), without a rig; and its frames per second.

    They are None if all frames lie in one second of the timecodes, which then do not tell the rate.
    """
    header, rows = _rows(path)
    return header, _numbers(header, rows, path), _rate([row[0] for row in rows], path)


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
    if [name.lower() for name in header[:2]] != [name.lower() for name in LEADING] or len(set(header)) != len(header):
        got = f"{path}: a table that begins with {','.join(header)[:60]!r}"
        raise bad_argument(
            "load_blendshape_weights",
            "path",
            got,
            "one of different columns, Timecode and BlendshapeCount first",
            path,
        )
    if len(table) < 2:
        raise bad_argument(
            "load_blendshape_weights",
            "path",
            f"{path}: without a frame",
            "a Live Link Face CSV with frames",
            path,
        )
    return header, table[1:]


def _numbers(header: list[str], rows: list[list[str]], path: Path) -> NDArray[np.float64]:
    """All cells (T, columns) but the timecodes; a row may be empty of numbers where the app saw no face: zeros."""
    result = np.zeros((len(rows), len(header)))
    for index, row in enumerate(rows):
        if len(row) <= 2 or not any(cell.strip() for cell in row[2:]):
            continue
        try:
            numbers = [float(cell) for cell in row[2:]]
        except ValueError:
            numbers = []
        if len(numbers) != len(header) - 2 or not (np.abs(numbers) <= np.finfo(np.float32).max).all():
            got = f"{path}: row {index + 2} of {len(row)} cells, not all finite numbers"
            raise bad_argument("load_blendshape_weights", "path", got, f"{len(header)} cells in each row", path)
        result[index, 2:] = numbers
    return result


def _rate(codes: list[str], path: Path) -> float | None:
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
