"""The distribution of the training poses for a model's confidence: joint by joint, and of all joints together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import TRANSLATION, varying_columns
from rigcast._pose_statistics.combinations import Tensors, combination_tensors

MARGIN = 1.05  # the radius of a group, relative to the farthest training pose
SMALLEST = 0.02  # deviation of a rotation entry that counts as one even where training saw less: about a degree
SMALLEST_LENGTH = 0.005  # the same for translations, relative to the extent of the mesh
SMALLEST_CONTROL = 0.02  # the same for a numeric control, relative to its range


@dataclass(frozen=True)
class ColumnGroup:
    """Columns x of a pose with mean, whitening matrix W (rows, columns) and radius: d = |W (x - mean)|."""

    columns: NDArray[np.int32]
    mean: NDArray[np.float64]
    whiten: NDArray[np.float64]
    radius: float


def confidence_of(
    poses: NDArray[np.float32],
    num_joints: int,
    ignored: NDArray[np.bool_],
    extent: float,
    *,
    carried: NDArray[np.bool_] | None = None,
    rest: NDArray[np.float32] | None = None,
) -> Tensors:
    """The tensors ``confidence.*`` of a model file, without those of an expected error.

    Parameters
    ----------
    poses, num_joints, ignored, extent
        See :func:`confidence_groups`.
    carried : (C,) bool array, optional
        Columns that no combination counts; default ``ignored``.
    rest : (C,) array, optional
        The rest pose, if the model is known to be right there: it counts as a training pose, and has confidence 1.
    """
    known = poses if rest is None else np.concatenate([poses, rest[None]])
    varying = varying_columns(known, num_joints, extent)
    columns = np.flatnonzero(varying & ~(ignored if carried is None else carried))
    groups = confidence_groups(known, num_joints, ignored, extent)
    return confidence_tensors(groups) | combination_tensors(poses, columns, num_joints, extent, rest)


def confidence_groups(
    poses: NDArray[np.float32], num_joints: int, ignored: NDArray[np.bool_], extent: float
) -> list[ColumnGroup]:
    """One group per joint and one per numeric control.

    Parameters
    ----------
    poses : (T, C) float32 array
        Training rows.
    ignored : (C,) bool array
        Columns without influence on the mesh in its joints' frames (a root): a joint of such columns has no group.
    extent : float
        Length of the diagonal of the rest mesh.
    """
    floor = np.full(12, SMALLEST)
    floor[TRANSLATION] = SMALLEST_LENGTH * extent
    spans = [(12 * j, 12 * j + 12, floor) for j in range(num_joints)]
    for column in range(12 * num_joints, poses.shape[1]):
        spread = float(np.ptp(poses[:, column]))
        spans.append((column, column + 1, np.array([SMALLEST_CONTROL * spread if spread > 0 else SMALLEST])))
    return [
        _group(poses[:, begin:end].astype(np.float64), np.arange(begin, end, dtype=np.int32), smallest)
        for begin, end, smallest in spans
        if not ignored[begin:end].all()
    ]


def _group(data: NDArray[np.float64], columns: NDArray[np.int32], smallest: NDArray[np.float64]) -> ColumnGroup:
    """Whitening by covariance plus the squares of the smallest deviations: leaving the subspace counts."""
    mean = data.mean(axis=0)
    centerd = (data - mean) / smallest
    values, vectors = np.linalg.eigh(centerd.T @ centerd / len(data) + np.eye(len(columns)))
    whiten = (vectors / np.sqrt(values)).T / smallest
    farthest = float(np.linalg.norm((data - mean) @ whiten.T, axis=1).max())
    return ColumnGroup(columns, mean, whiten, MARGIN * max(farthest, 1.0))


def confidence_tensors(groups: list[ColumnGroup]) -> Tensors:
    """The tensors of groups in a model file."""

    def offsets(sizes: list[int]) -> NDArray[np.int32]:
        return np.asarray(np.concatenate([[0], np.cumsum(sizes)]), np.int32)

    def joined(parts: list[NDArray[np.float64]]) -> NDArray[np.float32]:
        return np.asarray(np.concatenate([np.zeros(0), *(part.ravel() for part in parts)]), np.float32)

    return {
        "confidence.offset": offsets([len(group.columns) for group in groups]),
        "confidence.column": np.concatenate([np.zeros(0, np.int32), *(group.columns for group in groups)]),
        "confidence.mean": joined([group.mean for group in groups]),
        "confidence.whiten.offset": offsets([group.whiten.size for group in groups]),
        "confidence.whiten": joined([group.whiten for group in groups]),
        "confidence.radius": np.array([group.radius for group in groups], np.float32),
    }
