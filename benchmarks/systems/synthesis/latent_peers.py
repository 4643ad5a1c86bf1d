"""The objective of latent spaces in NumPy and SciPy, at their best: LAPACK in place, no (N, N, D) arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]


@dataclass
class Gradient:
    """Of the negative log likelihood: by points, inducing points, and the logarithms of variance, length, noise."""

    points: Floats
    inducing: Floats | None
    kernel: Floats


def _factorize(matrix: Floats) -> Floats:
    """Lower Cholesky factorization in place, of a matrix in Fortran order."""
    factorization, info = lapack.dpotrf(matrix, lower=1, overwrite_a=1, clean=1)
    assert info == 0
    return factorization


def exact(points: Floats, values: Floats, kernel: tuple[float, float, float]) -> tuple[float, Gradient]:
    """Value and gradient of the exact process."""
    variance, length, noise = kernel
    outputs = values.shape[1]
    squared = cdist(points, points, "sqeuclidean")
    covariance = np.multiply(squared, -0.5 / length**2)
    np.exp(covariance, out=covariance)
    covariance *= variance
    matrix = covariance.T.copy(order="F")
    matrix.ravel(order="K")[:: len(matrix) + 1] += noise
    factorization = _factorize(matrix)
    log_determinant = 2 * np.log(np.diag(factorization)).sum()
    solved, _ = lapack.dpotrs(factorization, values, lower=1)
    value = 0.5 * (values.size * np.log(2 * np.pi) + outputs * log_determinant + (solved * values).sum())
    inverse, _ = lapack.dpotri(factorization, lower=1, overwrite_c=1)
    inverse = inverse.T  # C order, upper triangle
    diagonal = np.diag(inverse).copy()
    pull = solved @ solved.T
    pull -= outputs * (np.triu(inverse) + np.triu(inverse, 1).T)
    pull *= covariance
    rows = pull.sum(1)
    by_points = (rows[:, None] * points - pull @ points) / length**2
    by_noise = 0.5 * ((solved**2).sum() - outputs * diagonal.sum())
    by_length = 0.5 * np.vdot(pull, squared) / length**2
    return value, Gradient(by_points, None, -np.array([0.5 * rows.sum(), by_length, noise * by_noise]))


def through(
    points: Floats, inducing: Floats, values: Floats, kernel: tuple[float, float, float], jitter: float = 1e-8
) -> tuple[float, Gradient]:
    """Value and gradient through inducing points."""
    variance, length, noise = kernel
    outputs = values.shape[1]
    squared_m = cdist(inducing, inducing, "sqeuclidean")
    covariance_m = variance * np.exp(squared_m * (-0.5 / length**2))
    squared_n = cdist(inducing, points, "sqeuclidean")
    between = np.multiply(squared_n, -0.5 / length**2)
    np.exp(between, out=between)
    between *= variance
    root = _factorize(np.asfortranarray(covariance_m + jitter * variance * np.eye(len(inducing))))
    inverse_root = lapack.dtrtri(root, lower=1)[0]
    white = inverse_root @ between
    rest = variance + noise - np.einsum("ij,ij->j", white, white)
    scaled = white / np.sqrt(rest)
    system = scaled @ scaled.T
    system.flat[:: len(system) + 1] += 1
    factorization = _factorize(np.asfortranarray(system))
    right = scaled @ (values / np.sqrt(rest)[:, None])
    inverse_factorization = lapack.dtrtri(factorization, lower=1)[0]
    projected = inverse_factorization @ right
    value = 0.5 * (
        values.size * np.log(2 * np.pi)
        + outputs * (np.log(rest).sum() + 2 * np.log(np.diag(factorization)).sum())
        + (values**2 / rest[:, None]).sum()
        - (projected**2).sum()
    )
    posterior = inverse_factorization.T @ inverse_factorization
    weights = inverse_root.T @ (inverse_factorization.T @ projected)
    residual = (values - between.T @ weights) / rest[:, None]
    mixed = posterior @ white
    diagonal = (residual**2).sum(1) - outputs * (1 / rest - np.einsum("ij,ij->j", white, mixed) / rest**2)
    weighted = white * diagonal
    by_between = weights @ residual.T - inverse_root.T @ (mixed * (outputs / rest) + weighted)
    inner = outputs * (np.eye(len(inducing)) - posterior) + weighted @ white.T
    by_m = -0.5 * (weights @ weights.T - inverse_root.T @ inner @ inverse_root)
    by_between *= between
    pull_m = by_m * covariance_m
    by_points = (by_between.T @ inducing - by_between.sum(0)[:, None] * points) / length**2
    by_inducing = (by_between @ points - by_between.sum(1)[:, None] * inducing) / length**2
    by_inducing += 2 * (pull_m @ inducing - pull_m.sum(1)[:, None] * inducing) / length**2
    half = 0.5 * diagonal.sum()
    by_variance = by_between.sum() + pull_m.sum() + jitter * variance * np.trace(by_m) + variance * half
    by_length = (np.vdot(by_between, squared_n) + np.vdot(pull_m, squared_m)) / length**2
    return value, Gradient(-by_points, -by_inducing, -np.array([by_variance, by_length, noise * half]))


def connectivity(points: Floats, frames: NDArray[np.int64], softening: float = 1e-6) -> tuple[float, Floats]:
    """Value and gradient of the connectivity prior by eigenvectors, as its authors compute it."""
    vertices = points[frames]
    count = len(vertices)
    away = vertices - vertices.mean(0)
    squared = cdist(vertices, vertices, "sqeuclidean") + softening * (away**2).sum(1).mean()
    edges = squared**-2.0
    np.fill_diagonal(edges, 0.0)
    totals = edges.sum(1)
    roots = 1 / np.sqrt(totals)
    normalized = edges * roots[:, None] * roots
    eigenvalues, vectors = np.linalg.eigh(normalized)
    powers = np.exp(eigenvalues - 1)
    kernel = (vectors * powers) @ vectors.T
    weight = len(points) / count**2
    differences = eigenvalues[:, None] - eigenvalues
    with np.errstate(divide="ignore", invalid="ignore"):
        divided = np.where(np.abs(differences) > 1e-9, (powers[:, None] - powers) / differences, powers)
    inner = vectors.T @ (1 / kernel) @ vectors
    inner *= divided
    by_normalized = vectors @ inner @ vectors.T
    by_totals = -(by_normalized * normalized).sum(1) / totals
    by_edges = by_normalized * roots[:, None] * roots + by_totals
    by_edges += by_edges.T.copy()
    slope = -2.0 * by_edges * edges * np.sqrt(edges)
    gradient = np.zeros_like(points)
    moved = 2 * (slope.sum(1)[:, None] * vertices - slope @ vertices)
    moved += slope.sum() / 2 * 2 * softening * away / count
    gradient[frames] = weight * moved
    return -weight * np.log(kernel).sum(), -gradient
