"""Smooth masks over the ICT face, to split shapes that a finer set of controls has in parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

# Landmarks in Multi-PIE order, counted from 0.
NOSTRILS = {"right": 31, "left": 35}
CORNERS = (48, 54)
INNER_CORNERS, INNER_TOP, INNER_BOTTOM = (60, 64), 62, 66
JAW = {"right": 4, "left": 12}
EYE_BOTTOM = {"right": 41, "left": 46}


def part_masks(neutral: NDArray[np.float32], landmarks: NDArray[np.int64]) -> dict[str, Float64]:
    """Masks (V,) in [0, 1] by name.

    ``left`` and ``right`` add up to 1, as do ``upper`` and ``lower`` (of the line between the lips), and
    ``upper_left`` and its three fellows. ``*_lips``, ``*_nostril`` and ``*_cheek_hollow`` are balls around a place.
    Blends and balls are sized by the width of the mouth, so that identities may differ.
    """
    points = neutral.astype(np.float64)
    marks = points[landmarks]
    width = float(np.linalg.norm(marks[CORNERS[1]] - marks[CORNERS[0]]))
    center = float(marks[[27, 30, 33, 51, 57], 0].mean())
    left = _ramp((points[:, 0] - center) / (0.2 * width))
    upper = _ramp((points[:, 1] - _mouth_line(points[:, 0], marks)) / (0.04 * width))
    sides, rows = {"left": left, "right": 1 - left}, {"upper": upper, "lower": 1 - upper}
    masks = sides | rows
    for row, vertical in rows.items():
        masks |= {f"{row}_{side}": vertical * mask for side, mask in sides.items()}
    lips = _ball(points, marks[48:60].mean(axis=0), 0.75 * width)
    for side, mask in sides.items():
        hollow = 0.5 * (marks[JAW[side]] + marks[EYE_BOTTOM[side]])
        masks[f"{side}_lips"] = lips * mask
        masks[f"{side}_nostril"] = _ball(points, marks[NOSTRILS[side]], 0.4 * width)
        masks[f"{side}_cheek_hollow"] = _ball(points, hollow, 0.8 * width)
    return masks


def _mouth_line(x: Float64, marks: Float64) -> Float64:
    """Height of the line between the lips: a parabola through the inner corners and the middle."""
    middle = 0.5 * (marks[INNER_TOP] + marks[INNER_BOTTOM])
    knots = np.stack([marks[INNER_CORNERS[0]], middle, marks[INNER_CORNERS[1]]])
    inside = np.clip(x, knots[0, 0], knots[2, 0])  # held beyond the corners: a parabola would run away
    return np.asarray(np.polyval(np.polyfit(knots[:, 0], knots[:, 1], 2), inside))


def _ramp(t: Float64) -> Float64:
    """0 below -1, 1 above 1, smooth between."""
    s = np.clip(0.5 * (t + 1), 0, 1)
    return s * s * (3 - 2 * s)


def _ball(points: Float64, center: Float64, radius: float) -> Float64:
    """1 at the center, 0 from the radius on, smooth."""
    distance = np.linalg.norm(points - center, axis=1) / radius
    return np.asarray(np.maximum(0.0, 1.0 - distance**2) ** 2)
