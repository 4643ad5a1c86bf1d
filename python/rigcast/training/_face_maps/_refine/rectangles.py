"""Rectangles of the texture that are refined: grown until they hold the error of their cluster, and kept apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._refine.clusters import clusters, nearest_center

Float64 = NDArray[np.float64]

SIDE = 0.25  # of the width of the texture: what a rectangle starts with (Bailey 2020, 3.3)
LONGEST = 2.0 * SIDE
LEAST = 0.5 * SIDE  # of a rectangle that was cut
STEP = 0.125 * SIDE  # by which a side moves
GAP = 0.25 * SIDE  # that rectangles stay apart; the weight falls from 1 to 0 across it, outside
SPILL = 0.01  # of a cluster's error at one side: that side moves outward
SAME = 0.2  # of a square's side: clusters whose squares are closer to each other are one
TOUCHING = 1e-9  # overlap below is rounding
SMALLEST = 1e-6  # weights below are 0


@dataclass(frozen=True)
class Rectangle:
    """Corners (2,) on the map of a segment."""

    low: Float64
    high: Float64

    @property
    def size(self) -> Float64:
        return self.high - self.low

    def stretched(self, uvs: Float64) -> Float64:
        """Coordinates (M, 2) with the rectangle, and where its weight falls, as the whole map."""
        low, high = self.reach
        return np.clip((uvs - low) / (high - low), 0.0, 1.0)

    @property
    def reach(self) -> tuple[Float64, Float64]:
        """Corners of what lies inside the texture and has a weight."""
        return np.maximum(self.low - GAP, 0.0), np.minimum(self.high + GAP, 1.0)

    def depth(self, uvs: Float64) -> Float64:
        """The depth inside of coordinates (M, 2), negative outside: of the nearest side.

        Where a rectangle meets the border of the texture it has no side.
        """
        below = np.where(self.low > 0.0, uvs - self.low, SIDE)
        above = np.where(self.high < 1.0, self.high - uvs, SIDE)
        return np.asarray(np.minimum(below, above).min(axis=1))

    def is_dense(self, uvs: Float64, resolution: int) -> bool:
        """Return True if more vertices lie in the rectangle and around it than texels of a map of the texture."""
        low, high = self.reach
        inside = ((uvs >= low) & (uvs <= high)).all(axis=1)
        return bool(inside.sum() > (high - low)[0] * (high - low)[1] * resolution**2)


def rectangles_around(uvs: Float64, error: Float64, count: int) -> list[Rectangle]:
    """Rectangles that hold the errors (M,) of vertices at coordinates (M, 2), at most ``count``, kept apart.

    Each is grown around the center of a cluster of errors, of centers whose squares are apart by ``SAME``.
    """
    chosen: list[Float64] = []
    for center in clusters(uvs, error, count):
        low = square_around(center).low
        if all(np.abs(low - square_around(other).low).max() > SAME * SIDE for other in chosen):
            chosen.append(center)
    nearest = nearest_center(uvs, np.array(chosen))
    return apart(
        [
            grown(square_around(center), uvs, np.where(nearest == number, error, 0.0))
            for number, center in enumerate(chosen)
        ]
    )


def square_around(center: Float64) -> Rectangle:
    """The square with a quarter of the texture's width, inside the texture."""
    low = np.clip(center - 0.5 * SIDE, 0.0, 1.0 - SIDE)
    return Rectangle(low, low + SIDE)


def grown(start: Rectangle, uvs: Float64, error: Float64) -> Rectangle:
    """The rectangle whose sides have moved outward, the worst first, until none spills.

    A side spills if more than ``SPILL`` of the error lies outside it, where the weight falls. Corners of a mouth lie
    dense on a map: a square around its middle that ends there leaves the worst faces to the coarse map.

    Parameters
    ----------
    start : Rectangle
    uvs : (M, 2) array
    error : (M,) array
        0 for vertices of other clusters.
    """
    total = _sum(error)
    rectangle = start
    while True:
        spills = [
            (_spilled(rectangle, uvs, error, axis, up), axis, up)
            for axis in range(2)
            for up in (False, True)
            if _may_grow(rectangle, axis, up)
        ]
        most, axis, up = max(spills, default=(0.0, 0, False))
        if most <= SPILL * total:
            return rectangle
        rectangle = _moved(rectangle, axis, up)


def apart(rectangles: list[Rectangle]) -> list[Rectangle]:
    """Rectangles that would lie closer than ``GAP`` cut along the axis on which they overlap least, in the middle.

    Where one would be left with less than ``LEAST`` of a side, as one inside of another, the later one is left out.
    """
    left = list(rectangles)
    while True:
        cut = _cut(left)
        small = [number for number, own in enumerate(cut) if (own.size < np.minimum(LEAST, left[number].size)).any()]
        if not small:
            return cut
        del left[small[-1]]


def _cut(rectangles: list[Rectangle]) -> list[Rectangle]:
    lows, highs = ([np.array(getattr(r, name)) for r in rectangles] for name in ("low", "high"))
    for i in range(len(rectangles)):
        for j in range(i):
            overlap = np.minimum(highs[i], highs[j]) - np.maximum(lows[i], lows[j]) + GAP
            if (overlap <= TOUCHING).any():
                continue
            axis = int(overlap.argmin())
            middle = 0.5 * (min(highs[i][axis], highs[j][axis]) + max(lows[i][axis], lows[j][axis]))
            upper, lower = (i, j) if lows[i][axis] + highs[i][axis] > lows[j][axis] + highs[j][axis] else (j, i)
            lows[upper][axis] = max(lows[upper][axis], middle + 0.5 * GAP)
            highs[lower][axis] = min(highs[lower][axis], middle - 0.5 * GAP)
    return [Rectangle(low, high) for low, high in zip(lows, highs, strict=True)]


def shares(rectangles: list[Rectangle], uvs: Float64) -> tuple[Float64, Float64]:
    """Weights of rectangles (R, M) at coordinates (M, 2), and of what lies around them (M,); their sum is 1.

    With d the depth in rectangle Q and a_Q = smooth(1 + d / GAP), which is 1 inside of Q: around r = prod (1 - a_Q), of
    Q a_Q (1 - r) / sum a. Inside of a rectangle its weight is 1: rectangles are at least ``GAP`` apart.
    """
    near = np.stack([smooth(1.0 + rectangle.depth(uvs) / GAP) for rectangle in rectangles])
    around = np.prod(1.0 - near, axis=0)
    return near * ((1.0 - around) / np.maximum(near.sum(axis=0), SMALLEST)), around


def smooth(share: Float64) -> Float64:
    """0 below 0, 1 above 1, between them without a kink."""
    inside = np.clip(share, 0.0, 1.0)
    return np.asarray(inside * inside * (3.0 - 2.0 * inside))


def _may_grow(rectangle: Rectangle, axis: int, up: bool) -> bool:
    at_border = rectangle.high[axis] >= 1.0 if up else rectangle.low[axis] <= 0.0
    return bool(not at_border and rectangle.size[axis] < LONGEST - TOUCHING)


def _spilled(rectangle: Rectangle, uvs: Float64, error: Float64, axis: int, up: bool) -> float:
    """The error outside of a side, as far as the weight falls."""
    across = uvs[:, 1 - axis]
    across_from = (across >= rectangle.low[1 - axis]) & (across <= rectangle.high[1 - axis])
    outside = uvs[:, axis] - rectangle.high[axis] if up else rectangle.low[axis] - uvs[:, axis]
    return _sum(error[across_from & (outside > 0.0) & (outside < GAP)])


def _moved(rectangle: Rectangle, axis: int, up: bool) -> Rectangle:
    low, high = rectangle.low.copy(), rectangle.high.copy()
    if up:
        high[axis] = min(1.0, high[axis] + STEP, low[axis] + LONGEST)
    else:
        low[axis] = max(0.0, low[axis] - STEP, high[axis] - LONGEST)
    return Rectangle(low, high)


def _sum(values: Float64) -> float:
    """From the first to the last, so that the bytes are those of every machine."""
    return float(np.bincount(np.zeros(len(values), np.intp), values, 1)[0])
