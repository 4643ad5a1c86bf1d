"""Ridge regression in dual form: predictions are combinations of the training rows.

With inputs z of mean square at most 1 the kernels are ``a.b`` (linear) and ``(1 + a.b)^2 - 1`` (quadratic: squares and
products of all inputs beside the inputs). Both are centered, so that the mean of the targets is free. The ridge is
relative to the mean of the kernel's diagonal, and chosen by cross-validation inside the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigwright import _core

Features = Literal["linear", "quadratic"]
Array = NDArray[np.float64]

RIDGES = 10.0 ** np.arange(-9.0, 1.0)  # relative: from nearly interpolating to nearly constant
FOLDS = 4  # consecutive rows, so that neighboring frames of a clip are not on both sides
MOST_CHOICE_ROWS = 1000  # rows, evenly spaced, on which the ridge is chosen: a cubic cost


@dataclass(frozen=True)
class Choice:
    """A ridge, and the root mean square error of each ridge tried on rows left out."""

    ridge: float
    errors: dict[float, float]


def kernel(a: Array, b: Array, features: Features, threads: int = 0) -> Array:
    """Kernel values (N, T) of inputs a (N, D) and b (T, D)."""
    product = _core.matrix_product(a, np.ascontiguousarray(b.T), threads=threads)
    return np.asarray(product if features == "linear" else product * (product + 2.0))


def choose_ridge(z: Array, targets: Array, features: Features, threads: int = 0) -> Choice:
    """The ridge of least squared error on rows left out, in turn a quarter of consecutive rows.

    Parameters
    ----------
    z : (T, D)
        T at least 2. Of more than 1,000 rows, 1,000 evenly spaced are used.
    targets : (T, R)
    """
    rows = spaced(len(z), MOST_CHOICE_ROWS)
    z, targets = z[rows], targets[rows]
    whole = kernel(z, z, features, threads)
    squares = np.zeros(len(RIDGES))
    for held_out in np.array_split(np.arange(len(z)), min(FOLDS, len(z))):
        kept = np.setdiff1d(np.arange(len(z)), held_out)
        fit = Centering(whole[np.ix_(kept, kept)])
        mean = targets[kept].mean(axis=0)
        cross = fit.cross(whole[np.ix_(held_out, kept)])
        for i, ridge in enumerate(RIDGES):
            weights = fit.solve(targets[kept] - mean, ridge, threads)
            error = _core.matrix_product(cross, weights, threads=threads) + mean - targets[held_out]
            squares[i] += np.square(error).sum()
    errors = np.sqrt(squares / targets.size)
    best = float(RIDGES[int(np.argmin(errors))])
    return Choice(best, {float(r): float(e) for r, e in zip(RIDGES, errors, strict=True)})


class Centering:
    """A kernel matrix (T, T) of training rows, centered as if the features had mean zero."""

    def __init__(self, matrix: Array) -> None:
        self.columns = matrix.mean(axis=0)
        self.mean = float(self.columns.mean())
        self.matrix = matrix - self.columns - self.columns[:, None] + self.mean
        self.scale = float(np.trace(self.matrix)) / len(matrix)

    def cross(self, kernel_rows: Array) -> Array:
        """The centered kernel (N, T) of new rows with the training rows."""
        return np.asarray(kernel_rows - kernel_rows.mean(axis=1)[:, None] - self.columns + self.mean)

    def solve(self, right: Array, ridge: float, threads: int = 0) -> Array:
        """``(K + ridge * scale * I)^-1 right``, (T, R)."""
        ridged = self.matrix.copy()
        ridged.flat[:: len(ridged) + 1] += ridge * (self.scale if self.scale > 0.0 else 1.0)
        return _core.solve_positive_definite(ridged, right, threads=threads)


def combinations(train: Array, test: Array, features: Features, ridge: float, threads: int = 0) -> Array:
    """How the predictions at ``test`` (N, D) are made of the T training targets: (N, T), rows of sum 1."""
    fit = Centering(kernel(train, train, features, threads))
    cross = fit.cross(kernel(test, train, features, threads))
    weights = fit.solve(np.ascontiguousarray(cross.T), ridge, threads).T
    return np.asarray(weights - weights.mean(axis=1)[:, None] + 1.0 / len(train))


@dataclass(frozen=True)
class FeatureWeights:
    """A fitted regression as a map from features: ``weight f(z) + bias``.

    Attributes
    ----------
    weight : (R, F) float64
        Linear: F = D. Quadratic: the inputs, then the products z_i z_j, i <= j, row by row.
    bias : (R,) float64
    """

    weight: Array
    bias: Array


def fit_weights(z: Array, targets: Array, features: Features, ridge: float, threads: int = 0) -> FeatureWeights:
    """Ridge regression from inputs (T, D) to targets (T, R)."""
    matrix = kernel(z, z, features, threads)
    fit = Centering(matrix)
    mean = targets.mean(axis=0)
    dual = fit.solve(targets - mean, ridge, threads)
    dual -= dual.mean(axis=0)  # zero up to rounding
    bias = mean - fit.columns @ dual
    if features == "linear":
        return FeatureWeights(_core.matrix_product(dual.T, z, threads=threads), bias)
    linear = 2.0 * _core.matrix_product(dual.T, z, threads=threads)
    first, second = np.triu_indices(z.shape[1])
    pairs = np.zeros((targets.shape[1], len(first)))
    for begin in range(0, len(z), 256):
        part = z[begin : begin + 256]
        pairs += _core.matrix_product(dual[begin : begin + 256].T, part[:, first] * part[:, second], threads=threads)
    pairs *= np.where(first == second, 1.0, 2.0)
    return FeatureWeights(np.concatenate([linear, pairs], axis=1), bias)


def spaced(count: int, most: int) -> NDArray[np.intp]:
    """At most ``most`` of ``count`` indices, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))
