"""Columns of a pose: which ones vary over the data, and which numbers describe a joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROTATION_NOISE = 1e-4  # a rotation entry that varies by less is constant: hosts compose transforms in float32
LENGTH_NOISE = 1e-5  # the same for translations, relative to the extent of the mesh
TRANSLATION = np.array([3, 7, 11])
LINEAR = np.array([0, 1, 2, 4, 5, 6, 8, 9, 10])
TWO_COLUMNS = np.array([0, 4, 8, 1, 5, 9])  # m00 m10 m20 m01 m11 m21
LEAST_SPREAD = 0.3  # of a column's range
FEW = 32  # poses
EQUAL = 1e-6  # one minus the correlation of columns that say the same


def noise(width: int, num_joints: int, extent: float) -> NDArray[np.float64]:
    """Per pose column the change that counts as rounding, (C,)."""
    joint = np.full(12, ROTATION_NOISE)
    joint[TRANSLATION] = LENGTH_NOISE * extent
    controls = np.full(width - 12 * num_joints, 1e-6)
    return np.concatenate([np.tile(joint, num_joints), controls])


def varying_columns(poses: NDArray[np.float32], num_joints: int, extent: float) -> NDArray[np.bool_]:
    """Columns that are not constant over the poses (T, C), beyond rounding: (C,) bool."""
    spread = np.ptp(poses, axis=0).astype(np.float64)
    return np.asarray(spread > noise(poses.shape[1], num_joints, extent))


def moving_joints(poses: NDArray[np.float32], num_joints: int, extent: float) -> NDArray[np.bool_]:
    """Joints whose parent-relative transform is not constant over the poses: (J,) bool."""
    varying = varying_columns(poses, num_joints, extent)
    return np.asarray(varying[: 12 * num_joints].reshape(num_joints, 12).any(axis=1))


def rigid_joints(poses: NDArray[np.float32], num_joints: int) -> NDArray[np.bool_]:
    """Joints that neither scale nor shear over the poses: (J,) bool.

    X^T X and the sign of det X are then constant, so two columns of X determine the third.
    """
    linear = poses[:, : 12 * num_joints].reshape(len(poses), num_joints, 3, 4)[..., :3].astype(np.float64)
    gram = np.einsum("tjab,tjac->tjbc", linear, linear)
    size = np.einsum("tjaa->tj", gram).max(axis=0) / 3.0
    steady = np.ptp(gram, axis=0).max(axis=(1, 2)) <= 4.0 * ROTATION_NOISE * size
    side = np.sign(np.linalg.det(linear))
    return np.asarray(steady & (np.ptp(side, axis=0) == 0))


def input_columns(
    varying: NDArray[np.bool_], joints: NDArray[np.intp], compact: NDArray[np.bool_], controls: NDArray[np.intp]
) -> NDArray[np.int32]:
    """Pose columns that describe some joints and numeric controls.

    Parameters
    ----------
    varying : (C,) bool array
        Constant columns are left out: whatever they contribute to a network is a part of its bias.
    joints : array of int
        Joints to describe.
    compact : (J,) bool array
        Joints that two columns of the rotation describe.
    controls : array of int
        Indices of numeric controls.
    """
    chosen: list[NDArray[np.intp]] = []
    for joint in joints:
        linear = TWO_COLUMNS if compact[joint] else LINEAR
        chosen.append(12 * joint + np.concatenate([linear, TRANSLATION]))
    chosen.append(12 * len(compact) + np.asarray(controls, np.intp))
    columns = np.concatenate(chosen)
    return np.asarray(columns[varying[columns]], np.int32)


def spread_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """The deviation (N,) of each of some columns (T, N), by which networks divide it; 1 for a constant one.

    It counts as at least three tenths of the column's range, about that of an even spread: a dial that is turned in one
    pose of a thousand would stand for dozens of deviations there, and networks would follow it alone.
    """
    deviation = np.maximum(columns.std(axis=0), LEAST_SPREAD * np.ptp(columns, axis=0))
    return np.where(deviation > 0.0, deviation, 1.0)


def without_equal(poses: NDArray[np.float32], columns: NDArray[np.int32]) -> NDArray[np.int32]:
    """The columns that are not a multiple of an earlier one of them, plus a constant, over the poses (T, C).

    A hinge, for example, has its cosine twice and its sine with both signs. A network reads neither twice. Over a few
    poses, columns are equal by chance, and all are kept.
    """
    if len(poses) < FEW:
        return columns
    data = poses[:, columns].astype(np.float64)
    data -= data.mean(axis=0)
    length = np.linalg.norm(data, axis=0)
    data /= np.where(length > 0.0, length, 1.0)
    equal = np.abs(data.T @ data) > 1.0 - EQUAL
    return np.asarray(columns[~np.triu(equal, 1).any(axis=0)])
