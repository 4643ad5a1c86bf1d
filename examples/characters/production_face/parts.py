"""Constructed parts of the face that the assets have only as crude helpers: eyeballs, teeth and gums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EYE_RADIUS = 0.01475  # meters
CORNEA = (0.0013, 0.42)  # height of the bulge in meters, and its half angle in radians
AROUND, RINGS = 24, 14  # of an eyeball
ARCH = 0.0290  # meters from the middle to the last tooth's middle
WIDTHS = (0.0088, 0.0068, 0.0078, 0.0070, 0.0068, 0.0095, 0.0090)  # meters, from the middle outward
LOWER_WIDTHS = (0.0056, 0.0060, 0.0070, 0.0070, 0.0072, 0.0100, 0.0095)


@dataclass(frozen=True)
class Part:
    """A piece of mesh: vertices (V, 3), quads (F, 4) and UVs (F, 4, 2)."""

    vertices: Array
    faces: NDArray[np.int32]
    uvs: Array


def eyeball(center: Array) -> Part:
    """A sphere with a cornea; its poles lie front and back, so that a pupil is a ring."""
    theta = np.pi * (np.arange(RINGS) + 0.35) / (RINGS - 0.3)
    phi = 2 * np.pi * np.arange(AROUND) / AROUND
    bulge = CORNEA[0] * np.clip(1 - (theta / CORNEA[1]) ** 2, 0, None)
    radius = EYE_RADIUS + bulge
    ring = np.stack([np.cos(phi), np.zeros(AROUND), np.sin(phi)], axis=1)
    points = (radius * np.sin(theta))[:, None, None] * ring
    points[..., 1] -= (radius * np.cos(theta))[:, None]
    faces, uvs = _tube(RINGS, AROUND, closed=True)
    return Part(center + points.reshape(-1, 3), faces, uvs)


def teeth(upper: bool, arch: Array, edge: float, root: float) -> list[Part]:
    """Fourteen teeth of a row, each a rounded box; ``arch`` are three coefficients of y = a + b x^2 + c x^4."""
    parts = []
    for sign in (1, -1):
        arc = 0.0
        for number, width in enumerate(WIDTHS if upper else LOWER_WIDTHS):
            x = _at_length(arch, arc + 0.5 * width)
            arc += width
            parts.append(_tooth(sign, x, width, number, arch, edge, root))
    return parts


def gum(arch: Array, height: float, thickness: float) -> Part:
    """A tube along the roots of a row of teeth."""
    x = np.linspace(-ARCH - 0.002, ARCH + 0.002, 29)
    y = np.polyval([arch[2], 0, arch[1], 0, arch[0]], x) + 0.0035
    angle = 2 * np.pi * np.arange(8) / 8
    slope = _slope(arch, x)
    normal = np.stack([-slope, np.ones_like(x), np.zeros_like(x)], axis=1) / np.hypot(1, slope)[:, None]
    centers = np.stack([x, y, np.full_like(x, height)], axis=1)
    ring = np.cos(angle)[None, :, None] * normal[:, None] * thickness
    ring = ring + np.sin(angle)[None, :, None] * np.array([0, 0, 1.0]) * 1.25 * thickness
    faces, uvs = _tube(len(x), 8, closed=True)
    return Part((centers[:, None] + ring).reshape(-1, 3), faces, uvs)


def _tooth(sign: int, x: float, width: float, number: int, arch: Array, edge: float, root: float) -> Part:
    slope = float(_slope(arch, np.array(x)))
    along = np.array([1.0, slope, 0.0]) / np.hypot(1, slope)
    outward = np.array([along[1], -along[0], 0.0])
    depth = 0.0032 + (0.0014 if number > 2 else 0.0) + (0.0016 if number > 4 else 0.0)
    middle = np.array([x, float(np.polyval([arch[2], 0, arch[1], 0, arch[0]], x)), 0.0])
    levels = np.array([0.0, 0.06, 0.35, 0.7, 1.0])
    taper = np.array([0.55, 0.92, 1.0, 0.92, 0.8])
    thick = np.array([0.35, 0.55, 0.85, 1.0, 1.0]) if number < 3 else np.array([0.6, 0.9, 1.0, 1.0, 0.9])
    angle = 2 * np.pi * (np.arange(10) + 0.5) / 10
    box = 1.0 / (np.abs(np.cos(angle)) ** 4 + np.abs(np.sin(angle)) ** 4) ** 0.25
    a, b = 0.49 * width * box * np.cos(angle), depth * box * np.sin(angle)
    z = edge + levels * (root - edge)
    points = (
        middle + taper[:, None, None] * a[None, :, None] * along + thick[:, None, None] * b[None, :, None] * outward
    )
    points[..., 2] += z[:, None]
    points[..., 0] *= sign
    faces, uvs = _tube(len(levels), len(angle), closed=True)
    return Part(points.reshape(-1, 3), faces if sign > 0 else faces[:, ::-1].copy(), uvs)


def _slope(arch: Array, x: Array) -> Array:
    return np.asarray(2 * arch[1] * x + 4 * arch[2] * x**3)


def _at_length(arch: Array, length: float) -> float:
    """The x where the arch is ``length`` long from its middle."""
    x = np.linspace(0, 0.05, 500)
    arc = np.concatenate([[0], np.cumsum(np.hypot(1, _slope(arch, 0.5 * (x[1:] + x[:-1]))) * np.diff(x))])
    return float(np.interp(length, arc, x))


def _tube(rings: int, around: int, closed: bool) -> tuple[NDArray[np.int32], Array]:
    """Quads between rings and, if closed, strips of quads over both ends; UVs of a cylinder."""
    faces, uvs = [], []
    for i in range(rings - 1):
        for j in range(around):
            k = (j + 1) % around
            faces.append([i * around + j, i * around + k, (i + 1) * around + k, (i + 1) * around + j])
            u0, u1, v0, v1 = j / around, (j + 1) / around, (0.5 + i) / rings, (1.5 + i) / rings
            uvs.append([[u0, v0], [u1, v0], [u1, v1], [u0, v1]])
    for ring, level, turn in ((0, 0.0, -1), (rings - 1, 1.0, 1)) if closed else ():
        start = ring * around
        for j in range(around // 2 - 1):
            quad = [start + j, start + j + 1, start + around - 2 - j, start + around - 1 - j]
            faces.append(quad[::turn])
            uvs.append([[c / around, level] for c in (j, j + 1, around - 2 - j, around - 1 - j)][::turn])
    return np.array(faces, np.int32), np.array(uvs)
