"""Twist of a wrist on helper bones: shares of the angle, without a flip at half a turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from tests.ik.limb_skeletons import angles_between

NAMES = ["forearm", "near", "far", "wrist", "hand"]
BONE = np.array([0.6, -0.3, 0.2])
WAY = BONE / np.linalg.norm(BONE)


def arm() -> rc.Skeleton:
    """A bone off all axes; helpers and wrist have any roll, the wrist a scale."""
    turns = Rotation.random(5, random_state=0).as_matrix()
    turns[3] *= 1.3
    points = np.array([[1, 2, 3], 0.3 * BONE, 0.7 * BONE, BONE, [0.1, 0, 0]])
    return rc.Skeleton(NAMES, [-1, 0, 0, 0, 3], np.concatenate([turns, points[:, :, None]], axis=2))


def twisted(skeleton: rc.Skeleton, degrees: np.ndarray, swing: float = 0.0) -> np.ndarray:
    """Poses whose wrist twists about the bone, then swings by an angle across it."""
    poses = np.tile(skeleton.rest.astype(np.float64), (len(degrees), 1, 1, 1))
    across = np.cross(WAY, [0, 0, 1])
    across /= np.linalg.norm(across)
    turn = Rotation.from_rotvec(np.radians(swing) * across) * Rotation.from_rotvec(np.radians(degrees)[:, None] * WAY)
    poses[:, 3, :, :3] = turn.as_matrix() @ poses[:, 3, :, :3]
    return poses.reshape(len(degrees), -1).astype(np.float32)


SKELETON = arm()
RAMP = np.linspace(-150, 800, 400)


@pytest.mark.parametrize("swing", [0.0, 70.0, 170.0])
def test_the_twist_is_followed_beyond_half_a_turn(swing, tolerance):
    made = rc.ik.spread_twist(SKELETON, twisted(SKELETON, RAMP, swing), "wrist", helpers={"near": 0.3})
    # The twist of a joint that swings by nearly 180 degrees is known to a tenth of float32's digits.
    np.testing.assert_allclose(made.degrees, RAMP, atol=10 * tolerance["printed"])


def test_helpers_have_their_shares(tolerance):
    made = rc.ik.spread_twist(SKELETON, twisted(SKELETON, RAMP), "wrist", helpers={"near": 0.3, "far": 0.7})
    rows = made.poses.reshape(-1, 5, 3, 4)
    for helper, share in [(1, 0.3), (2, 0.7)]:
        wanted = (
            Rotation.from_rotvec(np.radians(share * RAMP)[:, None] * WAY).as_matrix() @ SKELETON.rest[helper, :, :3]
        )
        np.testing.assert_allclose(rows[:, helper, :, :3], wanted, atol=tolerance["float32_character"])


def test_helpers_never_flip():
    made = rc.ik.spread_twist(SKELETON, twisted(SKELETON, RAMP, 40), "wrist", helpers={"near": 0.5})
    rows = made.poses.reshape(-1, 5, 3, 4)[:, 1, :, :3].astype(np.float64)
    assert np.degrees(angles_between(rows[1:], rows[:-1])).max() < 0.6 * np.diff(RAMP).max()


def test_other_rows_keep_their_bytes():
    poses = twisted(SKELETON, RAMP)
    made = rc.ik.spread_twist(SKELETON, poses, "wrist", helpers={"far": 0.5})
    rest = np.r_[0:24, 36:60]
    np.testing.assert_array_equal(made.poses[:, rest], poses[:, rest])


def test_a_swing_of_half_a_turn_keeps_the_twist(tolerance):
    poses = twisted(SKELETON, np.array([30.0, 30.0, 30.0]))
    poses[1] = twisted(SKELETON, np.array([0.0]), 180.0)[0]
    made = rc.ik.spread_twist(SKELETON, poses, "wrist", helpers={"near": 0.5})
    assert np.isfinite(made.poses).all()
    np.testing.assert_allclose(made.degrees[[0, 2]], 30, rtol=tolerance["printed"])


@pytest.mark.parametrize(
    ("joint", "helpers", "message"),
    [
        ("hand", {"near": 0.5}, "spread_twist: helpers is with near; it must be other joints with the parent of hand"),
        ("wrist", {"wrist": 0.5}, "spread_twist: helpers is with wrist"),
        ("forearm", {"near": 0.5}, "spread_twist: joint is forearm; it must be a joint with a parent"),
        ("palm", {"near": 0.5}, "spread_twist: joint is naming 'palm'"),
        ("wrist", {}, "spread_twist: helpers is {}; it must be a dict"),
        ("wrist", {"near": np.nan}, "spread_twist: helpers is nan; it must be a finite number"),
    ],
)
def test_wrong_helpers_are_named(joint, helpers, message):
    with pytest.raises(ValueError, match=message):
        rc.ik.spread_twist(SKELETON, SKELETON.rest.reshape(-1), joint, helpers=helpers)
