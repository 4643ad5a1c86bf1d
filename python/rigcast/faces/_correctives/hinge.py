"""The jaw as a hinge: vertices turn about an axis where a linear shape moves them along chords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

RIGID_SHARE = 0.7  # vertices that a shape moves by so much of its largest displacement turn rigidly with the bone


@dataclass(frozen=True)
class Hinge:
    """A linear shape seen as a rotation about an axis, weighted by vertex, plus what is left.

    Attributes
    ----------
    shape : int
    center : (3,) array, a point of the axis
    axis : (3,) array, unit
    angle : float, radians at weight 1
    share : (V,) array in [0, 1], how much of the rotation a vertex takes
    rest : (V, 3) array, the neutral
    remainder : (V, 3) array, the shape minus its rotation
    """

    shape: int
    center: Float64
    axis: Float64
    angle: float
    share: Float64
    rest: Float64
    remainder: Float64

    @staticmethod
    def fit(shape: int, rest: Float64, delta: Float64) -> Hinge | None:
        """The rotation nearest to a shape's strongest displacements (Kabsch 1976); None if they do not turn."""
        length = np.linalg.norm(delta, axis=1)
        rigid = length > RIGID_SHARE * length.max(initial=0.0)
        if rigid.sum() < 4:
            return None
        before, after = rest[rigid], (rest + delta)[rigid]
        mean = before.mean(axis=0)
        u, _, vt = np.linalg.svd((before - mean).T @ (after - after.mean(axis=0)))
        flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))])
        rotation = vt.T @ flip @ u.T
        twist = np.array(
            [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
        )
        angle = float(np.arctan2(0.5 * np.linalg.norm(twist), 0.5 * (np.trace(rotation) - 1)))
        if angle < 1e-3:
            return None
        axis = twist / np.linalg.norm(twist)
        shift = after.mean(axis=0) - rotation @ mean
        across = shift - axis * (axis @ shift)  # what lies along the axis stays in the remainder
        center = np.linalg.lstsq(np.eye(3) - rotation, across, rcond=1e-6)[0]
        turned = turn(rest, center, axis, np.full(len(rest), angle)) - rest
        share = np.clip((delta * turned).sum(axis=1) / np.maximum((turned**2).sum(axis=1), 1e-12), 0.0, 1.0)
        remainder = delta - (turn(rest, center, axis, share * angle) - rest)
        return Hinge(shape, center, axis, angle, share, rest, remainder)

    def apply(self, points: Float64, weight: float) -> Float64:
        """Turn points (V, 3), which already carry all other shapes; from the rest at weight 1 it gives the shape."""
        return turn(points, self.center, self.axis, weight * self.share * self.angle) + weight * self.remainder


def turn(points: Float64, center: Float64, axis: Float64, angle: Float64) -> Float64:
    """Rotate each point by its own angle about an axis (Rodrigues)."""
    arm = points - center
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    along = (arm @ axis)[:, None] * axis
    return np.asarray(center + along + cosine * (arm - along) + sine * np.cross(axis, arm))
