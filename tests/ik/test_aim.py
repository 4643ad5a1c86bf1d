"""Joints that look at a point, and a torso that moves between hands and feet that stay."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from tests.ik.limb_skeletons import NAMES, angles_between, limb_skeleton, random_poses, rotations
from tests.ik.walk import FEET, legs_skeleton, place, walk

HEAD_NAMES = ["chest", "neck", "head", "eye.L", "eye.R"]
HEAD = rc.Skeleton(
    HEAD_NAMES,
    [-1, 0, 1, 2, 2],
    np.array(
        [place(0, 1.3, 0), place(0, 0.2, 0), place(0, 0.1, 0.02), place(0.03, 0.1, 0.08), place(-0.03, 0.1, 0.08)]
    ),
)
REST = HEAD.rest.reshape(1, -1)
ALL = HEAD_NAMES[1:]


def looks(skeleton: rc.Skeleton, poses: np.ndarray, joint: str, axis=(0, 0, 1)) -> tuple[np.ndarray, np.ndarray]:
    """Where a joint is and where it looks: (T, 3), (T, 3)."""
    index = skeleton.names.index(joint)
    rest = skeleton.globals(skeleton.rest.reshape(1, -1))[0, index, :, :3].astype(np.float64)
    now = skeleton.globals(poses)[:, index].astype(np.float64)
    way = now[..., :3] @ np.linalg.solve(rest, axis)
    return now[..., 3], way / np.linalg.norm(way, axis=1)[:, None]


def degrees(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(axis=-1)))


def test_joints_of_any_rest_and_scale_look_at_their_targets(tolerance):
    skeleton = limb_skeleton(1)
    poses = random_poses(skeleton, 200, 1)
    targets = 5 * np.random.default_rng(2).normal(size=(200, 3))
    made = rc.ik.look_at(skeleton, poses, ["lower", "end"], targets=targets, axis=[1, 2, 3])
    origin, way = looks(skeleton, made.poses, "end", [1, 2, 3])
    assert degrees(way, targets - origin).max() < 0.05  # .001 rad
    np.testing.assert_allclose(made.miss, 0, atol=tolerance["printed"])


def test_other_rows_keep_their_bytes():
    skeleton = limb_skeleton(2)
    poses = random_poses(skeleton, 20, 2)
    made = rc.ik.look_at(skeleton, poses, ["end"], targets=[1, 2, 3])
    rest = np.r_[0 : 12 * NAMES.index("end"), 12 * NAMES.index("finger") : poses.shape[1]]
    np.testing.assert_array_equal(made.poses[:, rest], poses[:, rest])


def test_both_eyes_look_at_one_point_with_a_share_of_the_head():
    target = np.array([0.4, 1.9, 0.6])
    made = rc.ik.look_at(HEAD, REST, ALL, targets=target, share=[0.2, 0.5, 1, 1], limit=[40, 60, 35, 35])
    for eye in ("eye.L", "eye.R"):
        origin, way = looks(HEAD, made.poses, eye)
        assert degrees(way[0], target - origin[0]) < 0.05
    assert made.miss[0, 1] > 1  # the head turns a part of the way


def test_a_share_is_a_part_of_the_angle(tolerance):
    made = rc.ik.look_at(HEAD, REST, ["head"], targets=[2, 1.6, 0.02], share=0.25)
    _, way = looks(HEAD, made.poses, "head")
    np.testing.assert_allclose(degrees(way[0], np.array([0.0, 0, 1])), 22.5, rtol=tolerance["printed"])


def test_a_joint_stays_inside_its_limit_and_says_what_is_left(tolerance):
    made = rc.ik.look_at(HEAD, REST, ["head"], targets=[2, 1.6, 0.02], limit=30)
    _, way = looks(HEAD, made.poses, "head")
    np.testing.assert_allclose(degrees(way[0], np.array([0.0, 0, 1])), 30, rtol=tolerance["printed"])
    np.testing.assert_allclose(made.miss, [[60]], rtol=tolerance["printed"])


def test_a_target_behind_or_at_the_joint_gives_numbers():
    head = [0, 1.6, 0.02]
    for target in ([0, 1.6, -5], head):
        assert np.isfinite(rc.ik.look_at(HEAD, REST, ["head"], targets=target).poses).all()


def test_hands_and_feet_stay_while_the_torso_moves(tolerance):
    skeleton, poses = walk(30)
    legs = [rc.ik.Limb(skeleton, foot[:3], hinge=[1, 0, 0]) for foot in FEET]
    turn = Rotation.from_euler("xyz", [5, 20, 3], degrees=True).as_matrix()
    made = rc.ik.move_torso(skeleton, poses, "pelvis", pinned=legs, translation=[0.03, -0.1, 0.02], rotation=turn)
    before, after = skeleton.globals(poses), skeleton.globals(made)
    ends = [skeleton.names.index(foot[2]) for foot in FEET]
    np.testing.assert_allclose(after[:, ends, :, 3], before[:, ends, :, 3], atol=tolerance["float32_character"])
    assert angles_between(rotations(after[:, ends]), rotations(before[:, ends])).max() < tolerance["printed"]
    np.testing.assert_allclose(
        after[:, 0, :, 3] - before[:, 0, :, 3], np.tile([0.03, -0.1, 0.02], (30, 1)), atol=tolerance["float32_scaled"]
    )
    assert angles_between(rotations(after[:, 0]), turn @ rotations(before[:, 0])).max() < tolerance["printed"]


def test_a_joint_below_others_moves_in_global_space(tolerance):
    skeleton = limb_skeleton(3)
    poses = random_poses(skeleton, 20, 3)
    made = rc.ik.move_torso(skeleton, poses, "lower", translation=[1, 2, 3])
    index = NAMES.index("lower")
    shift = skeleton.globals(made)[:, index, :, 3] - skeleton.globals(poses)[:, index, :, 3]
    np.testing.assert_allclose(shift, np.tile([1, 2, 3], (20, 1)), atol=tolerance["float32_character"])


LEGS = legs_skeleton()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rc.ik.look_at(None, REST, ["head"], targets=[0, 0, 1]), "look_at: skeleton is None"),
        (
            lambda: rc.ik.look_at(HEAD, REST, [], targets=[0, 0, 1]),
            "look_at: joints is .*; it must be a list of joints",
        ),
        (lambda: rc.ik.look_at(HEAD, REST, ["nose"], targets=[0, 0, 1]), "look_at: joints is naming 'nose'"),
        (lambda: rc.ik.look_at(HEAD, REST, ["head", "neck"], targets=[0, 0, 1]), "look_at: joints is in another order"),
        (lambda: rc.ik.look_at(HEAD, REST, ["head"], targets=[0, 0, np.nan]), "look_at: targets is not finite"),
        (lambda: rc.ik.look_at(HEAD, REST, ["head"], targets=[0, 0, 1], axis=[0, 0, 0]), "look_at: axis is zero"),
        (
            lambda: rc.ik.look_at(HEAD, REST, ["head"], targets=[0, 0, 1], share=2),
            "look_at: share is 2.0.*; it must be from 0",
        ),
        (lambda: rc.ik.look_at(HEAD, REST, ["head"], targets=[0, 0, 1], limit=-1), "look_at: limit is -1.0"),
        (lambda: rc.ik.look_at(HEAD, REST[:, :9], ["head"], targets=[0, 0, 1]), r"look_at: poses is .*\(1, 9\)"),
        (lambda: rc.ik.move_torso(LEGS, LEGS.rest.reshape(-1), "belly"), "move_torso: joint is naming 'belly'"),
        (
            lambda: rc.ik.move_torso(LEGS, LEGS.rest.reshape(-1), 0, pinned=["leg"]),
            "move_torso: pinned is a list that holds",
        ),
        (
            lambda: rc.ik.move_torso(LEGS, LEGS.rest.reshape(-1), 0, translation=[0, 1]),
            "move_torso: translation is .*; it must be",
        ),
    ],
)
def test_wrong_looks_and_moves_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
