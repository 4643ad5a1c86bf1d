"""Columns that vary, and joints that six numbers describe."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast._pose_statistics.columns import (
    LINEAR,
    TRANSLATION,
    TWO_COLUMNS,
    input_columns,
    rigid_joints,
    spread_of,
    varying_columns,
    without_equal,
)
from tests.support.made.models import random_transforms


def rotating_poses(frames=50, joints=3, seed=0):
    rng = np.random.default_rng(seed)
    poses = random_transforms(frames * joints, rng).reshape(frames, joints, 3, 4)
    poses[..., 3] = rng.standard_normal((joints, 3))
    return poses


def as_rows(poses):
    return poses.reshape(len(poses), -1)


def test_two_columns_of_a_rigid_joint_determine_the_third(tolerance):
    poses = as_rows(rotating_poses(joints=1))
    first, second = poses[:, TWO_COLUMNS[:3]], poses[:, TWO_COLUMNS[3:]]
    np.testing.assert_allclose(np.cross(first, second), poses[:, [2, 6, 10]], atol=tolerance["float32_scaled"])


def test_joints_that_scale_shear_or_flip_are_not_compact():
    poses = rotating_poses(joints=5)
    poses[:, 1, :, :3] *= np.linspace(1.0, 1.01, len(poses))[:, None, None]  # scales
    poses[:, 2, :, :3] *= np.float32(3.0)  # scaled, but always alike
    poses[:, 3, :, 2] += 0.1 * poses[:, 3, :, 0] * np.arange(len(poses))[:, None] / len(poses)  # shears
    poses[::2, 4, :, 2] *= -1.0  # flips
    np.testing.assert_array_equal(rigid_joints(as_rows(poses), 5), [True, False, True, False, False])


def test_varying_columns_see_motion_and_not_rounding():
    poses = np.tile(rotating_poses(joints=2)[:1], (40, 1, 1, 1))
    rng = np.random.default_rng(0)
    poses += 1e-6 * rng.standard_normal(poses.shape)
    poses[:, 1, 0, 3] += np.linspace(0, 0.1, 40)
    controls = np.stack([np.full(40, 0.5), np.linspace(0, 1, 40)], axis=1)
    rows = np.concatenate([as_rows(poses), controls], axis=1).astype(np.float32)
    np.testing.assert_array_equal(np.flatnonzero(varying_columns(rows, 2, 2.0)), [12 + 3, 25])


def test_input_columns_of_joints_and_controls():
    varying = np.ones(38, bool)
    varying[12 + TRANSLATION] = False
    columns = input_columns(varying, np.array([1, 2]), np.array([True, True, False]), np.array([1]))
    expected = [*(12 + TWO_COLUMNS), *(24 + LINEAR), *(24 + TRANSLATION), 37]
    np.testing.assert_array_equal(columns, expected)


@pytest.mark.parametrize(("poses", "kept"), [(40, [0, 1, 4]), (31, [0, 1, 2, 3, 4])])
def test_equal_columns_are_one(poses, kept):
    angle = np.linspace(-1.0, 2.0, poses)
    hinge = np.stack([np.cos(angle), np.sin(angle), -np.sin(angle), 3.0 * np.cos(angle) - 1.0, angle], axis=1)
    assert without_equal(hinge.astype(np.float32), np.arange(5)).tolist() == kept


def test_a_rarely_turned_dial_counts_as_one_that_is_turned_evenly():
    """Divided by its deviation of .03 it would stand for 32 deviations in the only pose that turns it."""
    columns = np.zeros((1000, 2))
    columns[7, 0] = 1.0
    assert spread_of(columns).tolist() == [0.3, 1.0]
