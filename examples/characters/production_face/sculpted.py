"""Constructed shapes of dials that the assets have none for: bumps that move along directions or normals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from examples.characters.production_face.bones import SIDES
from examples.characters.production_face.regions import Regions, smoothstep
from examples.characters.production_face.shapes import Shape
from rigcast import _core

Array = NDArray[np.float64]
# A bump: x and z of its middle on the left, millimeters; radii in millimeters; displacement (x, y, z, along the
# normal) in millimeters.
Bump: TypeAlias = tuple[float, float, tuple[float, float, float], tuple[float, float, float, float]]
AXIS = -0.06  # y of the head's axis, meters

SIDED: dict[str, list[Bump]] = {
    "cheekSuck": [(42, 1560, (13, 26, 14), (-1, 2, 0, -4.5))],
    "lipTighten": [(17, 1549, (7, 12, 8), (-4, 1.5, 0, 0)), (8, 1549, (9, 12, 9), (-1, 1, 0, -1))],
    "nostrilCompress": [(13, 1580, (6, 12, 7), (-3.2, 0, 0, 0))],
    "nostrilDilate": [(13, 1580, (6, 12, 7), (3.4, 0.5, 0.8, 0))],
    "browSqueeze": [(12, 1638, (9, 14, 9), (-4.5, -0.5, -1.5, 1.5))],
    "browOuterDown": [(48, 1637, (13, 20, 10), (-1, -0.5, -6, 0.5))],
    "foreheadTense": [(30, 1666, (18, 30, 14), (0, 0, 4, -1))],
    "cornerIn": [(20, 1549, (8, 14, 8), (-6, -1, 0, 1))],
    "cornerOut": [(20, 1549, (9, 14, 9), (5, 3, 0, 0))],
    "sharpCornerPull": [(21, 1550, (7, 12, 8), (3, 3, 8, 0)), (33, 1560, (9, 14, 9), (1, 0, 3, 3))],
    "lipOutUpper": [(8, 1556, (8, 10, 5), (0, -2.5, 1.5, 0))],
    "lipOutLower": [(8, 1541, (8, 10, 5), (0, -3, -1.5, 0))],
    "neckCords": [
        (14, 1478, (3.5, 30, 22), (0, 0, 0, 5)),
        (26, 1488, (3.5, 30, 22), (0, 0, 0, 4)),
        (30, 1525, (14, 20, 12), (1, 0, -4, 0)),
    ],
    "neckTense": [(38, 1470, (6, 40, 26), (0, 0, 0, 6))],
    "jawClench": [(60, 1556, (9, 18, 15), (0, 0, 0, 4.5))],
}
SINGLE: dict[str, list[Bump]] = {
    "noseTipUp": [(0, 1588, (10, 16, 9), (0, 1, 4, 0))],
    "noseTipDown": [(0, 1588, (10, 16, 9), (0, 0, -4, 0))],
    "noseLeft": [(0, 1588, (12, 16, 12), (4, 0, 0, 0))],
    "noseRight": [(0, 1588, (12, 16, 12), (-4, 0, 0, 0))],
    "mouthUpperUpMiddle": [(0, 1556, (6, 10, 6), (0, 0, 4.5, 0))],
    "mouthLowerDownMiddle": [(0, 1541, (6, 10, 6), (0, 0, -4.5, 0))],
    "mouthUp": [(0, 1549, (22, 22, 14), (0, 0.5, 5, 0))],
    "mouthDown": [(0, 1549, (22, 22, 14), (0, 0.5, -5, 0))],
    "mouthForward": [(0, 1549, (20, 22, 13), (0, -6, 0, 0))],
    "mouthBack": [(0, 1549, (20, 22, 13), (0, 3, 0, 0))],
    "lipPuffUpper": [(0, 1566, (17, 14, 7), (0, 0, 0, 5.5))],
    "lipPuffLower": [(0, 1536, (16, 14, 7), (0, 0, 0, 5))],
    "chinForward": [(0, 1520, (15, 20, 12), (0, -4, 0, 0))],
    "chinBoss": [(0, 1524, (12, 18, 9), (0, 0, 4.5, 2))],
    "throatSwallow": [(0, 1478, (9, 24, 10), (0, 0, 6, 4)), (0, 1492, (12, 24, 8), (0, 0, 3, -2))],
    "throatIn": [(0, 1485, (18, 30, 16), (0, 0, 0, -5))],
    "throatOut": [(0, 1492, (22, 30, 16), (0, 0, 0, 6))],
}


class Sculptor:
    """Makes displacements of one head."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        normals = _core.vertex_normals(regions.points.astype(np.float32), regions.head.faces).astype(np.float64)
        outward = regions.points * np.array([1.0, 1.0, 0.0]) - np.array([0.0, AXIS, 0.0])
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        within = (normals * outward).sum(axis=1) < 0.0  # inside the mouth, where normals point at the tongue
        self.normals = np.where(within[:, None], outward, normals)

    def bumps(self, rows: Sequence[Bump], side: str = "Left") -> Array:
        """The sum of some bumps (V, 3) in meters, on the left, or mirrored."""
        flip = np.array([1.0 if side == "Left" else -1.0, 1.0, 1.0])
        total = np.zeros_like(self.regions.points)
        for x, z, radii, (dx, dy, dz, out) in rows:
            middle = self.regions.front(1e-3 * x * flip[0], 1e-3 * z)
            height = self.regions.near(1e-3 * x * flip[0], middle[1], 1e-3 * z, *(1e-3 * r for r in radii))
            total += 1e-3 * height[:, None] * (np.array([dx, dy, dz]) * flip + out * self.normals)
        return total

    def along_normals(self, millimeters: Array) -> Array:
        """Displacements (V, 3) by heights (V,)."""
        return np.asarray(1e-3 * millimeters[:, None] * self.normals)


def sculpted(sculptor: Sculptor) -> list[Shape]:
    """Shapes of all dials that have only bumps, and of lips, ears, scalp and pupils."""
    shapes = [Shape(name, sculptor.bumps(rows), f"{{{name}}}") for name, rows in SINGLE.items()]
    for side in SIDES:
        shapes += [Shape(name + side, sculptor.bumps(rows, side), f"{{{name}{side}}}") for name, rows in SIDED.items()]
        shapes += _sided(sculptor, side)
    return shapes + _lips(sculptor) + [_scalp(sculptor)] + _tongue(sculptor)


def _lips(sculptor: Sculptor) -> list[Shape]:
    regions, result = sculptor.regions, []
    for part, mask, toward in (("Upper", regions.upper_lip, -1), ("Lower", regions.lower_lip, 1)):
        middle = regions.near(0, -0.155, 1.549, 0.016, 0.03, 0.02)
        result.append(Shape(f"lipThick{part}", sculptor.along_normals(2.2 * mask * middle), f"{{lipThick{part}}}"))
        result.append(Shape(f"lipThin{part}", sculptor.along_normals(-1.6 * mask * middle), f"{{lipThin{part}}}"))
        bite = 1e-3 * (mask * middle)[:, None] * np.array([0.0, 4.0, 3.0 * toward])
        result.append(Shape(f"lipBite{part}", bite, f"{{lipBite{part}}}"))
    return result


def _sided(sculptor: Sculptor, side: str) -> list[Shape]:
    regions, points = sculptor.regions, sculptor.regions.points
    sign = 1.0 if side == "Left" else -1.0
    ear = regions.skin * smoothstep(0.066, 0.074, sign * points[:, 0]) * smoothstep(1.55, 1.58, points[:, 2])
    ear = ear * (1 - smoothstep(1.65, 1.67, points[:, 2])) * smoothstep(-0.075, -0.055, points[:, 1])
    result = [
        Shape(f"earUp{side}", 1e-3 * ear[:, None] * np.array([0.0, 0.5, 3.0]), f"{{earUp{side}}}"),
        Shape(f"earBack{side}", 1e-3 * ear[:, None] * np.array([-4.0 * sign, 3.0, 0.5]), f"{{earBack{side}}}"),
        Shape(f"nasolabialFurrow{side}", furrow(sculptor, side, 2.5, 2.5), f"{{nasolabialFurrow{side}}}"),
    ]
    eye = regions.only(f"eye{side}")
    offset = (points - regions.head.eyes[side]) * np.array([1.0, 0.0, 1.0])
    reach = np.linalg.norm(offset, axis=1)
    ring = eye * np.exp(-0.5 * ((reach - 0.0026) / 0.0011) ** 2) * (points[:, 1] < regions.head.eyes[side][1])
    wide = 0.0016 * ring[:, None] * offset / np.maximum(reach, 1e-6)[:, None]
    return [*result, Shape(f"pupilWide{side}", wide, f"{{pupilWide{side}}}")]


def furrow(sculptor: Sculptor, side: str, depth: float, bulge: float) -> Array:
    """The fold from the wing of the nose to beside the mouth's corner, and the flesh above it, in millimeters."""
    regions = sculptor.regions
    sign = 1.0 if side == "Left" else -1.0
    start, end = np.array([0.0185, 1.581]), np.array([0.0315, 1.549])
    flat = regions.points[:, [0, 2]] * np.array([sign, 1.0]) - start
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])  # away from the mouth
    s, t = flat @ along / np.linalg.norm(end - start), flat @ across * 1e3
    t = t - 2.5 * np.sin(np.pi * np.clip(s, 0, 1))
    length = smoothstep(-0.15, 0.25, s) * (1 - smoothstep(0.75, 1.2, s)) * regions.skin
    length = length * (regions.points[:, 1] < -0.115)
    height = bulge * np.exp(-0.5 * ((t - 6.0) / 4.0) ** 2) - depth * np.exp(-0.5 * (t / 1.5) ** 2)
    return sculptor.along_normals(np.where(np.abs(t) < 18, height * length, 0.0))


def _scalp(sculptor: Sculptor) -> Shape:
    points = sculptor.regions.points
    mask = sculptor.regions.skin * smoothstep(1.655, 1.70, points[:, 2]) * (1 - smoothstep(0.0, 0.05, points[:, 1]))
    return Shape("scalpBack", 1e-3 * mask[:, None] * np.array([0.0, 3.0, 2.0]), "{scalpBack}")


def _tongue(sculptor: Sculptor) -> list[Shape]:
    tongue, points = sculptor.regions.only("tongue"), sculptor.regions.points
    tip = tongue * smoothstep(0.09, 0.125, -points[:, 1])
    wide = (tip * 0.28 * points[:, 0])[:, None] * np.array([1.0, 0.0, 0.0])
    return [Shape("tongueWide", wide, "{tongueWide}"), Shape("tongueNarrow", -1.2 * wide, "{tongueNarrow}")]
