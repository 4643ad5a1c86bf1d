"""The error that is expected of a pose inside the training poses, and how well it ranks poses that were held out.

The logarithms of a pose's mean and largest vertex error are regressed on the pose's columns and their squares, by ridge
regression of training and held-out rows at once: training rows are many, and held-out rows alone show how the error
grows with the distance from the training poses. Five-fold cross-validation over the held-out rows decides the level,
and how far the result can be trusted. ``cpp/rigcast/rig/confidence.h`` has the formula and the tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.combinations import INSIDE, coordinates, squared_distances

Tensors = dict[str, NDArray[Any]]
Array = NDArray[np.float64]

LEAST_ROWS = 10  # held out: two in each fold
ROWS = 2000  # training rows at most: more cost time and gain nothing
UNSEEN = 0.3  # share of the held-out rows in the regression, however few: from 0.1 to 0.5 little changes
RIDGE = 0.1  # relative to the variance of a feature; from 0.03 to 0.3 little changes
FOLDS = 5
FARTHEST = 3.0  # deviations of a column or component, as in confidence.h
NEAREST = 1e-3  # distance, as there
STILL = 1e-4  # deviation of a column, in smallest deviations, that is taken at least
KEPT = 0.9  # share of the held-out poses that err less than expected of them
LEAST_ERROR = 1e-3  # of the 99th percentile: smaller errors count as that much
RELIABLE = 0.6  # rank correlation with held-out errors from which on the confidence is said to rank poses


@dataclass(frozen=True)
class Judged:
    """Poses (T, C), and the errors (T, V) of a model's vertices there."""

    poses: NDArray[np.float32]
    errors: NDArray[np.float32]

    def logarithms(self, level: float) -> Array:
        """Of the mean and the largest error of each pose (T, 2), relative to ``level``."""
        both = np.stack([self.errors.mean(axis=1, dtype=np.float64), self.errors.max(axis=1)], axis=1)
        return np.asarray(np.log(np.maximum(both / level, LEAST_ERROR)))


@dataclass(frozen=True)
class Expected:
    """The expected error as a model file states it.

    Attributes
    ----------
    tensors : dict
        ``confidence.error.*``; empty if there is nothing to learn from.
    summary : dict
        The metadata entry ``confidence``: the cross-validated rank correlation of the expected error with the
        ``mean`` and the ``max``imum of the vertices' errors over the ``poses`` that were held out; empty like tensors.
    """

    tensors: Tensors
    summary: dict[str, Any]


def reliability(metadata: Mapping[str, Any]) -> list[str]:
    """One line on how well a model's confidence ranks held-out poses by their errors; none if it states nothing."""
    ranks = metadata.get("confidence")
    if ranks is None:
        return []
    found = f"ranks held-out errors by {ranks['mean']:.2f} (mean of a pose) and {ranks['max']:.2f} (largest), of 1"
    doubt = "" if min(ranks["mean"], ranks["max"]) >= RELIABLE else ": do not rely on it"
    return [f"confidence: {found}, on {ranks['poses']} poses, cross-validated{doubt}"]


def expected_error(
    tensors: Mapping[str, NDArray[Any]], learned: Judged, unseen: Judged, rest: NDArray[np.float32] | None
) -> Expected:
    """The largest vertex error of a pose that 90 % of the held-out poses keep.

    Parameters
    ----------
    tensors : dict
        With ``confidence.space.*``.
    learned, unseen : Judged
        Training rows, held-out rows.
    rest : (C,) array or None
        A pose at which the model is known to be right.
    """
    level = float(np.quantile(unseen.errors, INSIDE)) if len(unseen.poses) >= LEAST_ROWS else 0.0
    if "confidence.space.radius" not in tensors or level <= 0.0:
        return Expected({}, {})
    some = slice(None, None, -(-len(learned.poses) // ROWS))
    learned = Judged(learned.poses[some], learned.errors[some])
    deviation = np.maximum(coordinates(tensors, learned.poses)[0].std(axis=0), STILL).astype(np.float32)
    rows = [_Rows(_features(tensors, deviation, part.poses), part.logarithms(level)) for part in (learned, unseen)]
    spread = np.append(np.maximum(rows[0].features[:, :-1].std(axis=0), 1e-9), max(rows[1].features[:, -1].std(), 1e-9))
    rows = [_Rows(part.features / spread, part.targets) for part in rows]
    found, judged = rows[1].targets, _cross_validated(*rows)
    weights, bias = _fit(*rows)
    linear, square = np.split((weights[:-1] / spread[:-1]).astype(np.float32), 2)
    result = {
        "confidence.error.deviation": deviation,
        "confidence.error.linear": linear,
        "confidence.error.square": square,
        "confidence.error.distance": np.array([weights[-1] / spread[-1]], np.float32),
        "confidence.error.offset": np.array([bias + np.quantile(found[:, 1] - judged, KEPT)], np.float32),
    }
    if rest is not None:
        result["confidence.error.rest"] = _components(tensors, rest[None])[0]
    ranks = [_rank_correlation(judged, errors) for errors in found.T]
    return Expected(result, {"mean": ranks[0], "max": ranks[1], "poses": len(found)})


@dataclass(frozen=True)
class _Rows:
    """Features (T, 2 n + 1), the last of which is the distance, and logarithms (T, 2) of errors."""

    features: Array
    targets: Array


def _features(tensors: Mapping[str, NDArray[Any]], deviation: NDArray[np.float32], poses: NDArray[np.float32]) -> Array:
    """Columns in their deviations, their squares, and the logarithm of the distance: (T, 2 n + 1)."""
    u = np.clip(coordinates(tensors, poses)[0] / deviation, -FARTHEST, FARTHEST)
    radius = float(tensors["confidence.space.radius"][0])
    distance = np.log(np.maximum(np.sqrt(squared_distances(tensors, poses)) / radius, NEAREST))
    return np.concatenate([u, u * u, distance[:, None]], axis=1)


def _components(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> NDArray[np.float32]:
    """Components (T, K), each in its deviations."""
    y = coordinates(tensors, poses)[1] / tensors["confidence.space.deviation"].astype(np.float64)
    return np.asarray(np.clip(y, -FARTHEST, FARTHEST), np.float32)


def _fit(learned: _Rows, unseen: _Rows) -> tuple[Array, float]:
    """Weights (2 n + 1,) and bias of the logarithm of the largest error, in held-out rows.

    Mean and largest error are fitted alike, and weigh as much: the weights are the mean of both, each relative to the
    deviation of its logarithm. Training rows and held-out rows have means of their own, and the distance, whose slope
    is never below 0, explains the latter alone.
    """
    features, targets = unseen.features.mean(axis=0), unseen.targets.mean(axis=0)
    seen = np.where(np.arange(len(features)) < len(features) - 1, learned.features - learned.features.mean(axis=0), 0.0)
    share = np.sqrt([(1.0 - UNSEEN) / len(seen), UNSEEN / len(unseen.features)])
    x = np.concatenate([share[0] * seen, share[1] * (unseen.features - features)])
    y = np.concatenate(
        [share[0] * (learned.targets - learned.targets.mean(axis=0)), share[1] * (unseen.targets - targets)]
    )
    weights = _ridge(x, y)
    if (weights[-1] < 0.0).any():
        near = np.append(_ridge(x[:, :-1], y), np.zeros((1, 2)), axis=0)
        weights = np.where(weights[-1] < 0.0, near, weights)
    deviation = np.maximum(unseen.targets.std(axis=0), 1e-9)
    combined = weights @ (deviation[1] / deviation) / 2.0
    return combined, float(targets[1] - features @ combined)


def _ridge(x: Array, y: Array) -> Array:
    """Weights (P, 2) of features (T, P), by the smaller of the two systems."""
    if len(x) < x.shape[1]:
        return np.asarray(x.T @ np.linalg.solve(x @ x.T + RIDGE * np.eye(len(x)), y))
    return np.asarray(np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y))


def _cross_validated(learned: _Rows, unseen: _Rows) -> Array:
    """The logarithm (T,) expected of each held-out row by a fit without its fold."""
    fold = np.arange(len(unseen.features)) % FOLDS
    result = np.empty(len(fold))
    for k in range(FOLDS):
        weights, bias = _fit(learned, _Rows(unseen.features[fold != k], unseen.targets[fold != k]))
        result[fold == k] = unseen.features[fold == k] @ weights + bias
    return result


def _rank_correlation(a: Array, b: Array) -> float:
    """Spearman's, without ties; 0 of constants."""
    ranks = np.stack([np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (a, b)])
    return 0.0 if np.ptp(a) == 0.0 or np.ptp(b) == 0.0 else float(np.asarray(np.corrcoef(ranks))[0, 1])
