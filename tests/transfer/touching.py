"""Faces and hands whose parts touch, in any resolution, with the shape that parts them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Touching:
    """A mesh (V, 3), (F, 4), offsets (V, 3) of its shape, and the vertex nearest to each landmark (L,)."""

    points: NDArray[np.float64]
    faces: NDArray[np.int64]
    offsets: NDArray[np.float64]
    marks: NDArray[np.int64]

    def beside(self, part: Touching) -> Touching:
        """With another component, whose landmarks do not count."""
        return Touching(
            np.concatenate([self.points, part.points]),
            np.concatenate([self.faces, part.faces + len(self.points)]),
            np.concatenate([self.offsets, part.offsets]),
            self.marks,
        )


def nearest(points: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.square(points - wanted[:, None]).sum(axis=2).argmin(axis=1)


def grid(rows: int, columns: int) -> NDArray[np.int64]:
    """Quads of vertices row by row."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    return np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)


def lips(count: int, gap: float, bow: float = 0.0) -> Touching:
    """A bent square of count x count vertices with a shut slit, |x| < 0.4, which opens below; bowed up as lids are."""
    x, y = (g.reshape(-1) for g in np.meshgrid(np.linspace(-1, 1, count), np.linspace(-1, 1, count)))
    y = y + bow * np.clip(1 - (x / 0.4) ** 2, 0, 1) * (1 - y * y)
    points = np.stack([x, y, 0.6 - 0.3 * (x * x + y * y)], axis=1)
    middle = count // 2 * count + np.arange(count)
    slit = middle[np.abs(x[middle]) < 0.4 - 1e-9]
    twin = np.arange(len(points))
    twin[slit] = len(points) + np.arange(len(slit))
    faces = grid(count, count)
    below = faces.max(axis=1) < (count // 2 + 1) * count
    faces[below] = twin[faces[below]]
    points = np.concatenate([points, points[slit] - [0, gap, 0]])
    low = np.zeros(len(points), bool)
    low[: count // 2 * count] = low[twin[slit]] = True
    amount = low * np.clip(1.2 - np.abs(points[:, 0]) / 0.4, 0, 1) * np.clip(1 + points[:, 1], 0, 1)
    wanted = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-0.4, 0), (0.4, 0), (0, -1), (0, 1)]
    marks = nearest(points[:, :2], np.array(wanted, float))
    return Touching(points, faces, np.outer(amount, [0, -0.35, -0.1]), marks)


def behind(count: int, gap: float, away: float) -> Touching:
    """Lips, and two rows of teeth of their own behind them: the lower ones move with the jaw."""
    face = lips(count, gap)
    for side in (1.0, -1.0):
        x, y = np.meshgrid(np.linspace(-0.3, 0.3, count // 3), np.linspace(0.0, 0.25, count // 5))
        x, y = x.reshape(-1), side * (y.reshape(-1) + 0.5 * gap) - 0.5 * gap
        faces = grid(count // 5, count // 3)
        points = np.stack([x, y, 0.6 - 0.3 * (x * x + y * y) - away], axis=1)
        moves = np.zeros_like(points) if side > 0 else np.tile([0, -0.3, -0.1], (len(x), 1))
        face = face.beside(Touching(points, faces if side > 0 else faces[:, ::-1], moves, face.marks))
    return face


def lashes(count: int, gap: float, long: float = 0.12) -> Touching:
    """Lids with lashes on the lower one, which moves: a strip of the same surface, forward and down from its edge."""
    lids = lips(count, gap, 0.15)
    edge = np.flatnonzero(np.arange(len(lids.points)) >= count * count)
    tips = len(lids.points) + np.arange(len(edge))
    strip = np.stack([edge[:-1], edge[1:], tips[1:], tips[:-1]], axis=1)
    return Touching(
        np.concatenate([lids.points, lids.points[edge] + [0, -0.3 * long, long]]),
        np.concatenate([lids.faces, strip]),
        np.concatenate([lids.offsets, lids.offsets[edge]]),
        lids.marks,
    )


def fingers(cells: int, gap: float) -> Touching:
    """A block with two fingers side by side, ``gap`` apart: the surface of cubes. One of the fingers bends."""
    wide, thick, long = 2 * cells + 1, cells, 6 * cells
    solid = np.ones((wide + 2, thick + 2, long + 2), bool)
    for axis in range(3):
        solid[tuple(0 if k == axis else slice(None) for k in range(3))] = False
        solid[tuple(-1 if k == axis else slice(None) for k in range(3))] = False
    solid[cells + 1, :, 2 * cells + 1 :] = False
    number: dict[tuple[int, ...], int] = {}
    faces = []
    for cell in np.argwhere(solid):
        for axis in range(3):
            for out in (0, 1):
                other = cell.copy()
                other[axis] += 2 * out - 1
                if solid[tuple(other)]:
                    continue
                a, b = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
                origin = cell + out * np.eye(3, dtype=int)[axis]
                ring = [origin, origin + a, origin + a + b, origin + b][:: 1 if out else -1]
                faces.append([number.setdefault(tuple(corner.tolist()), len(number)) for corner in ring])
    place = np.array(list(number), float) - 1
    x = np.where(place[:, 0] <= cells, place[:, 0] / cells, 1 + gap + (place[:, 0] - cells - 1) / cells)
    points = np.stack([x, place[:, 1] / cells, place[:, 2] / cells], axis=1)
    along = np.clip(points[:, 2] - 2, 0, None) * (x > 1 + 0.5 * gap)
    wanted = [(i, j, k) for i in (0.0, 2.0 + gap) for j in (0.0, 1.0) for k in (0.0, 6.0)]
    return Touching(points, np.array(faces), np.outer(along**2, [0, 0.1, 0]), nearest(points, np.array(wanted)))


#: Heights and depths of a profile from the brow to the upper lip and its inner side, of teeth, and of the mouth behind.
LIP = [(1.0, 0.0), (0.01, 0.0), (0.01, -0.05), (0.3, -0.05), (0.3, -0.07)]
TOOTH = [(0.02, -0.07), (0.02, -0.13), (0.3, -0.13)]
THROAT = [(0.3, -0.9), (0.0, -0.9)]
INSIDE = -0.06  # depth


def welded(count: int, *, teeth: str) -> Touching:
    """A face whose mouth is one surface; its teeth are part of it, apart, or absent."""
    half = LIP + (TOOTH if teeth == "one surface" else []) + THROAT
    face = _extruded(half + [(-y, z) for y, z in half[-2::-1]], count)
    wanted = [(x, y, 0.0) for x in (-0.5, 0.5) for y in (1.0, 0.01, -0.01, -1.0)]
    face = Touching(face.points, face.faces, face.offsets, nearest(face.points, np.array(wanted)))
    if teeth == "apart":
        for side in (1, -1):
            face = face.beside(_extruded([(side * y, z) for y, z in [LIP[-1], *TOOTH]][::side], count))
    return face


def _extruded(profile: list[tuple[float, float]], count: int) -> Touching:
    """A surface of a profile from x = -0.5 to 0.5, whose lips part; what is inside below moves as a whole."""
    rows = [np.array(profile[:1])]
    for a, b in zip(np.array(profile[:-1]), np.array(profile[1:]), strict=True):
        steps = max(1, round(float(np.linalg.norm(b - a)) * count))
        rows.append(a + np.linspace(0, 1, steps + 1)[1:, None] * (b - a))
    curve = np.concatenate(rows)[::-1]
    x = np.linspace(-0.5, 0.5, count + 1)
    y, z = (np.repeat(part, len(x)) for part in curve.T)
    lip = 0.4 * np.sign(y) * np.exp(-((y / 0.15) ** 2))
    jaw = np.where(y < 0, -0.1, 0.0) * np.clip((0.9 + z) / 0.5, 0, 1)
    up = np.where(z > INSIDE, lip, jaw)
    return Touching(
        np.stack([np.tile(x, len(curve)), y, z], axis=1),
        grid(len(curve), len(x)),
        np.outer(up, [0.0, 1.0, 0.0]),
        np.zeros(0, np.int64),
    )
