"""Combinations of joints and controls: how far a whole pose is from the training poses.

A pose may turn every joint as the training poses do and still combine them as none of them does. Its columns, in units
of a smallest deviation, are therefore compared with the training poses all at once: by their principal components, and
by their residual. ``cpp/rigcast/rig/confidence.h`` has the formulas and the tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
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
DOUBTED = 5.0  # error, relative to the 99th percentile of the held-out errors, at which the confidence is 0.9


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
