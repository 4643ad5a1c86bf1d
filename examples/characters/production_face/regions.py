"""Regions of the head: smooth masks (V,) in [0, 1] from positions and from the assets' shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.head import Head

Array = NDArray[np.float64]

HINGE = np.array([0.0, -0.0717, 1.5679])  # of the jaw: where jawOpen's rigid motion of the teeth leaves a line still
JAW_ANGLE = np.radians(23.38)  # by which jawOpen turns the lower teeth about it
MOUTH = np.array([0.0, -0.1545, 1.5490])  # middle of the lips' line
CORNER = np.array([0.0205, -0.1435, 1.5490])  # the left one
LID_REACH = (0.019, 0.027)  # meters from an eye's center: lids turn fully, and not at all


def smoothstep(low: float, high: float, x: Array) -> Array:
    """0 below ``low``, 1 above ``high``."""
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


class Regions:
    """Masks of one head."""

    def __init__(self, head: Head) -> None:
        self.head, self.points = head, head.vertices
        self.skin = self.only("skin")
        self.jaw_angle = self.skin * self._angle("jawOpen", HINGE)
        self.on_jaw = np.clip(self.jaw_angle / JAW_ANGLE, 0.0, 1.0)
        self.upper = 1.0 - smoothstep(0.3, 0.6, self.on_jaw)
        self.stretched = self.smoothed(self.on_jaw, 25)
        lips = (
            np.linalg.norm(head.shapes["mouthRollUpper"], axis=1),
            np.linalg.norm(head.shapes["mouthRollLower"], axis=1),
        )
        self.upper_lip = self.skin * self.upper * smoothstep(0.15, 0.6, lips[0] / lips[0].max())
        self.lower_lip = self.skin * (1 - self.upper) * smoothstep(0.15, 0.6, lips[1] / lips[1].max())

    def smoothed(self, mask: Array, rounds: int) -> Array:
        """A mask averaged over neighboring vertices some times."""
        faces = self.head.faces
        ends = np.concatenate([faces[:, [k, (k + 1) % 4]] for k in range(4)])
        ends = ends[(ends >= 0).all(axis=1)]
        number = np.bincount(ends.reshape(-1), minlength=len(mask))
        for _ in range(rounds):
            near = np.bincount(ends[:, 0], mask[ends[:, 1]], len(mask)) + np.bincount(
                ends[:, 1], mask[ends[:, 0]], len(mask)
            )
            mask = 0.5 * mask + 0.5 * near / np.maximum(number, 1)
        return np.asarray(mask)

    def only(self, part: str) -> Array:
        """1 on a part, 0 elsewhere."""
        mask = np.zeros(len(self.points))
        mask[self.head.part(part)] = 1.0
        return mask

    def side(self, name: str, blend: float = 0.010) -> Array:
        """The half of ``Left`` (x > 0) or ``Right``; both halves add up to 1."""
        left = smoothstep(-blend, blend, self.points[:, 0])
        return left if name == "Left" else 1.0 - left

    def near(self, x: float, y: float, z: float, *radii: float) -> Array:
        """A Gaussian bump of the skin around a point; one radius, or one per axis, in meters."""
        size = np.array(radii if len(radii) == 3 else (radii[0],) * 3)
        squared = (((self.points - np.array([x, y, z])) / size) ** 2).sum(axis=1)
        bump = self.skin * np.exp(-0.5 * squared)
        return np.where(bump < 0.01, 0.0, bump)

    def bump(self, side: str, x: float, y: float, z: float, *radii: float) -> Array:
        """The same around a point of the left side, or its mirror image."""
        return self.near(x if side == "Left" else -x, y, z, *radii)

    def lid_angle(self, side: str) -> Array:
        """Angle by which a blink turns each vertex about the eye: positive downward, 0 away from the lids."""
        center = self.head.eyes[side]
        reach = np.linalg.norm(self.points - center, axis=1)
        inside = (
            self.skin * (1 - smoothstep(*LID_REACH, reach)) * smoothstep(0.003, 0.008, center[1] - self.points[:, 1])
        )
        return np.asarray(inside * self._angle(f"eyeBlink{side}", center))

    def front(self, x: float, z: float) -> Array:
        """The foremost point of the skin at a place of the frontal plane."""
        gap = np.hypot(self.points[:, 0] - x, self.points[:, 2] - z) + 1e3 * (self.skin == 0)
        near = np.flatnonzero(gap < max(0.006, 1.01 * float(gap.min())))
        return np.asarray(self.points[near[np.argmin(self.points[near, 1])]])

    def _angle(self, shape: str, center: Array) -> Array:
        """Angle about an axis along x by which a shape turns each vertex."""
        before = self.points[:, 1:] - center[1:]
        after = before + self.head.shapes[shape][:, 1:]
        cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        return np.asarray(np.arctan2(cross, (before * after).sum(axis=1)))
