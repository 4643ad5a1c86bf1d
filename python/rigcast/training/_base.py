"""The base of a learned face: ridge regression of every vertex on the features that move it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.components import principal_components
from rigcast._regression.ridge import spaced
from rigcast._rigs.base_shapes import BaseShapes
from rigcast.progress import Progress
from rigcast.training._base_features import Features, choose_features, ridged_gram
from rigcast.training._budget import Budget

MOST_ROWS = 6000
ROWS_PER_MINUTE, LEAST_ROWS = 4000, 300  # with a budget of minutes: a small part of them
CHOICE_ROWS, COMPONENTS = 2000, 128  # that decide the features
CHOICE_ROWS_PER_MINUTE = 750
ROWS_AT_ONCE = 128
SMALLEST = 2e-6  # of the diagonal of the rest mesh: less, at the largest value of a feature, is left out

Rows = NDArray[np.integer[Any]]
Float32 = NDArray[np.float32]
Offsets = Callable[[Rows], Float32]


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
