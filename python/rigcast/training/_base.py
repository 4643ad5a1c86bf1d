"""The base of a learned face: ridge regression of every vertex on the features that move it.

Features are the pose columns x_c, products x_a x_b (a = b is allowed), and max(x_a, 0) of controls that have both
signs. As in the kernel of :mod:`rigcast._regression.ridge`, ridge regression expects less of products than of columns,
and of a column what one expects that is uniform in its range. In each round the candidates that lower the ridge
regression's error most, each for itself, are taken. How many, and the ridge, is decided on rows that took part in no
round, whole clips where there are some: the choice itself fits what it is made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.components import principal_components
from rigcast._regression.inputs import fit_inputs, signed_controls
from rigcast._regression.ridge import folds, spaced
from rigcast._rigs.base_shapes import BaseShapes, derived_columns
from rigcast.progress import Progress
from rigcast.training._budget import Budget

MOST_ROWS = 6000
ROWS_PER_MINUTE, LEAST_ROWS = 4000, 300  # with a budget of minutes: a small part of them
CHOICE_ROWS, COMPONENTS = 2000, 128  # that decide the features
CHOICE_ROWS_PER_MINUTE = 750
ROWS_AT_ONCE = 128
SMALLEST = 2e-6  # of the diagonal of the rest mesh: less, at the largest value of a feature, is left out

MOST_COLUMNS = 160  # whose products are candidates, those that explain most: they have 12,880
MOST_DERIVED = 384
LEAST_ADDED = 16  # in a round, and half as many as are there already
PRODUCT = 0.1  # of the square of a column's weight: what a product of columns of unit size may do
PATH_RIDGE = 1e-4  # of the rounds, relative to the mean square of the features
RIDGES = (1e-5, 1e-4, 1e-3, 1e-2)
TINY = 1e-300  # in place of 0, where nothing varies

Rows = NDArray[np.integer[Any]]
Float32 = NDArray[np.float32]
Offsets = Callable[[Rows], Float32]
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


def fit_base(
    ds: Any,
    rows: Rows,
    influence: NDArray[np.bool_],
    budget: Budget,
    *,
    offsets: Offsets | None = None,
) -> tuple[BaseShapes | None, dict[str, Any]]:
    """The base of some rows of a data set, and what metadata say of it; None if nothing varies or moves.

    A vertex is moved by features all of whose columns move it: where no control of a product moves it, the product
    does not.

    Parameters
    ----------
    rows : (T,) integers
        To learn from, ascending; evenly spaced ones of them if they are many or the minutes few.
    influence : (V, C) bool
        Columns that move each vertex.
    budget : Budget
    offsets : callable, optional
        Rows to offsets (t, V, 3); by default the vertices' from the rest.
    """
    minutes, threads, progress = budget.minutes, budget.threads, budget.progress
    rows = rows[spaced(len(rows), _most(MOST_ROWS, ROWS_PER_MINUTE, minutes))]
    looked_at = rows[spaced(len(rows), _most(CHOICE_ROWS, CHOICE_ROWS_PER_MINUTE, minutes))]
    rest = np.asarray(ds.rest_vertices)
    read = offsets or (lambda some: ds.take(some)[2] - rest)
    extent = float(np.linalg.norm(np.ptp(rest, axis=0)))
    progress(Progress("choosing the base", 0, 2))
    features = _features(ds, looked_at, read, extent, threads)
    if features is None or not influence.any():
        return None, {"base": "none: no control moves a vertex"}
    progress(Progress("fitting the base", 1, 2))
    base = _fitted(np.asarray(ds.poses), rows, influence, features, read, extent, threads)
    progress(Progress("fitting the base", 2, 2))
    unit = 1e3 * ds.meters_per_unit / np.sqrt(len(rest))
    about = {
        "rows": len(rows),
        "columns": len(features.columns),
        "products": int((base.second >= 0).sum()),
        "positive_parts": int((base.second < 0).sum()),
        "ridge": features.ridge,
        "left_out_rms_mm": unit * features.error,
        "columns_alone_left_out_rms_mm": unit * features.linear_error,
    }
    return base, {"base": about}


def _most(rows: int, per_minute: int, minutes: float | None) -> int:
    return rows if minutes is None else int(min(rows, max(LEAST_ROWS, per_minute * minutes)))


def _features(ds: Any, rows: Rows, read: Offsets, extent: float, threads: int) -> Features | None:
    seen = np.concatenate([read(some) for some in _blocks(rows)]).reshape(len(rows), -1)
    most = min(COMPONENTS, len(rows) - 1, seen.shape[1])
    if most < 1:
        return None
    found = principal_components(seen, most, threads)
    clip = getattr(ds, "clip", None)
    joints = 0 if ds.skeleton is None else ds.skeleton.num_joints
    known = None if clip is None else np.asarray(clip)[rows]
    return choose_features(np.asarray(ds.poses)[rows], found.coefficients, known, joints, extent, threads)


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
    signed = np.flatnonzero(np.isin(inputs.columns, signed_controls(poses, joints)))
    parts = folds(len(poses), clip)
    known, judged = _parted(len(poses), parts)
    candidates = _candidates(poses, targets, inputs.columns, signed, np.diagonal(inputs.project), threads)
    values = candidates.of(poses)
    count = len(inputs.columns)
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
    poses: Float32, targets: Array, columns: NDArray[np.int32], signed: NDArray[np.intp], size: Array, threads: int
) -> Features:
    """All columns, products of those that explain most, and positive parts of the columns in places ``signed``."""
    z = (poses[:, columns].astype(np.float64) - poses[:, columns].mean(axis=0)) * size
    explained = np.square(_ridge(z, targets - targets.mean(axis=0), PATH_RIDGE, threads)).sum(axis=1)
    order = np.argsort(-explained * np.square(z).mean(axis=0), kind="stable")
    strongest = np.sort(order[:MOST_COLUMNS])
    a, b = (strongest[corner] for corner in np.triu_indices(len(strongest)))
    twice = np.where(a == b, 1.0, np.sqrt(2.0))
    scale = [np.sqrt(2.0) * size, np.sqrt(PRODUCT) * twice * size[a] * size[b], np.sqrt(2.0) * size[signed]]
    first = np.concatenate([columns[a], columns[signed]])
    second = np.concatenate([columns[b], np.full(len(signed), -1, np.int32)])
    return Features(columns, first, second, np.concatenate(scale), PATH_RIDGE, np.nan, np.nan)


def _parted(count: int, parts: list[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to choose from, and those that judge: every third of the folds; all rows are both if there is one."""
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


def _fitted(
    poses: Float32,
    rows: Rows,
    influence: NDArray[np.bool_],
    features: Features,
    read: Offsets,
    extent: float,
    threads: int,
) -> BaseShapes:
    values = features.of(poses[rows])
    mean = values.mean(axis=0)
    values -= mean
    gram, _ = ridged_gram(values, features.ridge, threads)
    right = np.zeros((len(gram), 3 * len(influence)))
    center = np.zeros(3 * len(influence))
    for begin, some in zip(range(0, len(rows), ROWS_AT_ONCE), _blocks(rows), strict=True):
        block = read(some).reshape(len(some), -1)
        own = np.ascontiguousarray(values[begin : begin + len(some)].T.astype(np.float32))
        right += _core.matrix_product(own, np.ascontiguousarray(block, np.float32), threads=threads)
        center += block.sum(axis=0, dtype=np.float64)
    weights = _weights(gram, right.reshape(len(gram), -1, 3), features.movers(influence), threads)
    reach = np.abs(values).max(axis=0, initial=0.0)[:, None, None]
    weights[np.abs(weights) * reach < SMALLEST * extent] = 0.0
    constant = (center / len(rows)).reshape(-1, 3) - np.einsum("f,fva->va", mean, weights)
    constant[~influence.any(axis=1)] = 0.0
    return _shapes(weights * features.scale[:, None, None], constant, features, poses.shape[1])


def _weights(gram: NDArray[np.float64], right: NDArray[np.float64], movers: NDArray[np.bool_], threads: int) -> Any:
    """(F, V, 3): the ridge regression of each vertex on the features that move it, (V, F)."""
    weights = np.zeros(right.shape)
    masks, of = np.unique(np.packbits(movers, axis=1), axis=0, return_inverse=True)
    order = np.argsort(of.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(of.reshape(-1), minlength=len(masks)))
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        members = order[begin:end]
        own = np.flatnonzero(movers[members[0]])
        if not len(own):
            continue
        wanted = np.ascontiguousarray(right[np.ix_(own, members)].reshape(len(own), -1))
        found = _core.solve_positive_definite(np.ascontiguousarray(gram[np.ix_(own, own)]), wanted, threads=threads)
        weights[np.ix_(own, members)] = found.reshape(len(own), len(members), 3)
    return weights


def _shapes(
    weights: NDArray[np.float64], constant: NDArray[np.float64], features: Features, num_columns: int
) -> BaseShapes:
    """In all C columns, without products that move no vertex."""
    count = len(features.columns)
    used = np.flatnonzero(weights[count:].any(axis=(1, 2)))
    shapes = np.zeros((num_columns + len(used), *constant.shape), np.float32)
    shapes[features.columns] = weights[:count]
    shapes[num_columns:] = weights[count:][used]
    return BaseShapes(features.first[used], features.second[used], shapes, constant.astype(np.float32))


def _blocks(rows: Rows) -> Iterator[Rows]:
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[begin : begin + ROWS_AT_ONCE]
