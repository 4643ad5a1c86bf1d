"""Descents over the triangles of a surface, which cross no gap."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rigcast.transfer._matching.components import ComponentMesh

Point: TypeAlias = tuple[float, float, float]

FLAT = 1e-6  # of the distance: triangles around a corner are equally near


@dataclass(frozen=True)
class Walker:
    """The triangles of a surface, to walk over: corners, unit normals, and the neighbors of each across its sides."""

    points: list[Point]
    corners: list[tuple[int, int, int]]
    normals: list[Point]
    adjacent: list[list[int]]
    around: dict[int, list[int]]

    @staticmethod
    def of(surface: ComponentMesh) -> Walker:
        quads = surface.faces[surface.faces[:, 3] >= 0]
        triangles = np.concatenate([surface.faces[:, :3], quads[:, [0, 2, 3]]]).astype(np.int64)
        points = surface.points.astype(np.float64)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        sides: dict[tuple[int, int], list[int]] = {}
        around: dict[int, list[int]] = {}
        corners = [(x, y, z) for x, y, z in triangles.tolist()]
        for t, (x, y, z) in enumerate(corners):
            for side in ((x, y), (y, z), (z, x)):
                sides.setdefault((min(side), max(side)), []).append(t)
                around.setdefault(side[0], []).append(t)
        adjacent: list[list[int]] = [[] for _ in corners]
        for meeting in sides.values():
            for t in meeting:
                adjacent[t] += [other for other in meeting if other != t]
        return Walker(
            [(x, y, z) for x, y, z in points.tolist()],
            corners,
            [(x, y, z) for x, y, z in normals.tolist()],
            adjacent,
            around,
        )

    def start(self, corners: NDArray[np.int32], weights: NDArray[np.float32]) -> list[int]:
        """The triangle of these corners, or all around the heaviest of them if there is none."""
        own = sorted(corners.tolist())
        meeting = self.around[int(corners[int(weights.argmax())])]
        return [t for t in meeting if sorted(self.corners[t]) == own] or meeting

    def descend(
        self, start: list[int], query: NDArray[np.float32], normal: NDArray[np.float32]
    ) -> tuple[int, Point, float]:
        """The nearest triangle that faces the same way on paths that never lead away from the query.

        Returns its number, weights and distance: an infinite one, of the nearest triangle, if none on the way faces so.
        """
        px, py, pz = map(float, query)
        nx, ny, nz = map(float, normal)
        best, weights, chosen = np.inf, (1.0, 0.0, 0.0), -1
        least, nearest = np.inf, start[0]
        seen = set(start)
        front = [(self._distance(t, px, py, pz), t) for t in start]
        heapq.heapify(front)
        while front:
            match, t = heapq.heappop(front)
            distance = match[0]
            if distance < least:
                least, nearest = distance, t
            facing = self.normals[t]
            if distance < best and facing[0] * nx + facing[1] * ny + facing[2] * nz > 0.0:
                best, weights, chosen = distance, match[1], t
            for other in self.adjacent[t]:
                if other in seen:
                    continue
                next_ = self._distance(other, px, py, pz)
                if next_[0] <= distance * (1.0 + FLAT):
                    seen.add(other)
                    heapq.heappush(front, (next_, other))
        return (chosen if chosen >= 0 else nearest), weights, best

    def _distance(self, triangle: int, px: float, py: float, pz: float) -> tuple[float, Point]:
        """The distance to the nearest point of a triangle, and that point's weights (Ericson 2005, section 5.1.5)."""
        i, j, k = self.corners[triangle]
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = self.points[i], self.points[j], self.points[k]
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        wx, wy, wz = px - ax, py - ay, pz - az
        v, w = _inside_triangle(
            (ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz),
            ux * wx + uy * wy + uz * wz,
            vx * wx + vy * wy + vz * wz,
        )
        x, y, z = wx - v * ux - w * vx, wy - v * uy - w * vy, wz - v * uz - w * vz
        return (x * x + y * y + z * z) ** 0.5, (1.0 - v - w, v, w)


def _inside_triangle(gram: Point, du: float, dv: float) -> tuple[float, float]:
    """Weights of the second and third corner for a point with products du, dv with the sides of this Gram matrix."""
    uu, uv, vv = gram
    if du <= 0.0 and dv <= 0.0:
        return 0.0, 0.0
    d3, d4 = du - uu, dv - uv
    if d3 >= 0.0 and d4 <= d3:
        return 1.0, 0.0
    vc = du * d4 - d3 * dv
    if vc <= 0.0 and du >= 0.0 >= d3:
        return (du / uu if uu > 0.0 else 0.0), 0.0
    d5, d6 = du - uv, dv - vv
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 1.0
    vb = d5 * dv - du * d6
    if vb <= 0.0 and dv >= 0.0 >= d6:
        return 0.0, (dv / vv if vv > 0.0 else 0.0)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        across = (d4 - d3) / ((d4 - d3) + (d5 - d6)) if (d4 - d3) + (d5 - d6) > 0.0 else 0.0
        return 1.0 - across, across
    total = va + vb + vc
    return vb / total, vc / total
