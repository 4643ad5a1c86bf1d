"""Residuals in bone space against slow NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.errors import InputWarning
from rigcast.training._body.frames import BoneSpace
from tests.rig.slow import slow_globals
from tests.support.made.models import chain_skeleton, random_poses


@pytest.fixture
def sampled():
    skeleton = chain_skeleton(5, seed=4)
    rng = np.random.default_rng(0)
    poses = random_poses(skeleton, 70, seed=1, stretch=0.3)
    rest = rng.standard_normal((9, 3)).astype(np.float32)
    return skeleton, poses, rest, rng.standard_normal((70, 9, 3)).astype(np.float32)


def test_residuals_match_the_formula(sampled, tolerance):
    skeleton, poses, rest, vertices = sampled
    space = BoneSpace(skeleton, poses, vertices, rest, np.array([3, 1]))
    members = np.array([0, 4, 8])
    found = space.residuals(3, members)
    rest_frame = np.linalg.inv(slow_globals(skeleton, skeleton.rest.reshape(-1))[3])
    for t, pose in enumerate(poses):
        frame = np.linalg.inv(slow_globals(skeleton, pose)[3])
        for m, k in enumerate(members):
            expected = (frame @ [*vertices[t, k], 1.0] - rest_frame @ [*rest[k], 1.0])[:3]
            scale = 1.0 + np.abs(frame).max() * np.abs(slow_globals(skeleton, pose)[3]).max()
            np.testing.assert_allclose(found[t, m] / scale, expected / scale, atol=tolerance["float32_sum"])


def test_one_pass_finds_what_single_passes_find(sampled, monkeypatch):
    skeleton, poses, rest, vertices = sampled
    space = BoneSpace(skeleton, poses, vertices, rest, np.array([3, 1]))
    parts = [(3, np.array([0, 4, 8])), (1, np.arange(9)), (3, np.array([2]))]
    single = [space.residuals(*part) for part in parts]
    for together in (0, 12 * 70 * 12, 1 << 28):
        monkeypatch.setattr("rigcast.training._body.frames.TOGETHER", together)
        for found, expected in zip(space.residuals_of(parts), single, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("zeroed", [slice(8, 11), slice(0, 11)])
def test_a_joint_that_collapses_in_a_few_poses_is_told(sampled, zeroed):
    skeleton, poses, rest, vertices = sampled
    flat = poses.copy()
    flat[41, 36:48][zeroed] = 0.0
    with pytest.warns(InputWarning, match="some poses collapse joint3: no model of joints follows the skin there"):
        space = BoneSpace(skeleton, flat, vertices, rest, np.array([3]))
    found = space.residuals(3, np.arange(9))
    size = np.linalg.norm(vertices, axis=2).max()
    assert np.abs(found[41]).max() < 100 * size
    others = np.arange(len(poses)) != 41
    exact = BoneSpace(skeleton, poses, vertices, rest, np.array([3])).residuals(3, np.arange(9))
    np.testing.assert_array_equal(found[others], exact[others])


def test_a_joint_that_is_mostly_flat_is_named_with_its_row(sampled):
    skeleton, poses, rest, vertices = sampled
    flat = poses.copy()
    flat[41:, 12 * 3 + 8 : 12 * 3 + 11] = 0.0
    with pytest.raises(ValueError, match=r"body: data\.poses is of zero volume at joint 'joint3' in row 41"):
        BoneSpace(skeleton, flat, vertices, rest, np.array([3]))


def test_small_joints_are_not_flat(sampled):
    skeleton, poses, rest, vertices = sampled
    small = poses.copy()
    small[:, 12 * 3 : 12 * 4] *= np.float32(1e-4)
    assert np.isfinite(BoneSpace(skeleton, small, vertices, rest, np.array([3])).residuals(3, np.arange(9))).all()
