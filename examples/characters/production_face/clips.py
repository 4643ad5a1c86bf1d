"""Curves of the dials: a published performance mapped to them, and constructed clips for dials that it does not move.

compskin_face_anim states no frame rate: 60 frames per second is our assumption, and every table says so. Its rows 0 to
199 are the performance by which models are judged; rows 200 and later (source frames 288 to 2099: ranges of motion,
alone and in combination) are for training. Two of the constructed clips are held out with it.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.controls import controls, curve_table
from rigcast.faces import compskin_curves

Array = NDArray[np.float64]
FPS = 60.0
ASSUMPTION = "compskin_face_anim states no frame rate: taken as 60 frames per second, our assumption"
JUDGED_ROWS = 200
COMBINATIONS_AT = 971  # the row of source frame 1059, where combinations of controls begin
CONSTRUCTED, HELD_OUT = 8, 2  # clips
FRAMES = 360  # of a constructed clip
NOISE = (0.25, 3.0)
# Dials of the performance that constructed clips move too, so that the others are seen in company.
COMPANY = {
    "jawOpen",
    "mouthSmile",
    "browDown",
    "browOuterUp",
    "eyeBlink",
    "eyeLookUp",
    "eyeLookDown",
    "mouthStretch",
    "mouthFrown",
    "cheekSquint",
    "noseSneer",
}


@dataclass(frozen=True)
class Clip:
    """Values of all dials over time.

    Attributes
    ----------
    name : str
    rows : (T, C) float64 array, in the order of the channels
    judged : bool
        Held out of training.
    constructed : bool
    """

    name: str
    rows: Array
    judged: bool
    constructed: bool


def performance_clips(folder: str | os.PathLike[str]) -> list[Clip]:
    """The published curves on our dials: the judged performance, and two training clips.

    Parameters
    ----------
    folder : path
        That of :func:`rigcast.faces.compskin_curves`. Values are clipped into [0, 1]; they go down to -0.064.
    """
    theirs, curves = compskin_curves(folder)
    table, names = curve_table(), [row.name for row in controls()]
    rows = np.tile(rest_row(), (len(curves), 1))
    rows[:, [names.index(table[name]) for name in theirs]] = np.clip(curves, 0.0, 1.0)
    parts = {
        "performance": slice(0, JUDGED_ROWS),
        "range of motion": slice(JUDGED_ROWS, COMBINATIONS_AT),
        "combinations": slice(COMBINATIONS_AT, len(rows)),
    }
    return [Clip(name, rows[part], name == "performance", False) for name, part in parts.items()]


def constructed_clips(seed: int = 0) -> list[Clip]:
    """Eight clips of six seconds in which dials without a published curve make smooth gestures; two are held out."""
    result = []
    for number in range(CONSTRUCTED):
        judged = number >= CONSTRUCTED - HELD_OUT
        rng = np.random.default_rng([seed, number])
        name = f"constructed {number + 1}" + ", held out" * judged
        result.append(Clip(name, _gestures(rng), judged, True))
    return result


def training_rows(clips: list[Clip], count: int, seed: int = 0) -> tuple[Array, float]:
    """Rows of the clips for training, each value's distance from rest times U(0.25, 3), clipped into the ranges.

    Returns
    -------
    rows : (count, C) array
    clipped : float
        Share of the values away from rest that were clipped.
    """
    rng = np.random.default_rng(seed)
    rest = rest_row()
    pool = np.concatenate([clip.rows for clip in clips if not clip.judged]) - rest
    noisy = rest + pool[rng.integers(len(pool), size=count)] * rng.uniform(*NOISE, (count, len(rest)))
    rows = np.clip(noisy, 0.0, 1.0)
    away = np.abs(noisy - rest) > 1e-6
    return rows, float((noisy != rows).sum() / max(away.sum(), 1))


def uniform_rows(count: int, seed: int = 0) -> Array:
    """Rows (count, C), uniform in the ranges."""
    low, high = np.array([(row.low, row.high) for row in controls()]).T
    return np.asarray(np.random.default_rng([seed, 1]).uniform(low, high, (count, len(low))))


def rest_row() -> Array:
    """Rest values (C,) of all dials."""
    return np.array([row.rest for row in controls()])


def _gestures(rng: np.random.Generator) -> Array:
    rows = np.tile(rest_row(), (FRAMES, 1))
    table = controls()
    names = [row.name for row in table]
    seconds = np.arange(FRAMES) / FPS
    for column, row in enumerate(table):
        often = 1.6 if row.name.removesuffix("Left").removesuffix("Right") in COMPANY else 1.0 if not row.curve else 0.0
        if row.name.endswith("Right") and f"{row.name[:-5]}Left" in names and rng.random() < 0.8:
            left = rows[:, names.index(f"{row.name[:-5]}Left")]
            rows[:, column] = row.rest + (left - row.rest) * rng.uniform(0.8, 1.0)
            continue
        for _ in range(rng.poisson(often)):
            middle, length = rng.uniform(0, seconds[-1]), rng.uniform(0.5, 1.6)
            phase = np.clip((seconds - middle) / (0.5 * length), -1.0, 1.0)
            size = rng.uniform(0.3, 1.0) * (0.5 + 0.5 * np.cos(math.pi * phase))
            rows[:, column] += size * (1.0 if row.rest == 0.0 else -1.0)
    return np.asarray(np.clip(rows, 0.0, 1.0))
