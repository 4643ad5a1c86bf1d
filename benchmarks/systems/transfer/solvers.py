"""Deformation transfer as one would build it from libraries: the same energy, factored once, all shapes at once.

Neither SciPy nor libigl has deformation transfer. The systems are put together here from what they have: a gradient
operator and a factorization.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as sparse_linalg

Solve = Callable[[np.ndarray], np.ndarray]


def triangulated(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles and their shares: quads along both diagonals, each of the four by half."""
    quads, triangles = faces[faces[:, 3] >= 0], faces[faces[:, 3] < 0][:, :3]
    split = np.concatenate([quads[:, c] for c in ([0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3])])
    return np.concatenate([split, triangles]), np.concatenate([np.full(len(split), 0.5), np.ones(len(triangles))])


def frames(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    a, b, c = (points[triangles[:, i]].astype(np.float64) for i in range(3))
    n = np.cross(b - a, c - a)
    return np.stack([b - a, c - a, n / np.sqrt(np.linalg.norm(n, axis=1, keepdims=True))], axis=2)


class Assembled:
    """Least squares of gradients: ``operator`` (3 T, V) differentiates along x, then y, then z on every triangle."""

    def __init__(self, source: np.ndarray, target: np.ndarray, faces: np.ndarray, fixed: np.ndarray) -> None:
        self.triangles, share = triangulated(faces)
        self.inverse = np.linalg.inv(frames(source, self.triangles))
        self.target, self.fixed = target.astype(np.float64), fixed
        operator, area = self.gradient()
        self.weighted = operator.T @ sparse.diags(np.tile(share * area, 3))
        self.factor((self.weighted @ operator).tocsc())

    def gradient(self) -> tuple[sparse.csc_matrix, np.ndarray]:
        own = frames(self.target, self.triangles)
        hats = np.linalg.inv(own)[:, :2]  # gradients of the hat functions of corners 1 and 2
        hats = np.concatenate([-hats.sum(axis=1, keepdims=True), hats], axis=1)  # (T, corner, axis)
        count = len(hats)
        rows = np.arange(3 * count).reshape(3, count, 1).repeat(3, axis=2)
        columns = np.broadcast_to(self.triangles, (3, count, 3))
        entries = hats.transpose(2, 0, 1).reshape(-1), (rows.reshape(-1), columns.reshape(-1))
        area = 0.5 * np.linalg.norm(np.cross(own[:, :, 0], own[:, :, 1]), axis=1)
        return sparse.csc_matrix(entries, (3 * count, len(self.target))), area

    def factor(self, normal: sparse.csc_matrix) -> None:
        free = np.setdiff1d(np.arange(len(self.target)), self.fixed)
        inner = self.factored(normal[free][:, free].tocsc())

        def solve(right: np.ndarray) -> np.ndarray:
            moved = np.zeros_like(right)
            moved[free] = inner(right[free])
            return moved

        self.solve: Solve = solve

    def factored(self, normal: sparse.csc_matrix) -> Solve:
        raise NotImplementedError

    def right(self, shape: np.ndarray) -> np.ndarray:
        change = frames(shape, self.triangles) @ self.inverse - np.eye(3)
        return self.weighted @ change.transpose(2, 0, 1).reshape(-1, 3)

    def transfer(self, shapes: np.ndarray) -> np.ndarray:
        right = np.concatenate([self.right(shape) for shape in shapes], axis=1)
        moved = self.solve(right).reshape(len(self.target), len(shapes), 3)
        return self.target + moved.transpose(1, 0, 2)


class SuperLU(Assembled):
    """SciPy's own direct solver, in its symmetric mode."""

    def factored(self, normal: sparse.csc_matrix) -> Solve:
        options = {"SymmetricMode": True}
        return sparse_linalg.splu(normal, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve


class Cholmod(Assembled):
    """CHOLMOD from SciPy, through scikit-sparse."""

    def factored(self, normal: sparse.csc_matrix) -> Solve:
        from sksparse.cholmod import cholesky

        return cholesky(normal)


class LibIgl(Assembled):
    """libigl's gradient operator, areas and quadratic solver (Eigen's sparse Cholesky)."""

    def gradient(self) -> tuple[sparse.csc_matrix, np.ndarray]:
        import igl

        triangles = self.triangles.astype(np.int64)
        return igl.grad(self.target, triangles), 0.5 * igl.doublearea(self.target, triangles)

    def factor(self, normal: sparse.csc_matrix) -> None:
        import igl

        data = igl.min_quad_with_fixed_data()
        igl.min_quad_with_fixed_precompute(normal, self.fixed.astype(np.int64), pd=True, data=data)
        self.solve = lambda right: igl.min_quad_with_fixed_solve(data, -right, np.zeros((1, right.shape[1])))


def peers() -> dict[str, type[Assembled]]:
    """Those whose packages are there, by name and version."""
    found: dict[str, type[Assembled]] = {}
    for module, package, kind in (
        ("scipy", "scipy", SuperLU),
        ("sksparse", "scikit-sparse", Cholmod),
        ("igl", "libigl", LibIgl),
    ):
        if importlib.util.find_spec(module):
            found[f"{package} {importlib.metadata.version(package)}"] = kind
    return found
