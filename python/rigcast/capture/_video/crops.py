"""Squares cut out of a picture, turned and scaled to the size that a network takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Square:
    """Part of a picture: its middle and side in pixels, and how far it is turned clockwise, in radians."""

    x: float
    y: float
    side: float
    angle: float = 0.0

    def placed(self, shares: Float64) -> Float64:
        """Pixels (..., 2) of places (..., 2) between 0 and 1."""
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        away = self.side * (shares - 0.5)
        turned = away @ np.array([[cos, sin], [-sin, cos]])
        return np.asarray(turned + np.array([self.x, self.y]))


def whole_square(picture: Picture) -> Square:
    """The smallest square around a picture."""
    height, width = picture.shape[:2]
    return Square(width / 2, height / 2, float(max(width, height)))


def square_around(points: Float64, right_eye: Float64, left_eye: Float64, scale: float) -> Square:
    """A square around points (P, 2), upright to a line through the eyes, as wide as their box times a scale."""
    across = left_eye - right_eye
    angle = float(np.arctan2(across[1], across[0]))
    low, high = points.min(axis=0), points.max(axis=0)
    x, y = (low + high) / 2
    return Square(float(x), float(y), scale * float(max(high - low)), angle)


def cut(picture: Picture, square: Square, count: int) -> Float32:
    """The square (count, count, 3) of a picture in [0, 255]; black outside.

    Large pictures are averaged over boxes of whole pixels first, then sampled bilinearly.
    """
    reach = int(np.ceil(0.75 * square.side)) + 2
    height, width = picture.shape[:2]
    left, top = max(int(square.x) - reach, 0), max(int(square.y) - reach, 0)
    part = picture[top : max(min(int(square.y) + reach, height), 0), left : max(min(int(square.x) + reach, width), 0)]
    if part.size == 0:
        return np.zeros((count, count, 3), np.float32)
    box = max(1, int(square.side / count))
    small = averaged(part, box)
    axis = (np.arange(count) + 0.5) / count
    places = square.placed(np.stack(np.meshgrid(axis, axis), axis=-1))
    return _sampled(small, (places - [left, top]) / box - 0.5)


def averaged(part: Picture, box: int) -> Float32:
    """Means over boxes, the last ones of fewer pixels as if the border went on."""
    if box == 1:
        return part.astype(np.float32)
    down, across = -part.shape[0] % box, -part.shape[1] % box
    whole = np.pad(part, ((0, down), (0, across), (0, 0)), mode="edge")
    rows, columns = whole.shape[0] // box, whole.shape[1] // box
    tall = whole.reshape(rows, box, -1).sum(axis=1, dtype=np.float32)
    return np.asarray(tall.reshape(rows, columns, box, 3).sum(axis=2) / np.float32(box * box))


def _sampled(image: Float32, at: Float64) -> Float32:
    """Bilinear samples at places (N, N, 2), x first; black outside."""
    height, width = image.shape[:2]
    low = np.floor(at).astype(np.int64)
    share = (at - low).astype(np.float32)
    total = np.zeros((*at.shape[:2], 3), np.float32)
    for down in (0, 1):
        for right in (0, 1):
            x, y = low[..., 0] + right, low[..., 1] + down
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            weight = np.where(right, share[..., 0], 1 - share[..., 0]) * np.where(
                down, share[..., 1], 1 - share[..., 1]
            )
            found = image[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
            total += (weight * inside)[..., None] * found
    return total
