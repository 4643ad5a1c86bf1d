"""The frames of a curve of keys: the samples that a file has are its frames, and tell its rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import one_line
from rigcast._validate import FPS

SLOWEST = 10.0  # frames per second: evenly spaced keys that are rarer are poses between which a program interpolates
USUAL = (30.0, 24.0, 25.0, 60.0, 50.0, 48.0, 24000 / 1001, 30000 / 1001, 60000 / 1001, 120.0, 100.0)
ROUNDED, FEWEST = 0.25, 4  # of a frame, by which the rounding of a time may miss it; keys that show a rate
EVEN = 1e-3  # of a frame: keys so near to frames lie on them
ROUNDING = 4 * 2.0**-24  # of a time: files hold seconds as float32


@one_line
@dataclass(frozen=True)
class Frames:
    """Frames of a clip.

    Attributes
    ----------
    times : (T,) float64 array, seconds
    fps : float
    note : str
        What was decided about them; empty where the keys are the frames.
    """

    times: NDArray[np.float64]
    fps: float
    note: str = ""


def frames_of(keys: NDArray[np.float64], most: int) -> Frames | None:
    """Frames at the file's own samples; None if they were more than ``most``, which no memory is taken for.

    Evenly spaced keys are the frames, wherever the first one lies, if need be by times that a file has rounded. Rarer
    ones than ten a second, and those with gaps, are sampled at the usual rate on whose frames all keys lie; keys on no
    usual rate at 30 frames per second.

    Parameters
    ----------
    keys : (n,) array of seconds, rising
    most : int
    """
    if len(keys) < 2:
        return Frames(np.asarray(keys, np.float64), FPS)
    rate = (len(keys) - 1) / float(keys[-1] - keys[0])
    even = keys[0] + np.arange(len(keys)) / rate
    if rate >= SLOWEST and _alike(keys, even, rate):
        return Frames(np.asarray(keys, np.float64), _plain(rate))
    if rough := _rounded(keys):
        note = f"{len(keys)} keys whose times are rounded: taken as frames at {rough:.5g} per second"
        return Frames(np.asarray(keys, np.float64), rough, note)
    for usual in USUAL:
        if _alike(keys, np.round(keys * usual) / usual, usual):
            note = f"{len(keys)} keys, not at every frame: sampled at {usual:.5g} frames per second"
            return _between(keys, usual, most, note)
    note = (
        f"{len(keys)} keys that lie on the frames of no usual rate: sampled at {FPS:g} frames per second, "
        "between the keys; give fps"
    )
    return _between(keys, FPS, most, note)


def _rounded(keys: NDArray[np.float64]) -> float | None:
    """The usual rate of which there is a key near to each frame, and to no other, as of times with few digits."""
    for usual in USUAL:
        frames = np.round((keys - keys[0]) * usual)
        near = np.abs((keys - keys[0]) * usual - frames).max() < ROUNDED
        if len(keys) >= FEWEST and near and (np.diff(frames) == 1).all():
            return usual
    return None


def _between(keys: NDArray[np.float64], rate: float, most: int, note: str) -> Frames | None:
    first, last = np.floor(keys[0] * rate + EVEN), np.ceil(keys[-1] * rate - EVEN)
    return Frames(np.arange(first, last + 1) / rate, rate, note) if last - first < most else None


def _alike(keys: NDArray[np.float64], frames: NDArray[np.float64], rate: float) -> bool:
    return bool((np.abs(keys - frames) * rate <= EVEN + ROUNDING * np.abs(keys) * rate).all())


def _plain(rate: float) -> float:
    """A usual rate that rounding has missed, else the rate to four decimals."""
    near = min(USUAL, key=lambda usual: abs(usual - rate))
    return near if abs(near - rate) < 1e-4 * rate else float(np.round(rate, 4))
