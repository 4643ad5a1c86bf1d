"""The mesh of the example face: a grid bent to a mask, with slits for mouth and eyes, and two eyeballs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.tubes import closed_tube

Array = NDArray[np.float64]

SIDE = 47  # rows and columns of the grid
STEP = 2.0 / (SIDE - 1)
EYE_V, EYE_U, EYE_HALF = 8 * STEP, 0.42, 0.19  # eye line, middle of an eye and half its width, in the grid's [-1, 1]
MOUTH_V, MOUTH_HALF = -10 * STEP, 0.35
LIDS = (-0.22, 0.42)  # centimeters of the lower and the upper lid from the eye line
BALL, BEHIND = 2.0, 2.06  # an eyeball's radius, and how far its center lies behind the lids
SEGMENTS, RINGS = 16, 9  # of an eyeball


class Mask:
    """Vertices of the mask in the grid's coordinates and in centimeters, and its quads.

    Attributes
    ----------
    u, v : (V,) coordinates in [-1, 1], to the character's left and up
    above_mouth, above_eyes : (V,) bool, which side of the slits: the rims have the same coordinates
    points : (V, 3) centimeters, y up, facing z
    faces : (F, 4) int32
    """

    def __init__(self) -> None:
        across = np.linspace(-1.0, 1.0, SIDE)
        v, u = (axis.ravel() for axis in np.meshgrid(across, across, indexing="ij"))
        mouth = np.isclose(v, MOUTH_V) & (np.abs(u) < MOUTH_HALF)
        eyes = np.isclose(v, EYE_V) & (np.abs(np.abs(u) - EYE_U) < EYE_HALF)
        cut = np.flatnonzero(mouth | eyes)
        self.u, self.v = np.concatenate([u, u[cut]]), np.concatenate([v, v[cut]])
        upper_rim = np.arange(len(self.u)) >= len(u)
        self.above_mouth = (self.v > MOUTH_V + 0.5 * STEP) | (upper_rim & (self.v < 0))
        self.above_eyes = (self.v > EYE_V + 0.5 * STEP) | (upper_rim & (self.v > 0))
        self.faces = _quads(cut)
        self.points = self._points()

    def near(self, u: float, v: float, wide: float, high: float) -> Array:
        """(V, 1) a bump of height 1 at a place of the grid; 0 where it is below a thousandth."""
        bump = np.exp(-(((self.u - u) / wide) ** 2) - ((self.v - v) / high) ** 2)
        bump[bump < 1e-3] = 0.0
        return np.asarray(bump[:, None])

    def mouth_width(self) -> Array:
        """(V, 1) 1 in the middle of the mouth, 0 at its corners and beyond."""
        return np.asarray(np.clip(1.0 - (self.u / MOUTH_HALF) ** 2, 0.0, 1.0)[:, None] ** 0.7)

    def lid(self, side: int, upper: bool, high: float = 0.12) -> Array:
        """(V, 1) 1 in the middle of an eye's upper or lower rim, fading away from it on that side."""
        width = np.clip(1.0 - ((self.u - side * EYE_U) / EYE_HALF) ** 2, 0.0, 1.0)
        fade = np.exp(-(((self.v - EYE_V) / high) ** 2))
        fade[fade < 1e-3] = 0.0
        return np.asarray((width * fade * (self.above_eyes == upper))[:, None])

    def _points(self) -> Array:
        u, v, near = self.u, self.v, self.near
        x = 7.2 * u * np.sqrt(1.0 - 0.42 * v**2) * (1.0 - 0.12 * np.clip(-v, 0.0, 1.0) ** 2)
        y = 9.8 * v * np.sqrt(1.0 - 0.2 * u**2)
        z = 5.5 * np.sqrt(1.0 - 0.62 * u**2 - 0.3 * v**2)
        points = np.stack([x, y, z], axis=1)
        depth = 1.2 * near(0, 0.1, 0.085, 0.24) + 1.3 * near(0, -0.12, 0.11, 0.08)  # the nose
        depth += 0.6 * near(0, MOUTH_V + 0.06, 0.27, 0.05) + 0.7 * near(0, MOUTH_V - 0.07, 0.24, 0.055)  # lips
        depth += 0.9 * near(0, -0.83, 0.22, 0.12) - 0.35 * near(0, -0.63, 0.2, 0.06)  # the chin
        for side in (-1, 1):
            depth += 0.5 * near(0.13 * side, -0.15, 0.055, 0.055)  # wings of the nose
            depth += 0.6 * near(0.42 * side, 0.56, 0.26, 0.07) - 0.8 * near(EYE_U * side, EYE_V, 0.22, 0.14)
            depth += 0.5 * near(0.55 * side, 0.0, 0.2, 0.16)  # the cheekbones
            for upper in (False, True):
                points[:, 1:2] += LIDS[upper] * self.lid(side, upper)
        points[:, 2:] += depth
        return np.asarray(points)


def eyeballs(mask: Mask) -> tuple[Array, NDArray[np.int32]]:
    """Vertices and faces of two spheres behind the lids, right eye first."""
    ball, faces = _sphere()
    vertices = []
    for side in (-1, 1):
        rims = (mask.lid(side, upper=True, high=0.01) + mask.lid(side, upper=False, high=0.01))[:, 0] > 0
        vertices.append(BALL * ball + mask.points[rims].mean(axis=0) - [0.0, 0.0, BEHIND])
    shifted = np.where(faces < 0, faces, faces + len(ball)).astype(np.int32)
    return np.concatenate(vertices), np.concatenate([faces, shifted])


def _quads(cut: NDArray[np.int64]) -> NDArray[np.int32]:
    """Quads of the grid; those above a slit take the rim's second vertices, numbered after the grid."""
    corner = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    upper = np.arange(SIDE * SIDE)
    upper[cut] = SIDE * SIDE + np.arange(len(cut))
    rows = [corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]]
    low = [upper[rows[0]], upper[rows[1]]]  # of a quad its two lower corners
    return np.asarray(np.stack([*low, *rows[2:]], axis=-1).reshape(-1, 4), np.int32)


def _sphere() -> tuple[Array, NDArray[np.int32]]:
    """A unit sphere about y: rings of quads, closed by triangles at both poles."""
    around = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    height = np.pi * (np.arange(1, RINGS + 1) / (RINGS + 1) - 0.5)
    ring = np.stack([np.sin(around), np.zeros(SEGMENTS), np.cos(around)], axis=1)
    rings = np.cos(height)[:, None, None] * ring + np.sin(height)[:, None, None] * np.array([0.0, 1.0, 0.0])
    vertices = np.concatenate([rings.reshape(-1, 3), [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]])
    return np.asarray(vertices), closed_tube(RINGS, SEGMENTS)
