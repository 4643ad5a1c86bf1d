"""Meshes with fewer of their own vertices, by collapsing edges where that changes the surface least."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Triangles = NDArray[np.uint32]
POSES = 3  # in which the change of the surface counts
RIM = 10.0  # weight of the planes that keep borders in place, relative to those of triangles
PLACE = 1e-3  # weight of the distance from where a vertex was: flat regions keep well-shaped triangles
FLIP = 0.5  # least cosine between the normals of a triangle before and after


def coarse_mesh(frames: NDArray[np.float32], triangles: Triangles, most: int) -> tuple[NDArray[np.intp], Triangles]:
    """Vertices (n,) that are kept, and triangles between them.

    Edges are collapsed into one of their ends in the order of the quadric error (Garland and Heckbert 1997), summed
    over the poses that differ most. Surfaces that only touch are never joined: lips that part later stay two. Stops
    early where no edge is left that neither folds the surface nor changes its topology.

    Parameters
    ----------
    frames : (T, V, 3) array
        The first is that of rest.
    triangles : (M, 3) array
    most : int
        Vertices to stop at.
    """
    used = np.unique(triangles).astype(np.intp)
    if len(used) <= most:
        return used, np.searchsorted(used, triangles).astype(np.uint32)
    collapsing = _Collapsing(frames[_differing(frames, POSES)].astype(np.float64), triangles)
    collapsing.run(most)
    left = np.array([corners for corners in collapsing.corners if corners], np.int64)
    kept, places = np.unique(left, return_inverse=True)
    return kept, places.reshape(-1, 3).astype(np.uint32)


def _differing(frames: NDArray[np.float32], count: int) -> list[int]:
    """Frames, the first of all among them, each the farthest from those before it."""
    flat = frames.reshape(len(frames), -1)
    chosen = [0]
    away = ((flat - flat[0]) ** 2).sum(axis=1)
    while len(chosen) < min(count, len(frames)) and away.max() > 0.0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, ((flat - flat[chosen[-1]]) ** 2).sum(axis=1))
    return chosen


class _Collapsing:
    """A mesh whose edges are collapsed one by one.

    Attributes
    ----------
    corners : list of lists of 3 int
        Of each triangle; empty once it is gone.
    """

    def __init__(self, poses: Float64, triangles: Triangles) -> None:
        self._places = np.ascontiguousarray(poses.transpose(1, 0, 2))  # (V, P, 3)
        self.corners = [list(map(int, corners)) for corners in triangles]
        self._around: list[set[int]] = [set() for _ in range(len(self._places))]
        for triangle, corners in enumerate(self.corners):
            for corner in corners:
                self._around[corner].add(triangle)
        self._errors = self._quadrics(triangles)
        self._stamps = [0] * len(self._places)
        self._waiting: list[tuple[float, int, int, int]] = []
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64), axis=1)
        edges, counts = np.unique(sides, axis=0, return_counts=True)
        self._rim = np.zeros(len(self._places), bool)
        self._rim[edges[counts == 1]] = True
        self._push(np.concatenate([edges, edges[:, ::-1]]))

    def run(self, most: int) -> None:
        """Collapse until ``most`` vertices are left, or none can go."""
        left = sum(bool(around) for around in self._around)
        while left > most and self._waiting:
            _, gone, kept, stamp = heapq.heappop(self._waiting)
            if stamp != self._stamps[gone] + self._stamps[kept] or not self._around[gone] or not self._around[kept]:
                continue
            if self._may_collapse(gone, kept):
                self._collapse(gone, kept)
                left -= 1

    def _quadrics(self, triangles: Triangles) -> Float64:
        """(V, P, 4, 4): squared distances from the planes around a vertex, times their areas (homogeneous)."""
        corners = self._places[triangles]  # (M, 3, P, 3)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=-1, keepdims=True)
        normals = normals / np.maximum(areas, 1e-300)
        result = np.zeros((*self._places.shape[:2], 4, 4))
        for corner in range(3):
            np.add.at(result, triangles[:, corner], _plane(normals, corners[:, corner], areas[..., 0]))
        sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
        _, place, counts = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
        for side in np.flatnonzero(counts[place.reshape(-1)] == 1):
            ends = self._places[sides[side]]
            along = ends[1] - ends[0]
            across = np.cross(along, normals[side // 3])
            across /= np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-300)
            result[sides[side]] += _plane(across, ends[0], RIM * (along**2).sum(axis=-1))
        weight = np.zeros(self._places.shape[:2])
        for corner in range(3):
            np.add.at(weight, triangles[:, corner], PLACE * areas[..., 0])
        for axis in np.eye(3):
            result += _plane(np.broadcast_to(axis, self._places.shape), self._places, weight)
        return result

    def _push(self, edges: NDArray[np.integer[Any]]) -> None:
        """Collapses of the first vertex of each edge (E, 2) into the second wait for their turn."""
        gone, kept = edges.T
        at = np.concatenate([self._places[kept], np.ones((*self._places[kept].shape[:2], 1))], axis=-1)
        both = self._errors[gone] + self._errors[kept]
        costs = np.einsum("epi,epij,epj->e", at, both, at)
        for cost, a, b in zip(costs.tolist(), gone.tolist(), kept.tolist(), strict=True):
            heapq.heappush(self._waiting, (cost, a, b, self._stamps[a] + self._stamps[b]))

    def _neighbors(self, vertex: int) -> set[int]:
        found = {corner for triangle in self._around[vertex] for corner in self.corners[triangle]}
        found.discard(vertex)
        return found

    def _may_collapse(self, gone: int, kept: int) -> bool:
        """True if the surface stays one without folds, and its borders stay where they are."""
        shared = self._around[gone] & self._around[kept]
        if not 1 <= len(shared) <= 2 or (self._rim[gone] and len(shared) == 2):
            return False
        if len(self._neighbors(gone) & self._neighbors(kept)) != len(shared):
            return False
        staying = [self.corners[triangle] for triangle in self._around[gone] - shared]
        if not staying:
            return False
        before = self._places[np.array(staying)]
        after = self._places[np.array([[kept if c == gone else c for c in corners] for corners in staying])]
        old, new = (np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]) for at in (before, after))
        lengths = np.linalg.norm(old, axis=-1) * np.linalg.norm(new, axis=-1)
        return bool(((old * new).sum(axis=-1) > FLIP * lengths).all())

    def _collapse(self, gone: int, kept: int) -> None:
        for triangle in self._around[gone] & self._around[kept]:
            for corner in self.corners[triangle]:
                self._around[corner].discard(triangle)
            self.corners[triangle] = []
        for triangle in self._around[gone]:
            self.corners[triangle] = [kept if corner == gone else corner for corner in self.corners[triangle]]
        self._around[kept] |= self._around[gone]
        self._around[gone] = set()
        self._errors[kept] += self._errors[gone]
        self._stamps[kept] += 1
        others = sorted(self._neighbors(kept))
        pairs = [(kept, other) for other in others] + [(other, kept) for other in others]
        if pairs:
            self._push(np.array(pairs))


def _plane(normals: Float64, at: Float64, weights: Float64) -> Float64:
    """(..., 4, 4) weighted squares of the distance from planes through points."""
    whole = np.concatenate([normals, -(normals * at).sum(axis=-1, keepdims=True)], axis=-1)
    return np.asarray(weights[..., None, None] * whole[..., :, None] * whole[..., None, :])
