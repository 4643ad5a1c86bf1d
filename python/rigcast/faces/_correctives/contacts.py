"""Surfaces that meet: lips, and lids where they close. Pairs of vertices that must not pass each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.faces._correctives.surface import TriangleMesh

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

OPPOSED = -0.5  # cosine between normals of surfaces that face each other
SPREAD_STEPS, SPREAD_DECAY = 12, 0.85  # a push fades to a seventh over twelve rings of vertices


@dataclass(frozen=True)
class Contacts:
    """Pairs of facing vertices.

    Attributes
    ----------
    first, second : (P,) arrays of vertices
    direction : (P, 3) array, unit, from the first surface to the second
    """

    first: Int64
    second: Int64
    direction: Float64

    @staticmethod
    def find(surface: TriangleMesh, poses: Sequence[Float64], reach: float) -> Contacts:
        """Vertices that in one of the poses have a facing one within ``reach``; each is paired with the nearest."""
        found: dict[tuple[int, int], Float64] = {}
        for vertices in poses:
            normals = surface.normals(vertices)
            for a, b in _facing(vertices, normals, reach):
                found.setdefault((a, b), normals[a] - normals[b])
        keys = np.array(list(found), np.int64).reshape(-1, 2)
        direction = np.array(list(found.values())).reshape(-1, 3)
        return Contacts(keys[:, 0], keys[:, 1], direction / np.linalg.norm(direction, axis=1, keepdims=True))

    def gaps(self, vertices: Float64) -> Float64:
        """Distance (P,) along the direction, negative where the surfaces have crossed."""
        return np.asarray(((vertices[self.second] - vertices[self.first]) * self.direction).sum(axis=1))

    def resolve(self, surface: TriangleMesh, vertices: Float64, allowed: Float64) -> Float64:
        """Push (V, 3) that opens every gap to ``allowed``, both sides moving alike and fading around."""
        depth = np.maximum(0.0, allowed - self.gaps(vertices))
        push = np.zeros_like(vertices)
        touched = np.flatnonzero(depth > 0)
        if not len(touched):
            return push
        half = 0.5 * depth[touched, None] * self.direction[touched]
        places = np.concatenate([self.first[touched], self.second[touched]])
        amounts = np.concatenate([-half, half])
        count = np.bincount(places, minlength=len(vertices))
        for axis in range(3):
            push[:, axis] = np.bincount(places, amounts[:, axis], len(vertices)) / np.maximum(count, 1)
        return surface.spread(push, count > 0, SPREAD_STEPS, SPREAD_DECAY)


def _facing(vertices: Float64, normals: Float64, reach: float) -> list[tuple[int, int]]:
    """Ordered pairs (lower index first) of nearest vertices with opposed normals in front of each other."""
    a, b = _close_pairs(vertices, reach)
    way = vertices[b] - vertices[a]
    opposed = (normals[a] * normals[b]).sum(axis=1) < OPPOSED
    front = ((way * normals[a]).sum(axis=1) >= 0) & ((way * normals[b]).sum(axis=1) <= 0)
    a, b, way = a[opposed & front], b[opposed & front], way[opposed & front]
    order = np.lexsort((b, (way**2).sum(axis=1), a))
    a, b = a[order], b[order]
    nearest = np.flatnonzero(np.diff(a, prepend=-1))
    return sorted({(int(min(i, j)), int(max(i, j))) for i, j in zip(a[nearest], b[nearest], strict=True)})


def _close_pairs(vertices: Float64, reach: float) -> tuple[Int64, Int64]:
    """All ordered pairs of different vertices within ``reach``, by cells of that size."""
    cells = np.floor((vertices - vertices.min(axis=0)) / reach).astype(np.int64) + 1
    width = cells.max(axis=0) + 2
    keys = (cells[:, 0] * width[1] + cells[:, 1]) * width[2] + cells[:, 2]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    firsts, seconds = [], []
    for shift in np.ndindex(3, 3, 3):
        offset = ((shift[0] - 1) * width[1] + shift[1] - 1) * width[2] + shift[2] - 1
        start = np.searchsorted(ordered, keys + offset)
        count = np.searchsorted(ordered, keys + offset, side="right") - start
        first = np.repeat(np.arange(len(keys)), count)
        inside = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
        second = order[np.repeat(start, count) + inside]
        near = ((vertices[first] - vertices[second]) ** 2).sum(axis=1) <= reach**2
        firsts.append(first[near & (first != second)])
        seconds.append(second[near & (first != second)])
    return np.concatenate(firsts), np.concatenate(seconds)
