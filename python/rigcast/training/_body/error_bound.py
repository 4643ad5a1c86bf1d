"""The bound on a model's error at each vertex: a regression of its logarithm, calibrated on held-out poses.

For each vertex set, the logarithms of the errors e of its M vertices are regressed on the set's inputs: linear and
quadratic terms, and hidden values with random weights (Rahimi and Recht 2008), by ridge regression in closed form. The
fit is reduced to few components. It decides how the bound varies over poses; its level is decided vertex by vertex by
split conformal prediction (Papadopoulos et al. 2002): ``scale_v`` is the ceil(0.95 (n + 1))-th smallest of e_v / fit_v
over n held-out poses, so that a new pose of the same sampler is bounded with a probability of 95 to 95 + 100 / (n + 1)
percent, whatever the fit is worth. ``cpp/rigcast/rig/stated/error_bound.h`` has the formula and the tensors.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._pose_statistics.expected_error import Judged, expected_error
from rigcast.training._export import Tensors, rest_pose

COVERAGE = 0.95
LEAST_ROWS = 25  # held out: of fewer, no quantile of 95 % is left when a fifth of them is set aside
HIDDEN, COMPONENTS = 128, 12
RIDGE = 0.1  # relative to the variance of a feature
FAINT = 0.05  # of a vertex's median error: smaller errors count as that much
RESTING = 1e-4  # of the mean error: vertices whose median is below it have a constant bound
FARTHEST = 4.0  # deviations, as in error_bound.h
SPREAD = 1.5  # deviation of the random weights' products
CLAMP = 0.01  # share of the fitted values that each end of the clamp cuts
LARGEST = 40_000_000  # errors that the regression sees at most

Array = NDArray[np.float64]
BEYOND = 0.25  # of a channel's range: how far outside it lies in the poses that the flag must find
STILL = 1e-6  # of a column's largest value: deviations below are rounding
LEAST = 1e-4  # of a pose's entries: smaller changes are rounding


def add_error_bound(
    tensors: Tensors,
    metadata: dict[str, Any],
    ds: Any,
    training: NDArray[np.integer[Any]],
    held_out: NDArray[np.integer[Any]],
    seed: int,
) -> tuple[Tensors, dict[str, Any]]:
    """Tensors and metadata of a model with its bound and the error that its confidence expects.

    The bound needs ``LEAST_ROWS`` held-out rows; without them, or with too few for the expected error, less is added.

    Parameters
    ----------
    tensors, metadata : dict
        Of a body: see :func:`rigcast.training._export.set_tensors`.
    ds : Dataset
    training, held_out : arrays of int
        Rows that the regression and the calibration are made of.
    seed : int
        Of the random weights, and of the rows that the regression sees.
    """
    if not len(held_out):
        return tensors, metadata
    model = _core.model_from_tensors(tensors, json.dumps(metadata))
    most = max(LEAST_ROWS, LARGEST // len(ds.rest_vertices))
    if len(training) > most:
        training = np.sort(np.random.default_rng([seed, 5]).permutation(training)[:most])
    poses = np.asarray(ds.poses)
    learned = Judged(poses[training], row_errors(model, ds, training))
    unseen = Judged(poses[held_out], row_errors(model, ds, held_out))
    rest = rest_pose(ds)
    expected = expected_error(tensors, learned, unseen, None if model.out_of_range(rest)[0] else rest)
    stated: dict[str, Any] = {"confidence": expected.summary} if expected.summary else {}
    shape: Tensors = {}
    if len(held_out) >= LEAST_ROWS:
        shape, summary = _bound(tensors, metadata, learned, unseen, seed)
        rates = flag_rates(model, unseen.poses, np.asarray(ds.channels)[held_out], ds, seed)
        stated |= {"bound": summary | rates}
    return tensors | shape | expected.tensors, metadata | stated


def _bound(
    tensors: Tensors, metadata: dict[str, Any], learned: Judged, unseen: Judged, seed: int
) -> tuple[Tensors, dict[str, Any]]:
    """The tensors ``bound.*``, and the coverage and width of the bound."""
    groups = groups_of(tensors, learned.errors)
    rng = np.random.default_rng([seed, 6])
    fits = [fit(learned.poses, learned.errors, group, rng) for group in groups]
    shape = bound_tensors(groups, fits, learned.errors.shape[1])
    shaped = _core.model_from_tensors(tensors | shape, json.dumps(metadata)).error_bound(unseen.poses)
    shape["bound.vertex.scale"] = conformal(unseen.errors / shaped).astype(np.float32)
    return shape, cross_validated(unseen.errors, shaped)


def row_errors(model: Deformer, ds: Any, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """Distances (T, V) of a model's vertices from those of some rows."""
    result = np.empty((len(rows), len(ds.rest_vertices)), np.float32)
    for begin in range(0, len(rows), 32):
        _, poses, truth = ds.take(rows[begin : begin + 32])
        result[begin : begin + 32] = np.linalg.norm(model.evaluate(poses) - truth, axis=2)
    return result


@dataclass(frozen=True)
class BoundGroup:
    """Vertices that share a regression: those of a set that no other set holds more of; and the set's columns."""

    vertices: NDArray[np.intp]
    columns: NDArray[np.int32]


def groups_of(tensors: Tensors, errors: NDArray[np.float32]) -> list[BoundGroup]:
    """The groups of a body's tensors, without sets that read nothing, nor vertices that hardly err."""
    offset, vertex, weight = (tensors[f"sets.{name}"] for name in ("offset", "vertex", "weight"))
    owner, largest = np.zeros(errors.shape[1], np.intp), np.zeros(errors.shape[1], np.float32)
    for i in range(len(offset) - 1):
        part = slice(int(offset[i]), int(offset[i + 1]))
        mine = weight[part] > largest[vertex[part]]
        owner[vertex[part][mine]], largest[vertex[part][mine]] = i, weight[part][mine]
    errs = np.median(errors, axis=0) > RESTING * max(float(errors.mean(dtype=np.float64)), 1e-30)
    begin, column = tensors["inputs.offset"], tensors["inputs.column"]
    found = [
        BoundGroup(np.flatnonzero((owner == i) & errs), column[int(begin[i]) : int(begin[i + 1])])
        for i in range(len(offset) - 1)
    ]
    return [group for group in found if len(group.vertices) and len(group.columns)]


@dataclass(frozen=True)
class BoundFit:
    """The regression of a group of M vertices on n columns: K components of H hidden values."""

    mean: Array  # (n,)
    inverse: Array  # (n,)
    hidden: Array  # (n, H)
    hidden_bias: Array  # (H,)
    weights: Array  # (2 n + H, K): of z, of their squares, of the hidden values
    bias: Array  # (K,)
    loading: Array  # (M, K)
    offset: Array  # (M,)
    limits: Array  # (M, 2)


def fit(
    poses: NDArray[np.float32], errors: NDArray[np.float32], group: BoundGroup, rng: np.random.Generator
) -> BoundFit:
    """Ridge regression of log(e / median + FAINT) of the group's vertices."""
    x = poses[:, group.columns].astype(np.float64)
    least = STILL * np.maximum(np.abs(x).max(axis=0), np.finfo(np.float32).tiny)  # of a column: its rounding
    mean, inverse = x.mean(axis=0), 1.0 / np.maximum(x.std(axis=0), least)
    hidden = rng.standard_normal((x.shape[1], HIDDEN)) * (SPREAD / np.sqrt(x.shape[1]))
    hidden_bias = rng.standard_normal(HIDDEN)
    features = features_of(x, mean, inverse, hidden, hidden_bias)
    center, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    features = (features - center) / spread
    mine = errors[:, group.vertices].astype(np.float64)
    target = np.log(mine / np.median(mine, axis=0) + FAINT)
    level = target.mean(axis=0)
    gram = features.T @ features + RIDGE * len(x) * np.eye(features.shape[1])
    factor = np.linalg.cholesky(gram)
    solved = np.linalg.solve(factor, features.T @ (target - level))  # L^T times the coefficients
    left, values, right = np.linalg.svd(solved, full_matrices=False)
    kept = min(COMPONENTS, len(values))
    weights = np.linalg.solve(factor.T, left[:, :kept] * values[:kept]) / spread[:, None]
    loading = right[:kept].T
    fitted = features @ (weights * spread[:, None]) @ loading.T + level
    limits = np.quantile(fitted, [CLAMP, 1.0 - CLAMP], axis=0).T
    return BoundFit(mean, inverse, hidden, hidden_bias, weights, -center @ weights, loading, level, limits)


def features_of(x: Array, mean: Array, inverse: Array, hidden: Array, bias: Array) -> Array:
    """Features (T, 2 n + H) of columns (T, n): z, z^2 and tanh(z H + h)."""
    z = np.clip((x - mean) * inverse, -FARTHEST, FARTHEST)
    return np.concatenate([z, z * z, np.tanh(z @ hidden + bias)], axis=1)


def bound_tensors(groups: list[BoundGroup], fits: list[BoundFit], num_vertices: int) -> Tensors:
    """The tensors ``bound.*`` with a scale of 1 everywhere."""
    result = {f"bound.vertex.{name}": np.zeros(num_vertices, np.float32) for name in ("offset", "lowest", "highest")}
    result["bound.vertex.scale"] = np.ones(num_vertices, np.float32)
    owner, loading = np.full(num_vertices, -1, np.int32), np.zeros((num_vertices, COMPONENTS), np.float32)
    for g, (group, found) in enumerate(zip(groups, fits, strict=True)):
        owner[group.vertices] = g
        loading[group.vertices, : found.loading.shape[1]] = found.loading
        result["bound.vertex.offset"][group.vertices] = found.offset
        result["bound.vertex.lowest"][group.vertices] = found.limits[:, 0]
        result["bound.vertex.highest"][group.vertices] = found.limits[:, 1]

    def stacked(parts: list[Array], *shape: int) -> NDArray[np.float32]:
        """Parts one after another, filled with zeros to all components."""
        padded = [np.pad(p, [(0, 0)] * (p.ndim - 1) + [(0, shape[-1] - p.shape[-1])]) for p in parts]
        return np.asarray(np.concatenate([np.zeros((0, *shape)), *padded]), np.float32)

    sizes = [len(group.columns) for group in groups]
    return {
        **result,
        "bound.vertex.group": owner,
        "bound.vertex.loading": loading,
        "bound.offset": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        "bound.column": np.concatenate([np.zeros(0, np.int32), *(group.columns for group in groups)]),
        "bound.mean": np.concatenate([np.zeros(0), *(f.mean for f in fits)]).astype(np.float32),
        "bound.inverse": np.concatenate([np.zeros(0), *(f.inverse for f in fits)]).astype(np.float32),
        "bound.hidden.weight": stacked([f.hidden for f in fits], HIDDEN),
        "bound.hidden.bias": stacked([f.hidden_bias[None] for f in fits], HIDDEN),
        "bound.linear.weight": stacked([f.weights[: len(f.mean)] for f in fits], COMPONENTS),
        "bound.square.weight": stacked([f.weights[len(f.mean) : 2 * len(f.mean)] for f in fits], COMPONENTS),
        "bound.output.weight": stacked([f.weights[None, 2 * len(f.mean) :] for f in fits], HIDDEN, COMPONENTS),
        "bound.output.bias": stacked([f.bias[None] for f in fits], COMPONENTS),
    }


def conformal(ratios: NDArray[np.float32]) -> NDArray[np.float32]:
    """The ceil(0.95 (n + 1))-th smallest of n ratios (n, V) of each vertex: (V,)."""
    rank = int(np.ceil(COVERAGE * (len(ratios) + 1))) - 1
    return np.asarray(np.partition(ratios, rank, axis=0)[rank])


def cross_validated(errors: NDArray[np.float32], shaped: NDArray[np.float32], folds: int = 5) -> dict[str, Any]:
    """Coverage and mean width, each fifth of the held-out rows judged by the other four, compared with constants.

    Parameters
    ----------
    errors, shaped : (n, V) arrays
        And the bounds before calibration.
    """
    fold = np.arange(len(errors)) % folds
    inside, widths = np.zeros((2, folds)), np.zeros((2, folds))
    for k in range(folds):
        seen, judged = fold != k, fold == k
        scale, constant = conformal(errors[seen] / shaped[seen]), conformal(errors[seen])
        for method, bound in enumerate((scale * shaped[judged], np.broadcast_to(constant, errors[judged].shape))):
            inside[method, k] = (errors[judged] <= bound).mean(dtype=np.float64) * judged.sum()
            widths[method, k] = bound.mean(dtype=np.float64) * judged.sum()
    coverage, width = inside.sum(axis=1) / len(errors), widths.sum(axis=1) / len(errors)
    return {
        "level": COVERAGE,
        "poses": len(errors),
        "coverage": float(coverage[0]),
        "mean_width": float(width[0]),
        "constant_coverage": float(coverage[1]),
        "constant_mean_width": float(width[1]),
    }


def flag_rates(
    model: Deformer, poses: NDArray[np.float32], channels: NDArray[np.float32], ds: Any, seed: int
) -> dict[str, Any]:
    """False alarms on held-out poses, and misses on poses with one channel a quarter of its range outside it.

    Parameters
    ----------
    model : Deformer
    poses, channels : (T, C), (T, N) arrays
        Held-out rows.
    ds : Dataset
    seed : int
        Of the channels that are moved, and of the end beyond which each is.

    Returns
    -------
    dict
        ``false_alarm`` and ``miss``; the latter is of poses that move something that the model reads, and None where
        plain kinematics does not make poses of channels.
    """
    false_alarm = float(model.out_of_range(poses).mean())
    outside = beyond_range(channels, np.asarray(ds.channel_ranges), np.random.default_rng([seed, 7]))
    try:
        moved = model.poses_from_channels(outside)
    except ValueError:  # a driven joint: the rig alone knows the pose
        return {"false_alarm": false_alarm, "miss": None}
    read = model.tensors()["confidence.column"]  # without a single root, which takes the whole character along exactly
    matters = np.any(np.abs(moved[:, read] - poses[:, read]) > LEAST, axis=1)
    miss = 1.0 - float(model.out_of_range(moved[matters]).mean()) if matters.any() else None
    return {"false_alarm": false_alarm, "miss": miss}


def beyond_range(
    channels: NDArray[np.float32], ranges: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Rows (T, N) in each of which one channel that has a range lies ``BEYOND`` of it outside."""
    wide = np.flatnonzero(np.ptp(ranges, axis=1) > 0.0)
    result = np.array(channels)
    chosen = wide[rng.integers(len(wide), size=len(channels))]
    low, high = ranges[chosen].T
    above = rng.random(len(channels)) < 0.5
    result[np.arange(len(channels)), chosen] = np.where(
        above, high + BEYOND * (high - low), low - BEYOND * (high - low)
    )
    return result
