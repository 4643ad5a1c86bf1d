"""What else one would do instead of a transfer: the same energy built with SciPy, dense solves, copies of offsets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as sparse_linalg

import rigwright as rw


class SciPyTransfer:
    """The same energy as SciPy users build it: vectorised assembly, one LU factorisation (SuperLU), a solve a shape."""

    def __init__(self, source: np.ndarray, target: np.ndarray, faces: np.ndarray, fixed: np.ndarray) -> None:
        quads, triangles = faces[faces[:, 3] >= 0], faces[faces[:, 3] < 0][:, :3]
        split = np.concatenate([quads[:, c] for c in ([0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3])])
        self.triangles = np.concatenate([split, triangles])
        share = np.concatenate([np.full(len(split), 0.5), np.ones(len(triangles))])
        self.inverse = np.linalg.inv(self.frames(source))
        own = self.frames(target)
        area = 0.5 * share * np.linalg.norm(np.cross(own[:, :, 0], own[:, :, 1]), axis=1)
        gradient = np.linalg.inv(own)[:, :2]  # rows: gradients of the hat functions of corners 1 and 2
        gradient = np.concatenate([-gradient.sum(axis=1, keepdims=True), gradient], axis=1)  # (F, 3 corners, 3)
        root = np.sqrt(area)[:, None, None] * gradient
        rows = np.repeat(np.arange(3 * len(area)).reshape(-1, 1, 3), 3, axis=1)
        columns = np.repeat(self.triangles[:, :, None], 3, axis=2)
        size = (3 * len(area), len(source))
        self.operator = sparse.csc_matrix((root.reshape(-1), (rows.reshape(-1), columns.reshape(-1))), size)
        self.project = root  # for the right-hand side
        self.target, self.fixed = target.astype(np.float64), fixed
        self.free = np.setdiff1d(np.arange(len(source)), fixed)
        normal = (self.operator.T @ self.operator).tocsc()
        self.normal = normal
        self.factor = sparse_linalg.splu(normal[self.free][:, self.free], permc_spec="MMD_AT_PLUS_A")
        self.area, self.own = area, own

    def frames(self, points: np.ndarray) -> np.ndarray:
        a, b, c = (points[self.triangles[:, i]].astype(np.float64) for i in range(3))
        n = np.cross(b - a, c - a)
        return np.stack([b - a, c - a, n / np.sqrt(np.linalg.norm(n, axis=1, keepdims=True))], axis=2)

    def transfer(self, shape: np.ndarray) -> np.ndarray:
        change = self.frames(shape) @ self.inverse - np.eye(3)
        unit = self.own[:, :, 2] / np.linalg.norm(self.own[:, :, 2], axis=1, keepdims=True)
        change -= np.einsum("fij,fj,fk->fik", change, unit, unit)
        right = np.sqrt(self.area)[:, None, None] * change.transpose(0, 2, 1)
        rhs = self.operator.T @ right.reshape(-1, 3)
        moved = np.zeros_like(self.target)
        moved[self.free] = self.factor.solve(rhs[self.free])
        return self.target + moved


def place(source: np.ndarray, target: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    a, b = (p.astype(np.float64) - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = np.linalg.norm(b) / np.linalg.norm(a) * (u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt)
    return lambda points: points @ turn.T


def rotated_copy(source: np.ndarray, target: np.ndarray, deltas: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Offsets turned with the vertex frames (normal and the longest edge at the vertex) from source to target."""
    edges = rw._core.edges(faces, len(source))
    both = np.concatenate([edges, edges[:, ::-1]])
    length = np.linalg.norm(source[both[:, 0]] - source[both[:, 1]], axis=1)
    partner = np.arange(len(source))
    order = np.argsort(length, kind="stable")
    partner[both[order, 0]] = both[order, 1]  # the last write wins: the longest

    def frames(points: np.ndarray) -> np.ndarray:
        z = rw._core.vertex_normals(points, faces).astype(np.float64)
        x = points[partner].astype(np.float64) - points
        x -= (x * z).sum(axis=1, keepdims=True) * z
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
        return np.stack([x, np.cross(z, x), z], axis=2)

    turn = frames(target) @ frames(source).transpose(0, 2, 1)
    return np.einsum("vij,kvj->kvi", turn, deltas)
