"""Principal components of many coordinates of few rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

OVERSAMPLING = 8
PASSES = 3


@dataclass(frozen=True)
class Components:
    """Leading principal components of rows (T, N).

    Attributes
    ----------
    basis : (N, R) float32
        Orthonormal columns.
    mean : (N,) float32
    coefficients : (T, R) float64
    """

    basis: NDArray[np.float32]
    mean: NDArray[np.float32]
    coefficients: NDArray[np.float64]


def principal_components(data: NDArray[np.float32], count: int, threads: int = 0) -> Components:
    """The ``count`` leading components of rows (T, N), by randomized subspace iteration.

    Halko, Martinsson and Tropp 2011, algorithm 4.4, three passes, eight more probes than components; the probes are
    those of seed 0.

    Parameters
    ----------
    data : (T, N) float32
    count : int
        At most T - 1 and N.
    """
    mean = data.mean(axis=0, dtype=np.float64).astype(np.float32)
    centered = data - mean
    probes = min(count + OVERSAMPLING, len(data), data.shape[1])
    across = np.random.default_rng(0).standard_normal((data.shape[1], probes)).astype(np.float32)
    for _ in range(PASSES):
        left = orthonormal(_core.matrix_product(centered, across, threads=threads), threads)
        across = orthonormal(_core.matrix_product(left.T, centered, threads=threads).T, threads)
    rows = _core.matrix_product(centered, across, threads=threads).astype(np.float64)
    values, vectors = np.linalg.eigh(_core.matrix_product(rows.T, rows, threads=threads))
    order = np.argsort(-values, kind="stable")[:count]
    chosen = vectors[:, order]
    basis = _core.matrix_product(across, chosen.astype(np.float32), threads=threads)
    signs = np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(count)])
    basis = np.ascontiguousarray(basis * signs)
    return Components(basis, mean, _core.matrix_product(centered, basis, threads=threads).astype(np.float64))


def orthonormal(columns: NDArray[np.float32], threads: int = 0) -> NDArray[np.float32]:
    """An orthonormal basis of the span of columns (N, R): by the eigenvectors of their Gram matrix, twice.

    Directions whose length is rounding compared with that of the longest become zero.
    """
    result = columns
    for _ in range(2):
        gram = _core.matrix_product(result.T.astype(np.float64), result.astype(np.float64), threads=threads)
        values, vectors = np.linalg.eigh(gram)
        kept = values > 1e-10 * max(float(values[-1]), 1e-300)
        scaled = np.where(kept, vectors / np.sqrt(np.where(kept, values, 1.0)), 0.0)
        result = _core.matrix_product(result, scaled.astype(np.float32), threads=threads)
    return result
