"""Bending one surface onto another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.transfer._matching.components import ComponentMesh, border_vertices, closest_of, on_border

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

STIFFNESS = (30.0, 0.1)  # of differences between neighbors, relative to a pull of 1 to the closest point
LANDMARK = 30.0  # pull of a landmark
BELIEVED = 2.0  # a closest point within this many mean edges is; on a coarse surface most of it lies between vertices
REJECT = 3.0  # beyond that, those farther than this many medians are not


@dataclass(frozen=True)
class Similarity:
    """x -> scale rotation x + translation."""

    scale: float
    rotation: Float64
    translation: Float64

    def apply(self, points: NDArray[np.float32]) -> Float32:
        return np.asarray(self.scale * points @ self.rotation.T + self.translation, np.float32)

    def inverse(self) -> Similarity:
        turned = self.rotation.T @ self.translation / self.scale
        return Similarity(1.0 / self.scale, self.rotation.T, -turned)


def similarity(source: Float32, target: Float32) -> Similarity:
    """The least-squares similarity between matched points (Umeyama 1991); the identity for none."""
    if not len(source):
        return Similarity(1.0, np.eye(3), np.zeros(3))
    a, b = (p.astype(np.float64) for p in (source, target))
    ca, cb = a.mean(axis=0), b.mean(axis=0)
    u, s, vt = np.linalg.svd((b - cb).T @ (a - ca))
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    rotation = u @ np.diag(sign) @ vt
    spread = np.square(a - ca).sum()
    scale = float((s * sign).sum() / spread) if spread > 0 else 1.0
    return Similarity(scale, rotation, cb - scale * rotation @ ca)


@dataclass(frozen=True)
class Pairs:
    """Vertices (L,) that are to reach points (L, 3)."""

    vertex: NDArray[np.int64]
    point: Float32


def fit_surface(
    start: ComponentMesh,
    target: ComponentMesh,
    drawn: NDArray[np.bool_],
    landmarks: Pairs,
    iterations: int,
    threads: int,
    report: Callable[[int], None],
) -> ComponentMesh:
    """Bend ``start`` onto a target; see :func:`rigcast.transfer.correspond`.

    ``drawn`` (S, T): to which of the target's components each of the source's is drawn.
    """
    count = len(start.points)
    rows, columns, laplacian = _core.graph_laplacian(start.faces, count)
    diagonal = np.arange(count, dtype=np.int32)
    border = border_vertices(target)
    fitted = start
    for i, stiffness in enumerate(np.geomspace(*STIFFNESS, max(iterations, 2))[:iterations]):
        pull, aim = _pulls(fitted, target, drawn, border, threads)
        pull[landmarks.vertex] = LANDMARK
        aim[landmarks.vertex] = landmarks.point
        values = np.concatenate([stiffness * laplacian, pull + 1e-6])
        system = _core.SparseCholesky(
            np.concatenate([rows, diagonal]), np.concatenate([columns, diagonal]), values, count
        )
        displacement = system.solve(pull[:, None] * (aim - start.points), threads=threads)
        fitted = start.moved((start.points + displacement).astype(np.float32))
        report(i + 1)
    return _carried(start, fitted, np.asarray(drawn.any(axis=1)), threads)


def _carried(start: ComponentMesh, fitted: ComponentMesh, drawn: NDArray[np.bool_], threads: int) -> ComponentMesh:
    """Components that nothing draws move as a whole with what was nearest to them: teeth with the mouth."""
    alone = np.logical_not(drawn)
    rows = np.flatnonzero(alone[start.component])
    if not len(rows) or alone.all():
        return fitted
    points, faces = fitted.points.copy(), start.faces[drawn[start.component[start.faces[:, 0]]]]
    corners = _core.closest_points(start.points, faces, start.points[rows], threads=threads)[0]
    for s in np.flatnonzero(alone):
        own = start.component[rows] == s
        near = np.unique(corners[own])
        if len(near) >= 3:
            points[rows[own]] = similarity(start.points[near], fitted.points[near]).apply(start.points[rows[own]])
    return fitted.moved(points)


def mean_edge(surface: ComponentMesh) -> float:
    """Length, over all edges."""
    points = surface.points
    edges = _core.edges(surface.faces, len(points))
    return float(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean())


def _pulls(
    points: ComponentMesh, target: ComponentMesh, drawn: NDArray[np.bool_], border: NDArray[np.bool_], threads: int
) -> tuple[Float64, Float64]:
    """The strength with which each vertex is drawn, and the point that draws it.

    A vertex whose closest point is on the target's border is not drawn: the target ends before it, as a face without
    the inside of its mouth does at the lips, and all that is inside would be heaped up there.
    """
    corners, weights, distance = closest_of(drawn, points, target, threads)
    found = np.isfinite(distance) & ~on_border(corners, weights, border)
    aim = np.einsum("vca,vc->va", target.points[np.maximum(corners, 0)].astype(np.float64), weights)
    limit = max(BELIEVED * mean_edge(points), REJECT * np.median(distance[found])) if found.any() else 0.0
    return (found & (distance <= limit)).astype(np.float64), aim
