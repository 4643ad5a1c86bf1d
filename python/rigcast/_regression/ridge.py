"""Ridge regression in dual form: predictions are combinations of the training rows.

With inputs z of mean square at most 1 the kernel is ``2 a.b + p (a.b)^2``: linear for p = 0; else quadratic, squares
and products of all inputs in addition to the inputs, which count by the square root of p. It is centered, so that the
mean of the targets is free. The ridge is relative to the mean of the kernel's diagonal. Ridge and p are chosen by
cross-validation inside the training rows: whole clips are left out where there are some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

Features = Literal["linear", "quadratic"]
Array = NDArray[np.float64]

RIDGES = 10.0 ** np.arange(-8.0, 4.0)  # relative: from nearly interpolating to nearly constant
PRODUCTS: dict[str, tuple[float, ...]] = {"linear": (0.0,), "quadratic": (0.03, 0.1, 0.3, 1.0, 3.0)}
FOLDS = 4  # consecutive rows, so that neighboring frames of a clip are not on both sides
MOST_CLIP_FOLDS = 8
MOST_CHOICE_ROWS = 1000  # rows, evenly spaced, on which the ridge is chosen: a cubic cost


@dataclass(frozen=True)
class Choice:
    """A ridge, the weight p of products, and their root mean square error on rows left out."""

    ridge: float
    products: float
    error: float


def kernel(a: Array, b: Array, products: float, threads: int = 0) -> Array:
    """Kernel values (N, T) of inputs a (N, D) and b (T, D)."""
    return of_products(_core.matrix_product(a, np.ascontiguousarray(b.T), threads=threads), products)


def of_products(inner: Array, products: float) -> Array:
    """Kernel values of inner products a.b."""
    return np.asarray(inner * (2.0 + products * inner))


def choose_ridge(
    z: Array,
    targets: Array,
    features: Features,
    clip: NDArray[np.int32] | None = None,
    threads: int = 0,
    most: int = MOST_CHOICE_ROWS,
) -> Choice:
    """The ridge, and for quadratic features the weight of products, of least squared error on rows left out.

    Judged motion is of clips that were not learned from: where the rows are of two clips or more, the rows of a clip
    are left out together. Else it is quarters of consecutive rows.

    Parameters
    ----------
    z : (T, D)
        T at least 2. Of more than ``most`` rows, so many evenly spaced ones are used.
    targets : (T, R)
    clip : (T,) integers, optional
        The clip of each row, -1 for none.
    """
    rows = spaced(len(z), most)
    z, targets = z[rows], targets[rows]
    inner = _core.matrix_product(z, np.ascontiguousarray(z.T), threads=threads)
    parts = folds(len(z), None if clip is None else clip[rows])
    tried = [
        (products, left_out(of_products(inner, products), targets, parts, threads)) for products in PRODUCTS[features]
    ]
    products, errors = min(tried, key=lambda entry: float(entry[1].min()))
    return Choice(float(RIDGES[int(errors.argmin())]), products, float(errors.min()))


def left_out(whole: Array, targets: Array, parts: list[NDArray[np.intp]], threads: int) -> Array:
    """Root mean square error of each ridge on rows that are left out in turn."""
    squares = np.zeros(len(RIDGES))
    for held_out in parts:
        kept = np.setdiff1d(np.arange(len(whole)), held_out)
        fit = Centering(whole[np.ix_(kept, kept)])
        mean = targets[kept].mean(axis=0)
        cross = fit.cross(whole[np.ix_(held_out, kept)])
        for i, ridge in enumerate(RIDGES):
            weights = fit.solve(targets[kept] - mean, ridge, threads)
            error = _core.matrix_product(cross, weights, threads=threads) + mean - targets[held_out]
            squares[i] += np.square(error).sum()
    return np.asarray(np.sqrt(squares / targets.size))


def folds(count: int, clip: NDArray[np.int32] | None = None) -> list[NDArray[np.intp]]:
    """Rows that are left out together: those of a clip, of at most eight clips; else quarters of consecutive rows.

    Of more clips, neighbors share a fold. Rows of no clip are cut into quarters, apart from the clips.
    """
    label = np.full(count, -1, np.int32) if clip is None else clip
    names, loose = np.unique(label[label >= 0]), np.flatnonzero(label < 0)
    if len(names) + (len(loose) > 0) < 2:
        return np.array_split(np.arange(count), min(FOLDS, count))
    found = [np.flatnonzero(np.isin(label, some)) for some in np.array_split(names, min(MOST_CLIP_FOLDS, len(names)))]
    return found + [part for part in np.array_split(loose, FOLDS) if len(part)]


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


def combinations(train: Array, test: Array, choice: Choice, threads: int = 0) -> Array:
    """The weights by which predictions at ``test`` (N, D) combine the T training targets: (N, T), rows of sum 1."""
    fit = Centering(kernel(train, train, choice.products, threads))
    cross = fit.cross(kernel(test, train, choice.products, threads))
    weights = fit.solve(np.ascontiguousarray(cross.T), choice.ridge, threads).T
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


def fit_weights(z: Array, targets: Array, choice: Choice, threads: int = 0) -> FeatureWeights:
    """Ridge regression from inputs (T, D) to targets (T, R); quadratic if products have a weight."""
    fit = Centering(kernel(z, z, choice.products, threads))
    mean = targets.mean(axis=0)
    dual = fit.solve(targets - mean, choice.ridge, threads)
    dual -= dual.mean(axis=0)  # zero up to rounding
    bias = mean - fit.columns @ dual
    linear = 2.0 * _core.matrix_product(dual.T, z, threads=threads)
    if choice.products == 0.0:
        return FeatureWeights(linear, bias)
    first, second = np.triu_indices(z.shape[1])
    pairs = np.zeros((targets.shape[1], len(first)))
    for begin in range(0, len(z), 256):
        part = z[begin : begin + 256]
        pairs += _core.matrix_product(dual[begin : begin + 256].T, part[:, first] * part[:, second], threads=threads)
    pairs *= np.where(first == second, choice.products, 2.0 * choice.products)
    return FeatureWeights(np.concatenate([linear, pairs], axis=1), bias)


def spaced(count: int, most: int) -> NDArray[np.intp]:
    """At most ``most`` of ``count`` indices, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))
