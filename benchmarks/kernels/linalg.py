"""Factorizations and products of matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.differential.anchored import shield

from benchmarks.kernels.register import Setup, kernel
from rigcast import _core

HALF, ROWS, RIGHT_SIDES = 50, 100, 3  # 10,100 vertices
DENSE = 400


def laplacian(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Triplets of the graph Laplacian of a shield with .01 on its diagonal, and the number of rows."""
    points, faces = shield(setup.size(HALF), ROWS)
    rows, columns, values = _core.graph_laplacian(faces, len(points))
    return rows, columns, values + 0.01 * (rows == columns), len(points)


@kernel
def linalg_sparse_factorize(setup: Setup) -> Callable[[], object]:
    matrix = laplacian(setup)
    return lambda: _core.SparseCholesky(*matrix)


@kernel
def linalg_sparse_solve(setup: Setup) -> Callable[[], object]:
    matrix = laplacian(setup)
    made, right = _core.SparseCholesky(*matrix), np.random.default_rng(0).random((matrix[-1], RIGHT_SIDES))
    return lambda: made.solve(right, threads=setup.threads)


@kernel
def linalg_sparse_inverse_diagonal(setup: Setup) -> Callable[[], object]:
    made = _core.SparseCholesky(*laplacian(setup))
    return made.inverse_diagonal


@kernel
def linalg_dense_solve(setup: Setup) -> Callable[[], object]:
    half = np.random.default_rng(0).standard_normal((setup.size(DENSE), DENSE))
    matrix, right = half @ half.T + np.eye(len(half)), np.ones((len(half), RIGHT_SIDES))
    return lambda: _core.solve_positive_definite(matrix, right, threads=setup.threads)


@kernel
def linalg_product(setup: Setup) -> Callable[[], object]:
    a = np.random.default_rng(0).random((setup.size(DENSE), DENSE), np.float32)
    b = a.T.copy()
    return lambda: _core.matrix_product(a, b, threads=setup.threads)
