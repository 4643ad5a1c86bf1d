"""Controls as inputs of a regression: constant columns left out, scaled, and as few as are worth it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import LINEAR, TRANSLATION, varying_columns

MOST_INPUTS = 160  # of quadratic features: 160 have 13,040, and faces have as many controls; chosen, not tuned
SIGNED = 0.01  # of its range: what a control that has both signs goes beyond 0 at least
UNIFORM = 12.0  # the square of a range over the variance of what is uniform in it


@dataclass(frozen=True)
class Inputs:
    """Inputs ``z = P (x_S - m)`` of a pose x: columns S, their means m, and a projection P that scales them.

    A column counts by its deviation over the poses, but at least by that of a column which is uniform in the range that
    it covers: ridge regression expects the same effect of every input of unit size, and a control that is turned in one
    of a thousand poses has no reason to do thirty times as much as one that is always turned. Joints count by their
    matrices: the nine linear entries of a joint are divided by one number, the root mean square of theirs, and so are
    its translations. The mean of ``|z|^2`` over the poses is at most 1.

    Attributes
    ----------
    columns : (M,) int32
    mean : (M,) float64
    project : (D, M) float64
        D = M, unless there are more than ``most`` columns: then the leading principal components of the scaled columns.
    """

    columns: NDArray[np.int32]
    mean: NDArray[np.float64]
    project: NDArray[np.float64]

    def __call__(self, poses: NDArray[np.float32]) -> NDArray[np.float64]:
        """Inputs (T, D) of poses (T, C)."""
        from rigcast import _core

        centered = poses[:, self.columns].astype(np.float64) - self.mean
        return _core.matrix_product(centered, np.ascontiguousarray(self.project.T))


def fit_inputs(
    poses: NDArray[np.float32],
    num_joints: int,
    extent: float,
    most: int | None = MOST_INPUTS,
    among: NDArray[np.integer[Any]] | None = None,
) -> Inputs | None:
    """Inputs that describe poses (T, C); None if no column varies.

    Parameters
    ----------
    poses : (T, C) float32
    num_joints : int
        12 columns each; the others are numeric controls.
    extent : float
        Diagonal of the rest mesh: translations that change by less than 1e-5 of it are rounding.
    most : int, optional
        Inputs at most; None for one per column.
    among : (N,) integers, optional
        The only columns to use.
    """
    columns = np.flatnonzero(varying_columns(poses, num_joints, extent))
    if among is not None:
        columns = np.intersect1d(columns, among)
    if len(columns) == 0:
        return None
    values = poses[:, columns].astype(np.float64)
    mean = values.mean(axis=0)
    values -= mean
    values /= (scale := _scales(values, columns, num_joints))
    project = np.eye(len(columns))
    if most is not None and len(columns) > most:
        _, vectors = np.linalg.eigh(values.T @ values)
        project = vectors[:, ::-1][:, :most].T
    project = project / (scale * np.sqrt(np.square(values).sum(axis=1).mean()))
    return Inputs(columns.astype(np.int32), mean, project)


def signed_controls(poses: NDArray[np.floating[Any]], num_joints: int) -> NDArray[np.intp]:
    """Numeric controls of poses (T, C) that go both below and above 0, by a hundredth of their range at least."""
    low, high = poses.min(axis=0), poses.max(axis=0)
    least = SIGNED * (high - low)
    signed = (low < -least) & (high > least)
    signed[: 12 * num_joints] = False
    return np.flatnonzero(signed)


def with_positive_parts(poses: NDArray[np.float32], columns: NDArray[np.intp]) -> NDArray[np.float32]:
    """Poses (T, C + n) with max(x, 0) of some columns as further numeric controls."""
    return np.concatenate([poses, np.maximum(poses[:, columns], 0.0)], axis=1)


def _scales(centered: NDArray[np.float64], columns: NDArray[np.intp], num_joints: int) -> NDArray[np.float64]:
    """The divisor of each column (M,)."""
    squares = np.maximum(np.square(centered).mean(axis=0), np.square(np.ptp(centered, axis=0)) / UNIFORM)
    scales = np.sqrt(squares)
    is_matrix = columns < 12 * num_joints
    for entries in (LINEAR, TRANSLATION):
        chosen = is_matrix & np.isin(columns % 12, entries)
        for joint in np.unique(columns[chosen] // 12):
            own = chosen & (columns // 12 == joint)
            scales[own] = np.sqrt(squares[own].mean())
    return np.asarray(scales)
