"""Eyes that turn: both by one rotation about x, then about y, as Bailey 2020, section 6.5, finds them from pupils.

The ICT face's shapes of gaze move its lids and not its eyes, so that eyes turn beside the shapes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast.capture import Capture, Cast

Float64 = NDArray[np.float64]

EYES = 1  # the part of a cast
MOST = np.array([0.25, 0.4])  # radians about x (up and down) and y (aside)
PERIODS = np.array([17.0, 29.0])  # frames of the test's glances
OPEN = 0.3  # of a blink: beyond, no pupil is seen


class Eyes:
    """The eyes of a face at rest, right then left.

    Parameters
    ----------
    rest : (V, 3) array
    parts : (V,) array
        Of a cast.
    """

    def __init__(self, rest: NDArray[np.floating], parts: NDArray[np.int64]) -> None:
        own = rest.astype(np.float64)
        self.vertices = [np.flatnonzero((parts == EYES) & (side * own[:, 0] > 0.0)) for side in (-1.0, 1.0)]
        eyes = [own[rows] for rows in self.vertices]
        self.centers = np.array([0.5 * (eye.min(axis=0) + eye.max(axis=0)) for eye in eyes])
        away = [eye - center for eye, center in zip(eyes, self.centers, strict=True)]
        forward = [np.argmax(one[:, 2] / np.linalg.norm(one, axis=1)) for one in away]
        self.pupils = np.array([rows[at] for rows, at in zip(self.vertices, forward, strict=True)])
        self.pupils_at_rest = own[self.pupils]

    def turned(self, vertices: NDArray[np.floating], gaze: Float64) -> Float64:
        """Vertices (T, V, 3) with both eyes turned by angles (T, 2)."""
        result = vertices.astype(np.float64)
        for rows, center in zip(self.vertices, self.centers, strict=True):
            result[:, rows] = (result[:, rows] - center) @ rotations(gaze).swapaxes(1, 2) + center
        return result


def rotations(angles: Float64) -> Float64:
    """Matrices (..., 3, 3) of rotations about x by ``angles`` (..., 0), then about y by ``angles`` (..., 1)."""
    (a, b), zero = np.moveaxis(angles, -1, 0), np.zeros(angles.shape[:-1])
    rows = [
        [np.cos(b), np.sin(b) * np.sin(a), np.sin(b) * np.cos(a)],
        [zero, np.cos(a), -np.sin(a)],
        [-np.sin(b), np.cos(b) * np.sin(a), np.cos(b) * np.cos(a)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def drawn_gaze(count: int, seed: int) -> Float64:
    """Angles (T, 2), drawn evenly; straight ahead in the first frame."""
    angles = np.random.default_rng([seed, 52]).uniform(-MOST, MOST, (count, 2))
    angles[0] = 0.0
    return angles


def glances(count: int) -> Float64:
    """Angles (T, 2) of a test, which come and go; straight ahead in the first frame."""
    return np.asarray(MOST * np.sin(2.0 * np.pi * np.arange(count)[:, None] / PERIODS))


def gaze_errors(cast: Cast, found: Capture, pupils: Float64, gaze: Float64, blink: Float64) -> tuple[float, float]:
    """Degrees between true directions of gaze and those that pupils (T, 2, 2) give, and straight ahead.

    Means over both eyes and all frames after the neutral whose lids are open: ``blink`` (T,) says how far they close.
    """
    eyes = Eyes(cast.character.rest_vertices, cast.parts)
    motion = rc.capture.turn_eyes(cast.character, found, pupils, centers=eyes.centers, pupils_at_rest=eyes.pupils_at_rest)
    ahead = np.array([0.0, 0.0, 1.0])
    true, seen = (rotations(angles) @ ahead for angles in (np.repeat(gaze[:, None], 2, axis=1), motion.angles))
    shown = np.flatnonzero(blink < OPEN)
    shown = shown[shown > 0]
    return _degrees(true, seen)[shown].mean(), _degrees(true, np.broadcast_to(ahead, true.shape))[shown].mean()


def _degrees(a: Float64, b: Float64) -> Float64:
    return np.asarray(np.rad2deg(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(axis=-1))))
