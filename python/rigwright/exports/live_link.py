"""Weights in the layout of Live Link Face (see :mod:`rigwright.sources.blendshapes.live_link`)."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigwright.files import atomic_write
from rigwright.sources.blendshapes.live_link import ANGLES, BLENDSHAPES, COLUMNS, LEADING, column_sources

if TYPE_CHECKING:
    from rigwright import BlendshapeRig


def write_live_link(path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float) -> None:
    """Write one row a frame; numbers have the digits that float32 needs."""
    sources = column_sources(rig.shape_names)
    held = {own[0] for own in sources.values() if len(own) == 1}
    extra = [k for k, name in enumerate(rig.shape_names) if k not in held and name not in COLUMNS]
    columns = np.zeros((len(weights), len(BLENDSHAPES) + len(ANGLES) + len(extra)), np.float32)
    for index, own in enumerate(sources.values()):
        if own:
            columns[:, index] = weights[:, own].mean(axis=1)
    columns[:, len(COLUMNS) :] = weights[:, extra]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*LEADING, *COLUMNS, *(rig.shape_names[k] for k in extra)])
    for frame, row in enumerate(columns):
        table.writerow([timecode(frame, fps), len(COLUMNS), *(f"{value:.9g}" for value in row)])
    atomic_write(path, text.getvalue().encode())


def timecode(frame: int, fps: float) -> str:
    """``HH:MM:SS:FF.000`` of a frame at the nearest whole rate, from 0."""
    rate = max(1, round(fps))
    seconds, rest = divmod(frame, rate)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{rest:02d}.000"
