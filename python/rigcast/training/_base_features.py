"""The products of controls that explain a face: features chosen one after another, as many as other rows want.

Features are the pose columns x_c, products x_a x_b (a = b is allowed), and max(x_a, 0) of controls that have both
signs. As in the kernel of :mod:`rigcast._regression.ridge`, ridge regression expects less of products than of columns,
and of a column what one expects that is uniform in its range. In each round the candidates that lower the ridge
regression's error most, each for itself, are taken. How many, and the ridge, is decided on rows that took part in no
round, whole clips where there are some: the choice itself fits what it is made from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.inputs import fit_inputs, signed_controls
from rigcast._regression.ridge import folds
from rigcast._rigs.base_shapes import derived_columns

MOST_COLUMNS = 160  # whose products are candidates, those that explain most: they have 12,880
MOST_DERIVED = 384
LEAST_ADDED = 16  # in a round, and half as many as are there already
PRODUCT = 0.1  # of the square of a column's weight: what a product of columns of unit size may do
PATH_RIDGE = 1e-4  # of the rounds, relative to the mean square of the features
RIDGES = (1e-5, 1e-4, 1e-3, 1e-2)
TINY = 1e-300  # in place of 0, where nothing varies

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Features:
    """The features that a base is linear in.

    Attributes
    ----------
    columns : (M,) int32
        That vary.
    first, second : (P,) int32
        Products, or positive parts where ``second`` is -1.
    scale : (M + P,) float64
        By which features are multiplied for ridge regression.
    ridge : float
        Relative to the mean square of the scaled features.
    error, linear_error : float
        Root mean square of what is left on rows that were left out, and by the columns alone.
    """

    columns: NDArray[np.int32]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    scale: Array
    ridge: float
    error: float
    linear_error: float

    def of(self, poses: NDArray[np.float32]) -> Array:
        """(T, M + P) of poses (T, C), scaled."""
        x = poses.astype(np.float64)
        derived = derived_columns(x, self.first, self.second)
        return np.asarray(np.concatenate([x[:, self.columns], derived], axis=1) * self.scale)

    def movers(self, influence: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Features (G, M + P) that move vertices that columns (G, C) move: products, if both of their columns do."""
        second = np.where(self.second < 0, self.first, self.second)
        return np.concatenate([influence[:, self.columns], influence[:, self.first] & influence[:, second]], axis=1)


def choose_features(
    poses: NDArray[np.float32], targets: Array, clip: NDArray[np.int32] | None, joints: int, extent: float, threads: int
) -> Features | None:
    """Features of targets (T, K), such as principal components of offsets; None if no column of (T, C) varies.

    Parameters
    ----------
    clip : (T,) int32 or None
        The clip of each row, -1 for none.
    joints, extent : int, float
        As in :func:`rigcast._regression.inputs.fit_inputs`.
    """
    inputs = fit_inputs(poses, joints, extent, most=None)
    if inputs is None:
        return None
    size = np.diagonal(inputs.project)
    candidates = _candidates(poses, targets, inputs.columns, size, joints, threads)
    values = candidates.of(poses)
    count = len(inputs.columns)
    known, judged = _parted(len(poses), clip)
    tried = _path(values[known], targets[known], count, MOST_DERIVED, threads)
    errors = np.array([_left_out(values[:, some], targets, known, judged, threads) for some in tried])
    best = int(errors.min(axis=1).argmin())
    taken = _path(values, targets, count, len(tried[best]) - count, threads)[-1]
    derived = np.sort(taken[count:]) - count
    kept = np.concatenate([np.arange(count), count + derived])
    return Features(
        inputs.columns,
        candidates.first[derived],
        candidates.second[derived],
        candidates.scale[kept],
        RIDGES[int(errors[best].argmin())],
        float(errors[best].min()),
        float(errors[0].min()),
    )


def _candidates(
    poses: NDArray[np.float32], targets: Array, columns: NDArray[np.int32], size: Array, joints: int, threads: int
) -> Features:
    """All columns, and products and positive parts of those that explain most."""
    z = (poses[:, columns].astype(np.float64) - poses[:, columns].mean(axis=0)) * size
    explained = np.square(_ridge(z, targets - targets.mean(axis=0), PATH_RIDGE, threads)).sum(axis=1)
    order = np.argsort(-explained * np.square(z).mean(axis=0), kind="stable")
    strongest = np.sort(order[:MOST_COLUMNS])
    a, b = (strongest[corner] for corner in np.triu_indices(len(strongest)))
    signed = np.flatnonzero(np.isin(columns, signed_controls(poses, joints)))
    twice = np.where(a == b, 1.0, np.sqrt(2.0))
    scale = [np.sqrt(2.0) * size, np.sqrt(PRODUCT) * twice * size[a] * size[b], np.sqrt(2.0) * size[signed]]
    first = np.concatenate([columns[a], columns[signed]])
    second = np.concatenate([columns[b], np.full(len(signed), -1, np.int32)])
    return Features(columns, first, second, np.concatenate(scale), PATH_RIDGE, np.nan, np.nan)


def _parted(count: int, clip: NDArray[np.int32] | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to choose from, and those that judge: every third of the folds; all rows are both if there is one."""
    parts = folds(count, clip)
    judged = [part for number, part in enumerate(parts) if number % 3 == 1]
    known = [part for number, part in enumerate(parts) if number % 3 != 1]
    if not judged:
        return np.arange(count), np.arange(count)
    return np.sort(np.concatenate(known)), np.sort(np.concatenate(judged))


def _path(values: Array, targets: Array, columns: int, most: int, threads: int) -> list[NDArray[np.intp]]:
    """The features taken before each round: all columns first."""
    values, targets = values - values.mean(axis=0), targets - targets.mean(axis=0)
    square, most = np.square(values).sum(axis=0), min(most, values.shape[1] - columns)
    taken = [np.arange(columns)]
    while (count := len(taken[-1]) - columns) < most:
        some = values[:, taken[-1]]
        ridged, amount = ridged_gram(some, PATH_RIDGE, threads)
        both = np.concatenate([targets, values], axis=1)
        cross = _core.matrix_product(np.ascontiguousarray(some.T), both, threads=threads)
        found = _core.solve_positive_definite(ridged, cross, threads=threads)
        split = targets.shape[1]
        left = targets - _core.matrix_product(some, np.ascontiguousarray(found[:, :split]), threads=threads)
        free = square - (cross[:, split:] * found[:, split:]).sum(axis=0) + amount
        gain = np.square(_core.matrix_product(np.ascontiguousarray(values.T), left, threads=threads)).sum(axis=1) / free
        gain[taken[-1]] = -1.0
        added = np.argsort(-gain, kind="stable")[: min(max(LEAST_ADDED, count // 2), most - count)]
        taken.append(np.concatenate([taken[-1], added]))
    return taken


def ridged_gram(values: Array, ridge: float, threads: int) -> tuple[Array, float]:
    """The Gram matrix with a ridge relative to the mean square of the features, and the ridge itself."""
    gram = _core.matrix_product(np.ascontiguousarray(values.T), values, threads=threads)
    amount = max(ridge * float(np.trace(gram)) / len(values), TINY)
    gram.flat[:: len(gram) + 1] += amount
    return gram, amount


def _ridge(values: Array, targets: Array, ridge: float, threads: int) -> Array:
    gram, _ = ridged_gram(values, ridge, threads)
    right = _core.matrix_product(np.ascontiguousarray(values.T), targets, threads=threads)
    return np.asarray(_core.solve_positive_definite(gram, right, threads=threads))


def _left_out(
    values: Array, targets: Array, known: NDArray[np.intp], judged: NDArray[np.intp], threads: int
) -> list[float]:
    """The root mean square error of each ridge on the judged rows, learned from the known ones."""
    middle, center = values[known].mean(axis=0), targets[known].mean(axis=0)
    learned, away = values[known] - middle, values[judged] - middle
    found = []
    for ridge in RIDGES:
        weights = _ridge(learned, targets[known] - center, ridge, threads)
        error = _core.matrix_product(away, weights, threads=threads) + center - targets[judged]
        found.append(float(np.sqrt(np.square(error).sum() / len(judged))))
    return found
