"""Crops of a face that lie alike in all frames: by the eyes and the mouth of the neutral, and by what stays rigid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast.capture._detectors import IBUG68, MEDIAPIPE, Detector
from rigcast.capture._neutral import upright
from rigcast.capture._video.crops import Square, cut

Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Picture = NDArray[np.uint8]

SIDE = 1.28  # of a crop, in distances between the eyes and from them to the mouth together
DOWN = 0.65  # from the eyes to the mouth: the middle of a crop
STILL = 0.35  # of the points: those that an unknown layout's shapes move least
# Points that hardly move with an expression: bridge and sides of the nose, corners of the eyes, temples.
RIGID = {
    MEDIAPIPE.name: [168, 6, 197, 195, 5, 4, 33, 133, 362, 263, 234, 454, 10, 127, 356, 93, 323],
    IBUG68.name: [*range(27, 36), 36, 39, 42, 45],
    "openface": [*range(27, 36), 36, 39, 42, 45],
}


@dataclass(frozen=True)
class CropLayout:
    """Points of a detector, as far as crops need them.

    Attributes
    ----------
    rigid : (n,) int64
        Points that hardly move with an expression.
    detector : Detector or None
        Whose eyes and mouth place the neutral's square.
    home : (P, 2) float64 or None
        Else where its points lie in the square, from 0 to 1.
    """

    rigid: NDArray[np.int64]
    detector: Detector | None
    home: Float64 | None = None

    def square(self, neutral: Float64) -> Square:
        """The square of a neutral's points (P, 2), from the brows to an open jaw."""
        if self.detector is None:
            assert self.home is not None
            return _square_by_places(neutral, self.home)
        layout = self.detector
        right, left = neutral[layout.right_eye].mean(axis=0), neutral[layout.left_eye].mean(axis=0)
        mouth = 0.5 * (neutral[layout.right_corner] + neutral[layout.left_corner])
        eyes, across = 0.5 * (right + left), left - right
        side = SIDE * float(np.linalg.norm(across) + np.linalg.norm(mouth - eyes))
        x, y = eyes + DOWN * (mouth - eyes)
        return Square(float(x), float(y), side, float(np.arctan2(across[1], across[0])))


def layout_of(detector: Detector) -> CropLayout:
    """The layout of a known detector."""
    return CropLayout(np.array(RIGID[detector.name], np.int64), detector)


def layout_of_character(character: BlendshapeRig, landmarks: NDArray[np.int64]) -> CropLayout:
    """The layout of landmarks (P,) that no detector names: as they lie on the character, seen from the front."""
    if len(landmarks) in IBUG68.counts:
        return layout_of(IBUG68)
    moved = sum(np.linalg.norm(character.column(k)[landmarks], axis=1) for k in range(character.num_shapes))
    rigid = np.argsort(moved, kind="stable")[: max(4, int(STILL * len(landmarks)))]
    at = character.rest_vertices[landmarks].astype(np.float64) @ upright(character).T
    low, high = at[:, :2].min(axis=0), at[:, :2].max(axis=0)
    side = 1.2 * float(max(high - low))
    return CropLayout(np.sort(rigid).astype(np.int64), None, (at[:, :2] - 0.5 * (low + high)) / side + 0.5)


@dataclass(frozen=True)
class AlignedShot:
    """Squares of a shot's frames, and how its points moved.

    Attributes
    ----------
    squares : list of Square or None
        Per frame; None where no face was found.
    moved : (T, P, 2) float64
        Differences from the neutral's points in its axes, in sides of its square by 1.28; 0 for points not found.
    """

    squares: list[Square | None]
    moved: Float64


def align(points: Float64, neutral: Float64, layout: CropLayout) -> AlignedShot:
    """Squares and motion of points (T, P, 2) against a neutral's (P, 2), by the best similarity of rigid points."""
    rigid, home = layout.rigid, layout.square(neutral)
    plane, rest = points[..., 0] + 1j * points[..., 1], neutral[:, 0] + 1j * neutral[:, 1]
    middle = rest[rigid].mean()
    unit = home.side / SIDE
    squares: list[Square | None] = []
    moved = np.zeros(points.shape)
    for t, frame in enumerate(plane):
        held = frame[rigid]
        if not np.isfinite(held).all():
            squares.append(None)
            continue
        here = held.mean()
        turn = np.vdot(rest[rigid] - middle, held - here) / np.vdot(rest[rigid] - middle, rest[rigid] - middle).real
        at = here + turn * (complex(home.x, home.y) - middle)
        squares.append(Square(at.real, at.imag, abs(turn) * home.side, home.angle + float(np.angle(turn))))
        away = np.nan_to_num(((frame - here) / turn - (rest - middle)) / unit)
        moved[t, :, 0], moved[t, :, 1] = away.real, away.imag
    return AlignedShot(squares, moved)


def crop(picture: Picture, square: Square | None, size: int) -> NDArray[np.uint8]:
    """The square (size, size, 3) of a picture in 8 bits; black where there is none."""
    if square is None:
        return np.zeros((size, size, 3), np.uint8)
    return np.asarray(np.clip(np.rint(cut(picture, square, size)), 0, 255), np.uint8)


def shares(points: Float64, square: Square) -> Float64:
    """Places (..., 2) of pixels in a square, from 0 to 1: the reverse of ``Square.placed``."""
    cos, sin = np.cos(square.angle), np.sin(square.angle)
    away = points - np.array([square.x, square.y])
    return np.asarray(away @ np.array([[cos, -sin], [sin, cos]]) / square.side + 0.5)


def _square_by_places(points: Float64, home: Float64) -> Square:
    """The square in which points (P, 2) lie as places (P, 2) from 0 to 1 do, by the best similarity."""
    seen, at = points[:, 0] + 1j * points[:, 1], home[:, 0] + 1j * home[:, 1]
    middle = at.mean()
    turn = np.vdot(at - middle, seen - seen.mean()) / np.vdot(at - middle, at - middle).real
    center = seen.mean() + turn * (0.5 + 0.5j - middle)
    return Square(center.real, center.imag, abs(turn), float(np.angle(turn)))
