"""Combinations of joints and controls: how far a whole pose is from the training poses, and the error expected there.

A pose may turn every joint as the training poses do and still combine them as none of them does. Its columns, in units
of a smallest deviation, are therefore compared with the training poses all at once: by their principal components, and
by what these leave. ``cpp/rigcast/rig/confidence.h`` has the formulas and the tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import TRANSLATION

Tensors = dict[str, NDArray[Any]]
Array = NDArray[np.float64]

SMALLEST = 0.1  # deviation of a rotation entry that counts as one: about six degrees, five times that of a single joint
SMALLEST_LENGTH = 0.025  # the same for translations, relative to the extent of the mesh
SMALLEST_CONTROL = 0.1  # the same for a numeric control, relative to its range
COMPONENTS = 64
ENTRIES = 200_000  # of the basis at most: 0.8 MB, and the time of a pose
ROWS = 2000  # that components are made of at most
FAINT = 1e-4  # variance, in smallest deviations, of a component that is left out
LEAST_OTHERS = 0.1  # share of a pose's direction that the others decide at least
INSIDE = 0.99  # share of the known poses within the radius, before the margin
MARGIN = 1.05
RIDGE = 0.3  # relative to the variance of a feature
CALIBRATION_RIDGE = 0.05  # the same for the held-out poses, which are few
FARTHEST = 3.0  # deviations, as in confidence.h
NEAREST = 1e-3  # distance, as there
STEEPEST = 3.0  # slopes of the calibration
KEPT = 0.9  # share of the held-out poses that err less than expected of them
DOUBTED = 5.0  # error, relative to the 99th percentile of the held-out errors, at which the confidence is 0.9
LEAST_ERROR = 1e-3  # of the 99th percentile: smaller errors count as that much


def combination_tensors(
    poses: NDArray[np.float32],
    columns: NDArray[np.intp],
    num_joints: int,
    extent: float,
    rest: NDArray[np.float32] | None = None,
) -> Tensors:
    """The tensors ``confidence.space.*`` of a model file; none without columns.

    Parameters
    ----------
    poses : (T, C) float32 array
        Training rows.
    columns : array of n int
        Those that vary and matter to the mesh.
    extent : float
        Length of the diagonal of the rest mesh.
    rest : (C,) array, optional
        A pose that the radius includes.
    """
    if not len(columns):
        return {}
    data = poses[:, columns].astype(np.float64)
    joint = np.full(12, SMALLEST)
    joint[TRANSLATION] = SMALLEST_LENGTH * extent
    control = columns >= 12 * num_joints
    spread = np.ptp(data, axis=0)
    smallest = np.where(control, np.where(spread > 0.0, SMALLEST_CONTROL * spread, SMALLEST), joint[columns % 12])
    mean = data.mean(axis=0)
    variance, basis = _components((data - mean) / smallest)
    tensors = {
        "confidence.space.column": columns.astype(np.int32),
        "confidence.space.mean": mean.astype(np.float32),
        "confidence.space.scale": (1.0 / smallest).astype(np.float32),
        "confidence.space.basis": basis.astype(np.float32),
        "confidence.space.deviation": np.sqrt(variance).astype(np.float32),
    }
    far = [1.0, float(np.quantile(_left_out(squared_distances(tensors, poses)), INSIDE))]
    far += [] if rest is None else squared_distances(tensors, rest[None]).tolist()
    radius = MARGIN * np.sqrt(max(far))
    return tensors | {"confidence.space.radius": np.array([radius], np.float32)}


def _left_out(squared: Array) -> Array:
    """d^2 (T,) of poses from the T - 1 others, in closed form: few poses lie closer to a mean and axes of their own."""
    return np.asarray(squared / np.maximum(1.0 - squared / len(squared), LEAST_OTHERS))


def _components(data: Array) -> tuple[Array, Array]:
    """Variances (K,) and directions (n, K) of the principal components of rows (T, n), the largest first."""
    some = data[:: -(-len(data) // ROWS)]
    if len(some) >= some.shape[1]:
        values, vectors = np.linalg.eigh(some.T @ some / len(some))
    else:
        values, left = np.linalg.eigh(some @ some.T / len(some))
        vectors = some.T @ left / np.sqrt(len(some) * np.maximum(values, FAINT))
    most = min(COMPONENTS, max(1, ENTRIES // data.shape[1]), int((values > FAINT).sum()))
    order = np.argsort(-values, kind="stable")[:most]
    return values[order], vectors[:, order]


@dataclass(frozen=True)
class Judged:
    """Poses (T, C), and the errors (T, V) of a model's vertices there."""

    poses: NDArray[np.float32]
    errors: NDArray[np.float32]

    def logarithms(self, level: float) -> Array:
        """Of the errors of each pose (T,): the geometric mean of their mean and the largest, relative to ``level``."""
        mean, largest = self.errors.mean(axis=1), self.errors.max(axis=1)
        return 0.5 * (_logarithm(mean, level) + _logarithm(largest, level))


def coordinates(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> tuple[Array, Array]:
    """Poses in smallest deviations z (T, n), and their components (T, K)."""
    column, mean, scale = (tensors[f"confidence.space.{name}"] for name in ("column", "mean", "scale"))
    z = (poses[:, column].astype(np.float64) - mean) * scale
    return z, z @ tensors["confidence.space.basis"].astype(np.float64)


def squared_distances(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> Array:
    """d^2 (T,) of ``cpp/rigcast/rig/confidence.h``."""
    z, y = coordinates(tensors, poses)
    variance = tensors["confidence.space.deviation"].astype(np.float64) ** 2
    return np.asarray(np.maximum((z * z).sum(axis=1) - (y * y) @ (variance / (variance + 1.0)), 0.0))


def expected_error(
    tensors: Mapping[str, NDArray[Any]], learned: Judged, unseen: Judged, rest: NDArray[np.float32] | None
) -> Tensors:
    """The tensors ``confidence.error.*``: the largest vertex error of a pose that 90 % of the held-out poses keep.

    Ridge regression of the logarithm of the training poses' errors on their components and the squares of these; then
    of the largest errors of the held-out poses, which the model has not fitted, on what it gives and on the distance.

    Parameters
    ----------
    tensors : dict
        With ``confidence.space.*``.
    learned, unseen : Judged
        Training rows, held-out rows.
    rest : (C,) array or None
        A pose at which the model is known to be right.
    """
    level = float(np.quantile(unseen.errors, INSIDE))
    if "confidence.space.radius" not in tensors or level <= 0.0:
        return {}
    features, target = _features(tensors, learned.poses), learned.logarithms(level)
    center, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    features = (features - center) / spread
    gram = features.T @ features + RIDGE * len(features) * np.eye(len(spread))
    weights = np.linalg.solve(gram, features.T @ (target - target.mean())) / spread
    found = _logarithm(unseen.errors.max(axis=1), level)
    judged = np.stack([_features(tensors, unseen.poses) @ weights, _distance(tensors, unseen.poses)], axis=1)
    slopes = _slopes(judged - judged.mean(axis=0), found - found.mean())
    linear, square = np.split((slopes[0] * weights).astype(np.float32), 2)
    offset = float(np.quantile(found - judged @ slopes, KEPT))
    result = {
        "confidence.error.linear": linear,
        "confidence.error.square": square,
        "confidence.error.distance": np.array([slopes[1]], np.float32),
        "confidence.error.offset": np.array([offset, found.min(), found.max()], np.float32),
    }
    return result if rest is None else result | {"confidence.error.rest": _deviations(tensors, rest[None])[0]}


def _slopes(judged: Array, found: Array) -> Array:
    """Slopes (2,), none below 0, by ridge regression of errors (T,) on what is to explain them (T, 2), all centered."""
    gram = judged.T @ judged
    gram += CALIBRATION_RIDGE * np.diag(np.diag(gram)) + 1e-12 * np.eye(2)
    slopes = np.linalg.solve(gram, judged.T @ found)
    if (slopes < 0.0).any():  # the other one alone
        alone = (judged.T @ found) / np.diag(gram)
        slopes = np.where(slopes < 0.0, 0.0, np.maximum(alone, 0.0))
    return np.asarray(np.minimum(slopes, STEEPEST))


def _distance(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> Array:
    """The logarithm (T,) of the distance, relative to the radius."""
    radius = float(tensors["confidence.space.radius"][0])
    return np.asarray(np.log(np.maximum(np.sqrt(squared_distances(tensors, poses)) / radius, NEAREST)))


def _deviations(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> NDArray[np.float32]:
    """Components (T, K), each in its deviations."""
    y = coordinates(tensors, poses)[1] / tensors["confidence.space.deviation"].astype(np.float64)
    return np.asarray(np.clip(y, -FARTHEST, FARTHEST), np.float32)


def _features(tensors: Mapping[str, NDArray[Any]], poses: NDArray[np.float32]) -> Array:
    """Components (T, K) in deviations, and their squares."""
    q = _deviations(tensors, poses).astype(np.float64)
    return np.concatenate([q, q * q], axis=1)


def _logarithm(errors: NDArray[np.float32], level: float) -> Array:
    return np.asarray(np.log(np.maximum(errors.astype(np.float64) / level, LEAST_ERROR)))
