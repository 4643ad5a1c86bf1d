"""The left-right map of a mesh, found from the neutral alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import PointTree

Floats = NDArray[Any]
Indices = NDArray[np.int32]

CANDIDATES = 6  # nearest mirrored vertices that are considered: layers of a mesh may lie in one place
ROUNDS = 30  # of asking the neighbors, at most
SAME = 1e-9  # of a normal, and of the longest extent of the coordinates: a plane that changes less has converged
SAMPLES = 2000  # vertices that judge a plane


@dataclass(frozen=True)
class Mirror:
    """A symmetry plane ``normal . x = offset``, and the vertex that mirrors each.

    Attributes
    ----------
    normal : (3,) float64
    offset : float
    partner : (V,) int32
        The vertex on the other side, itself on the plane, -1 where none was found. An involution.
    """

    normal: Floats
    offset: float
    partner: Indices

    @property
    def found(self) -> int:
        """The number of vertices that have a partner."""
        return int((self.partner >= 0).sum())

    def vectors(self, displacements: Floats) -> Floats:
        """Displacements (..., V, 3) as the other side shows them; 0 at vertices without a partner."""
        reflection = np.eye(3) - 2.0 * np.outer(self.normal, self.normal)
        moved = displacements[..., self.partner, :] @ reflection.astype(displacements.dtype)
        moved[..., self.partner < 0, :] = 0.0
        return np.asarray(moved)

    def mask(self, vertices: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A mask (..., V) on the other side."""
        return np.asarray(vertices[..., self.partner] & (self.partner >= 0))


def mirror(neutral: Floats, faces: Indices) -> Mirror:
    """Find the symmetry plane of a mesh, and each vertex's partner.

    The plane: of those across the coordinate axes and the principal axes the one that maps most vertices onto
    vertices, fitted to its matches. Partners: the nearest vertex to the mirrored one, at most half an edge away; where
    several are near (layers of a mesh, seams of parts), the one whose neighbors are the partners of the vertex's
    neighbors. What is left then follows from the faces: a face whose other corners have partners.

    Parameters
    ----------
    neutral : (V, 3) float32
    faces : (F, 4) int32, -1 pads triangles
    """
    edges = _core.edges(faces, len(neutral))
    reach = _reach(neutral, edges)
    tree = _core.PointTree(neutral)
    normal, offset = _plane(neutral, tree, reach)
    partner = _partners(tree, edges, _reflected(neutral, normal, offset), reach)
    return Mirror(normal, offset, _completed(partner, faces))


def _reach(neutral: Floats, edges: Indices) -> Floats:
    """Half the mean length of the edges at each vertex; of loose vertices half the mean of all."""
    length = np.linalg.norm(neutral[edges[:, 0]] - neutral[edges[:, 1]], axis=1).astype(np.float64)
    count = np.bincount(edges.ravel(), minlength=len(neutral))
    total = sum(np.bincount(edges[:, side], length, len(neutral)) for side in (0, 1))
    everywhere = float(length.mean()) if len(length) else float(np.ptp(neutral, axis=0).max())
    return np.where(count > 0, 0.5 * total / np.maximum(count, 1), 0.5 * everywhere)


def _reflected(points: Floats, normal: Floats, offset: float) -> Floats:
    height = points @ normal - offset
    return np.asarray(points - 2.0 * height[:, None] * normal, np.float32)


def _plane(neutral: Floats, tree: PointTree, reach: Floats) -> tuple[Floats, float]:
    """Normal and offset of the best symmetry plane."""
    points = neutral.astype(np.float64)
    center = points.mean(axis=0)
    _, _, principal = np.linalg.svd(points[:: max(1, len(points) // SAMPLES)] - center, full_matrices=False)
    sample = np.arange(0, len(points), max(1, len(points) // SAMPLES))
    planes = []
    for normal in [*np.eye(3), *principal]:
        plane = normal, float(normal @ (0.5 * (points.min(axis=0) + points.max(axis=0))))
        planes.append(_fitted(points, tree, sample, reach, plane))
    return max(planes, key=lambda plane: _score(points, tree, sample, reach, plane))


def _fitted(
    points: Floats, tree: PointTree, sample: Floats, reach: Floats, plane: tuple[Floats, float]
) -> tuple[Floats, float]:
    """The plane that best mirrors the sample onto its nearest vertices, a few rounds of matching and fitting.

    With p mirrored onto q, both about their means, ``sum |p - (I - 2 n n^T) q|^2`` is least for the eigenvector n of
    ``sum (p q^T + q p^T)`` with the smallest eigenvalue.
    """
    for _ in range(10):
        nearest, squared = tree.nearest(_reflected(points[sample], *plane))
        good = np.sqrt(squared[:, 0]) <= max(4.0 * float(np.median(np.sqrt(squared[:, 0]))), float(reach.mean()))
        p, q = points[sample[good]], points[nearest[good, 0]]
        middle = 0.5 * (p.mean(axis=0) + q.mean(axis=0))
        product = (p - middle).T @ (q - middle)
        normal = np.linalg.eigh(product + product.T)[1][:, 0]
        normal *= np.sign(normal[np.abs(normal).argmax()])
        after = normal, float(normal @ middle)
        if np.allclose(after[0], plane[0], atol=SAME) and abs(after[1] - plane[1]) <= SAME * float(np.ptp(points)):
            return after
        plane = after
    return plane


def _score(points: Floats, tree: PointTree, sample: Floats, reach: Floats, plane: tuple[Floats, float]) -> float:
    """Vertices of the sample that land on another vertex, the near ones counting more."""
    nearest, squared = tree.nearest(_reflected(points[sample], *plane))
    near = np.maximum(reach[sample] ** 2, np.finfo(np.float64).tiny)  # 0 where all vertices are in one place
    hit = np.maximum(1.0 - squared[:, 0] / near, 0.0)
    return float(hit[nearest[:, 0] != sample].sum())  # a vertex on the plane says nothing


def _partners(tree: PointTree, edges: Indices, reflected: Floats, reach: Floats) -> Indices:
    """The one candidate, or of several the one that the neighbors vote for; only what both sides agree on.

    Vertices with one candidate vote first, then those that they settled, and so on; the nearest candidate is left to
    the others.
    """
    candidates, squared = tree.nearest(reflected, min(CANDIDATES, len(reflected)))
    inside = np.sqrt(squared) <= np.minimum(reach[:, None], reach[candidates])
    nearest = np.where(inside[:, 0], candidates[:, 0], -1).astype(np.int32)
    unsure = np.flatnonzero(inside.sum(axis=1) > 1).astype(np.int32)
    ballot = _Ballot(unsure, np.where(inside[unsure], candidates[unsure], -1), edges, len(reflected))
    partner = nearest.copy()
    partner[unsure] = -1
    for _ in range(ROUNDS if len(unsure) and len(edges) else 0):
        elected = ballot.elected(partner)
        if np.array_equal(elected, partner[unsure]):
            break
        partner[unsure] = elected
    partner = np.where(partner < 0, nearest, partner)
    return np.where((partner >= 0) & (partner[partner] == np.arange(len(partner))), partner, -1).astype(np.int32)


class _Ballot:
    """Lets neighbors vote which of several candidates is a vertex's partner."""

    def __init__(self, unsure: Indices, candidates: Indices, edges: Indices, count: int) -> None:
        self.unsure, self.candidates = unsure, candidates
        self.edges = np.unique(np.concatenate([edges, edges[:, ::-1]]) @ np.array([count, 1], np.int64))
        around = _neighbor_table(edges, count)
        row, column = np.nonzero(candidates >= 0)
        voter = around[unsure[row]]
        at, place = np.nonzero(voter >= 0)
        self.voter, self.row, self.column = voter[at, place], row[at], column[at]
        self.key = candidates[self.row, self.column] * np.int64(count)

    def elected(self, partner: Indices) -> Indices:
        """Per unsure vertex the candidate that is adjacent to most partners of its neighbors; -1 without a vote."""
        adjacent = partner[self.voter]
        voting = np.flatnonzero(adjacent >= 0)
        key = self.key[voting] + adjacent[voting]
        place = np.minimum(np.searchsorted(self.edges, key), len(self.edges) - 1)
        given = voting[self.edges[place] == key]
        width = self.candidates.shape[1]
        votes = np.bincount(self.row[given] * width + self.column[given], minlength=self.candidates.size)
        votes = votes.reshape(self.candidates.shape)
        best = votes.argmax(axis=1)
        rows = np.arange(len(self.unsure))
        return np.where(votes[rows, best] > 0, self.candidates[rows, best], -1).astype(np.int32)


def _neighbor_table(edges: Indices, count: int) -> Indices:
    """(V, D) neighbors of every vertex, -1 where there are fewer."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    degree = np.bincount(both[:, 0], minlength=count)
    place = np.arange(len(both)) - np.repeat(np.cumsum(degree) - degree, degree)
    table = np.full((count, int(degree.max(initial=0))), -1, np.int32)
    table[both[:, 0], place] = both[:, 1]
    return table


def _completed(partner: Indices, faces: Indices) -> Indices:
    """Partners of vertices that alone in a face have none: the corner that the mirrored face has left."""
    partner = partner.copy()
    if (partner >= 0).all():
        return partner
    corners = [tuple(v for v in face if v >= 0) for face in faces.tolist()]
    at: dict[int, list[int]] = {}
    for number, face in enumerate(corners):
        for vertex in face:
            at.setdefault(vertex, []).append(number)
    open_vertices = [int(v) for v in np.flatnonzero(partner < 0)]
    while True:
        found = {v: mate for v in open_vertices if (mate := _by_faces(v, partner, corners, at)) is not None}
        agreed = [(v, mate) for v, mate in found.items() if found.get(mate) == v]
        if not agreed:
            return partner
        for vertex, mate in agreed:
            partner[vertex] = mate
        open_vertices = [v for v in open_vertices if partner[v] < 0]


def _by_faces(vertex: int, partner: Indices, corners: list[tuple[int, ...]], at: dict[int, list[int]]) -> int | None:
    """The one vertex that completes the mirror image of every face around ``vertex`` that has one; None if unclear."""
    mates = set()
    for number in at.get(vertex, []):
        others = {int(partner[v]) for v in corners[number] if v != vertex}
        if -1 in others:
            continue
        for face in set.intersection(*(set(at.get(v, ())) for v in others)):
            left = set(corners[face]) - others
            if len(left) == 1 and len(corners[face]) == len(corners[number]):
                mates |= left
    free = {mate for mate in mates if partner[mate] < 0}
    return free.pop() if len(free) == 1 else None
