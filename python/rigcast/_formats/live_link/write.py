"""Weights in the layout of Live Link Face (see :mod:`rigcast._formats.live_link.read`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_write
from rigcast._formats.live_link.read import COLUMNS, LEADING, column_sources
from rigcast._rigs.motions.head import head_angles

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig


HEAD = ("HeadYaw", "HeadPitch", "HeadRoll")


def write_live_link(
    path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float, motion: NDArray[np.float64] | None = None
) -> None:
    """Write one row per frame; numbers have the digits that float32 needs.

    The layout states no unit of its angles. Radians are what the app records and what importers take them for:
    Maya-Live-Link-CSV-Import (github.com/aronamao) keys yaw, pitch and roll as turns about y, x and z in Maya's
    internal unit.
    """
    sources = column_sources(rig.shape_names)
    extra = _extra(sources, len(rig.shape_names))
    columns = np.zeros((len(weights), len(COLUMNS) + len(extra)), np.float32)
    for index, own in enumerate(sources.values()):
        if own:
            columns[:, index] = weights[:, own].mean(axis=1)
    columns[:, len(COLUMNS) :] = weights[:, extra]
    if motion is not None:
        angles = np.radians(head_angles(motion, str(rig.up_axis)))
        for index, name in enumerate(HEAD):
            if not sources[name]:
                columns[:, COLUMNS.index(name)] = angles[:, index]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*LEADING, *COLUMNS, *(rig.shape_names[k] for k in extra)])
    for frame, row in enumerate(columns):
        table.writerow([timecode(frame, fps), len(COLUMNS), *(f"{value:.9g}" for value in row)])
    atomic_write(path, text.getvalue().encode())


def live_link_notes(shape_names: Sequence[str], motion: NDArray[np.float64] | None = None) -> list[str]:
    """Notes on a rig's shapes beyond the layout's own columns, and on head motion that has no column."""
    sources = column_sources(shape_names)
    halves = {k for own in sources.values() if len(own) > 1 for k in own}
    alone = [shape_names[k] for k in _extra(sources, len(shape_names)) if k not in halves]
    notes = [
        f"Live Link's column {column} holds the mean of {' and '.join(shape_names[k] for k in own)}, "
        "which also have columns of their own at the end"
        for column, own in sources.items()
        if len(own) > 1
    ]
    if alone:
        notes.append(
            f"Live Link has no column for {', '.join(alone)}: in columns of their own at the end, "
            "which rigcast reads back and other programs pass over"
        )
    if motion is not None:
        notes.append(
            "Live Link has columns for the turns of the head (HeadYaw, HeadPitch, HeadRoll), none for its place"
        )
    return notes


def _extra(sources: Mapping[str, Sequence[int]], count: int) -> list[int]:
    """The shapes that no column of the layout holds exactly."""
    held = {own[0] for own in sources.values() if len(own) == 1}
    return [k for k in range(count) if k not in held]


def timecode(frame: int, fps: float) -> str:
    """``HH:MM:SS:FF.000`` of a frame at the nearest whole rate, from 0."""
    rate = max(1, round(fps))
    seconds, rest = divmod(frame, rate)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{rest:02d}.000"
