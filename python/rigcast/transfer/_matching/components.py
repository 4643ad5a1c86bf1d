"""Matches of the components of a target and a source: skin to skin, an eyeball to an eyeball.

A lip lies as near to the gums as to its partner. Closest points are therefore looked for component by component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

OVERLAP = 0.5  # of a component's vertices near another make the two partners where no landmark does
Closest = tuple[Int32, Float32, Float32]


@dataclass(frozen=True)
class ComponentMesh:
    """A mesh in connected components: points (V, 3), faces (F, 4), component (V,), normals (V, 3)."""

    points: Float32
    faces: Int32
    component: Int64
    normals: Float32

    @staticmethod
    def of(points: Float32, faces: Int32, component: Int64 | None = None) -> ComponentMesh:
        if component is None:
            rows, columns, _ = _core.graph_laplacian(faces, len(points))
            component = component_of(rows, columns, len(points))
        return ComponentMesh(points, faces, component, _core.vertex_normals(points, faces))

    @property
    def count(self) -> int:
        return int(self.component.max()) + 1

    def moved(self, points: Float32) -> ComponentMesh:
        return ComponentMesh.of(points, self.faces, self.component)

    def closest(self, allowed: Bool, queries: Float32, normals: Float32, threads: int) -> Closest:
        """On the components ``allowed`` (count,): corners, weights and distance; corners -1 where there is none."""
        faces = self.faces[allowed[self.component[self.faces[:, 0]]]]
        if not len(faces) or not len(queries):
            nothing = np.full(len(queries), np.inf, np.float32)
            return np.full((len(queries), 3), -1, np.int32), np.zeros((len(queries), 3), np.float32), nothing
        corners, weights, distance = _core.closest_points(self.points, faces, queries, normals, threads=threads)
        return corners, weights, distance


def marked(pairs: Int64, source: ComponentMesh, target: ComponentMesh) -> Bool:
    """(S, T) which components of the source landmarks tie to which of the target."""
    tied = np.zeros((source.count, target.count), bool)
    tied[source.component[pairs[:, 0]], target.component[pairs[:, 1]]] = True
    return tied


def drawn_to(tied: Bool) -> Bool:
    """(S, T) which components of the target each of the source is drawn to: its partners, else all without any."""
    alone = np.logical_not(np.asarray(tied.any(axis=0)))
    return np.asarray(np.where(np.asarray(tied.any(axis=1))[:, np.newaxis], tied, alone))


def closest_of(allowed: Bool, asked: ComponentMesh, other: ComponentMesh, threads: int) -> Closest:
    """For each vertex of ``asked`` the closest point of the components of ``other`` that its own may meet (A, O)."""
    count = len(asked.points)
    corners, weights = np.full((count, 3), -1, np.int32), np.zeros((count, 3), np.float32)
    distance = np.full(count, np.inf, np.float32)
    kinds, kind = np.unique(allowed, axis=0, return_inverse=True)
    for k, may in enumerate(kinds):
        rows = np.flatnonzero(kind.reshape(-1)[asked.component] == k)
        found = other.closest(may, asked.points[rows], asked.normals[rows], threads)
        corners[rows], weights[rows], distance[rows] = found
    return corners, weights, distance


def partners(tied: Bool, source: ComponentMesh, target: ComponentMesh, near: float, threads: int) -> Bool:
    """(T, S) which components of the fitted source each of the target is matched to.

    Those that landmarks say. Without any: the nearest one that half of the target's component is within ``near`` of;
    if there is none, all that have half of their own vertices within ``near`` of it, as teeth in a denture of one
    piece, if they together reach half of it.
    """
    found: Bool = np.array(tied.T)
    for t in np.flatnonzero(np.logical_not(found.any(axis=1))).tolist():
        rows = np.flatnonzero(target.component == t)
        ask = target.points[rows], target.normals[rows]
        corners, _, distance = source.closest(np.ones(source.count, bool), *ask, threads)
        held = distance <= near
        votes = np.bincount(source.component[corners[held, 0]], minlength=source.count)
        for choice in _choices(votes, source, target, t, near, threads):
            if (source.closest(choice, *ask, threads)[2] <= near).mean() >= OVERLAP:
                found[t] = choice
                break
    return found


def _choices(
    votes: Int64, source: ComponentMesh, target: ComponentMesh, t: int, near: float, threads: int
) -> list[Bool]:
    """Sets of components (S,) to try, the likeliest first."""
    order = np.argsort(-votes, kind="stable")
    voted = order[votes[order] > 0]
    single = [np.arange(source.count) == s for s in voted[:3]]
    several = np.zeros(source.count, bool)
    for s in voted:
        rows = np.flatnonzero(source.component == s)
        only = np.arange(target.count) == t
        distance = target.closest(only, source.points[rows], source.normals[rows], threads)[2]
        several[s] = (distance <= near).mean() >= OVERLAP
    return [*single, several]


def component_of(rows: Int32, columns: Int32, count: int) -> Int64:
    """(V,) components of a graph, by label propagation with pointer jumping."""
    label = np.arange(count)
    while True:
        lower = label.copy()
        np.minimum.at(lower, rows, label[columns])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.asarray(np.unique(label, return_inverse=True)[1], np.int64).reshape(-1)
        label = lower


def parts_of(edges: Int64, count: int) -> Int64:
    """(V,) connected parts of the graph with these edges (E, 2)."""
    both = np.concatenate([edges, edges[:, ::-1]])
    return component_of(both[:, 0].astype(np.int32), both[:, 1].astype(np.int32), count)


def border_vertices(surface: ComponentMesh) -> Bool:
    """(V,) vertices of edges with one face."""
    faces, sides = surface.faces, []
    for quad, cells in ((True, faces[faces[:, 3] >= 0]), (False, faces[faces[:, 3] < 0][:, :3])):
        for c in range(4 if quad else 3):
            sides.append(np.sort(np.stack([cells[:, c], np.roll(cells, -1, axis=1)[:, c]], axis=1), axis=1))
    edges, count = np.unique(np.concatenate(sides), axis=0, return_counts=True)
    border = np.zeros(len(surface.points), bool)
    border[edges[count == 1]] = True
    return border


def on_border(corners: Int32, weights: Float32, border: Bool) -> Bool:
    """(Q,) points whose triangle corners with weight are all on the border: there the surface ends."""
    return np.asarray((border[np.maximum(corners, 0)] | (weights < 1e-3)).all(axis=1))
