"""Colors, the same on pages, in charts and in pictures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

ACCENT = "#0f6e84"
INK = "#1d2327"
QUIET = "#6b757c"
RULE = "#dfe3e5"
CLAY = "#d9d4cd"

# No error to the end of the scale, each step darker than the last, so that it reads in grayscale too.
HEAT_STOPS = (CLAY, "#efc66f", "#ee9d4c", "#d4552f", "#8c1d3f", "#3d0a3a")

# Series of the charts: the model first, then its contenders, from strong to quiet.
SERIES = (ACCENT, "#b4532a", "#4d5a63", "#8d979d", "#bcc3c7", "#7a6a9b", "#5f8a4c")


def rgb(color: str) -> NDArray[np.float64]:
    """``#rrggbb`` as three numbers in [0, 1]."""
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0


def heat(values: ArrayLike) -> NDArray[np.uint8]:
    """Colors (..., 3) of values in [0, 1]; what lies outside takes the color of the nearer end."""
    stops = np.array([rgb(stop) for stop in HEAT_STOPS])
    at = np.clip(np.asarray(values, np.float64), 0.0, 1.0)
    places = np.linspace(0.0, 1.0, len(stops))
    channels = [np.interp(at, places, stops[:, channel]) for channel in range(3)]
    return np.asarray((255.0 * np.stack(channels, axis=-1)).round(), np.uint8)


def distinct(count: int) -> NDArray[np.uint8]:
    """(count, 3) colors of even lightness, neighbors in the list far apart in hue."""
    hue = np.arange(count) * 0.61803398875 % 1.0
    phase = 2.0 * np.pi * (hue[:, None] + np.array([0.0, 1.0, 2.0]) / 3.0)
    return np.asarray((255.0 * (0.68 + 0.24 * np.cos(phase))).round(), np.uint8)


def nice_top(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below ``value``: the end of a scale."""
    if not value > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1 - 1e-9))
