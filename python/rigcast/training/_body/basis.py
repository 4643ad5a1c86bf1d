"""The output basis of a vertex set: principal components of its weighted residuals (Bailey et al. 2018, 3.3.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAMPLED_ROWS = 512  # poses on which the error of leaving components out is measured
OVERSAMPLING = 8


@dataclass(frozen=True)
class Allowed:
    """The residuals that may be left out.

    Attributes
    ----------
    mean : float
        In the unit of the residuals: the distance, mean over members (weighted) and rows.
    each : float
        The same of any one member: few vertices that err by much are a small part of a mean over hundreds.
    """

    mean: float
    each: float = math.inf

    def allows(self, scaled: NDArray[np.float64], weights: NDArray[np.float32]) -> bool:
        """Return True if scaled residuals (T, 3M) may be left out: sum_k a_k |e_k| / sum_k a_k, and every a_k |e_k|."""
        lengths = np.sqrt(np.square(scaled.reshape(len(scaled), -1, 3)).sum(axis=2))  # sqrt(a_k) |e_k|
        members = lengths.mean(axis=0) * np.sqrt(weights.astype(np.float64))
        return bool(members.sum() / weights.sum(dtype=np.float64) <= self.mean and members.max() <= self.each)


@dataclass(frozen=True)
class Basis:
    """Orthonormal components of the residuals scaled by the square roots of the members' weights.

    Attributes
    ----------
    components : (3M, r) float64 array
    mean : (3M,) float64 array
        Of the scaled residuals.
    coefficients : (T, r) float32 array
        Of every row, the held-out ones too.
    """

    components: NDArray[np.float64]
    mean: NDArray[np.float64]
    coefficients: NDArray[np.float32]


def empty_basis(members: int, rows: int) -> Basis:
    """That of a set which only follows its joint."""
    return Basis(np.zeros((3 * members, 0)), np.zeros(3 * members), np.zeros((rows, 0), np.float32))


def reduce_residuals(
    residuals: NDArray[np.float32],
    weights: NDArray[np.float32],
    training: NDArray[np.bool_],
    allowed: Allowed,
    most: int,
    seed: int,
) -> Basis:
    """Fewest principal components that leave no more than is allowed.

    The squared error of a blended vertex is at most sum_i a_i |e_i|^2 (Jensen), so set i weighs its member with a_i.

    Parameters
    ----------
    residuals : (T, M, 3) float32 array
        Overwritten.
    weights : (M,) array
        a_i of the members.
    training : (T,) bool array
        Rows that the mean and the components come from; the others are only projected.
    allowed : Allowed
    most : int
        Most components, whatever the error.
    """
    count = len(residuals)
    scale = np.repeat(np.sqrt(weights.astype(np.float64)), 3)
    scaled = residuals.reshape(count, -1)
    scaled *= scale.astype(np.float32)
    mean = scaled[training].mean(axis=0, dtype=np.float64)
    scaled -= mean.astype(np.float32)
    rng = np.random.default_rng([seed, 1])
    sample = scaled[np.sort(rng.permutation(np.flatnonzero(training))[:SAMPLED_ROWS])].astype(np.float64)
    components = np.zeros((scaled.shape[1], 0))
    if not allowed.allows(sample, weights):
        components = principal_components(scaled, training, most, rng)
        components = components[:, : fewest_components(sample, components, weights, allowed)]
    coefficients = scaled @ components.astype(np.float32)
    return Basis(components, mean, coefficients)


def principal_components(
    data: NDArray[np.float32], used: NDArray[np.bool_], most: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Leading principal directions of the used rows of centerd data (T, D), as orthonormal columns (D, r <= most).

    Randomised subspace iteration (Halko, Martinsson & Tropp 2011, algorithm 4.4), three passes.
    """
    wanted = min(most, int(used.sum()), data.shape[1])
    probes = min(wanted + OVERSAMPLING, int(used.sum()), data.shape[1])
    basis = rng.standard_normal((data.shape[1], probes)).astype(np.float32)
    for _ in range(3):
        left = data @ basis
        left[~used] = 0.0
        basis, _ = np.linalg.qr(data.T @ np.linalg.qr(left)[0])
    projected = (data @ basis)[used].astype(np.float64)
    _, _, right = np.linalg.svd(projected.T @ projected)
    orthonormal, triangle = np.linalg.qr(basis.astype(np.float64) @ right.T)
    return np.asarray((orthonormal * np.sign(np.diagonal(triangle)))[:, :wanted])


def fewest_components(
    sample: NDArray[np.float64], components: NDArray[np.float64], weights: NDArray[np.float32], allowed: Allowed
) -> int:
    """Smallest r for which the first r components leave no more than is allowed; all of them where none does.

    Found by bisection: every component that is added lowers what is left of every row.
    """
    coefficients = sample @ components
    lowest, highest = 0, components.shape[1]
    while lowest < highest:
        r = (lowest + highest) // 2
        left = sample - coefficients[:, :r] @ components[:, :r].T
        if allowed.allows(left, weights):
            highest = r
        else:
            lowest = r + 1
    return lowest
