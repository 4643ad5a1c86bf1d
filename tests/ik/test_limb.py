"""Limbs of skeletons: ends reach their targets whatever the rest pose, and keep their orientation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from tests.ik.limb_skeletons import (
    LIMB,
    NAMES,
    angles_between,
    bone_lengths,
    limb_skeleton,
    positions,
    random_poses,
    reachable_targets,
    rotations,
)

SKELETONS = [(seed, uniform) for seed in range(10) for uniform in (True, False)]
END = NAMES.index("end")


@pytest.fixture(scope="module")
def reached():
    """10,000 reachable targets over skeletons: skeleton, poses, targets, solved poses, lengths (T,)."""
    cases = []
    for seed, uniform in SKELETONS:
        skeleton = limb_skeleton(seed, uniform)
        poses = random_poses(skeleton, 500, seed)
        targets = reachable_targets(skeleton, poses, seed)
        made = rc.ik.Limb(skeleton, LIMB).solve(poses, targets)
        length = np.sum(bone_lengths(positions(skeleton, poses)), axis=0)
        cases.append((skeleton, poses, targets, made, length))
    return cases


def test_ends_reach_their_targets(reached, tolerance):
    for skeleton, _, targets, made, length in reached:
        miss = np.linalg.norm(positions(skeleton, made.poses)[:, 2] - targets, axis=1)
        assert (miss < tolerance["float32_character"] * length).all()


def test_ends_keep_their_orientation(reached, tolerance):
    for skeleton, poses, _, made, _ in reached:
        before, after = (rotations(skeleton.globals(p)[:, END]) for p in (poses, made.poses))
        assert angles_between(before, after).max() < tolerance["printed"]


def test_bones_keep_their_lengths_on_skeletons(reached, tolerance):
    for skeleton, poses, _, made, length in reached:
        before, after = (bone_lengths(positions(skeleton, p)) for p in (poses, made.poses))
        assert (np.abs(np.subtract(before, after)).max(axis=0) < tolerance["float32_character"] * length).all()


def test_only_the_rows_of_the_limb_change(reached):
    columns = np.r_[0:12, 24:36, 60:86]  # root, twist, finger, other, dials
    for _, poses, _, made, _ in reached:
        np.testing.assert_array_equal(made.poses[:, columns], poses[:, columns])


def test_joints_below_uniform_scales_stay_rigid(tolerance):
    skeleton = limb_skeleton(3)
    poses = random_poses(skeleton, 200, 3)
    made = rc.ik.Limb(skeleton, LIMB).solve(poses, reachable_targets(skeleton, poses, 3))
    before, after = (p[:, :84].reshape(-1, 7, 3, 4)[..., :3].astype(np.float64) for p in (poses, made.poses))
    difference = np.swapaxes(before, -1, -2) @ before - np.swapaxes(after, -1, -2) @ after
    assert np.abs(difference).max() < tolerance["float32_scaled"]


def test_a_limb_that_is_where_it_should_be_does_not_move(tolerance):
    skeleton = limb_skeleton(1)
    poses = random_poses(skeleton, 100, 1)
    made = rc.ik.Limb(skeleton, LIMB).solve(poses, positions(skeleton, poses)[:, 2])
    # The elbow of a nearly straight limb moves by the root of float32 rounding.
    assert np.abs(made.poses - poses).max() < tolerance["printed"]


def test_given_orientations_are_those_of_the_end(tolerance):
    skeleton = limb_skeleton(2)
    poses = random_poses(skeleton, 100, 2)
    wanted = Rotation.random(100, random_state=1).as_matrix()
    made = rc.ik.Limb(skeleton, LIMB).solve(poses, reachable_targets(skeleton, poses, 2), orientations=wanted)
    assert angles_between(rotations(skeleton.globals(made.poses)[:, END]), wanted).max() < tolerance["printed"]


def test_an_end_that_follows_keeps_its_row_turned_with_the_lower_bone(tolerance):
    skeleton = limb_skeleton(2)
    poses = random_poses(skeleton, 100, 2)
    made = rc.ik.Limb(skeleton, LIMB).solve(poses, reachable_targets(skeleton, poses, 2), orientations="follow")
    np.testing.assert_allclose(made.poses[:, 48:60], poses[:, 48:60], atol=tolerance["float32_scaled"])


def test_the_elbow_points_to_its_pole():
    skeleton = limb_skeleton(4)
    poses = random_poses(skeleton, 300, 4)
    targets = reachable_targets(skeleton, poses, 4)
    poles = positions(skeleton, poses)[:, 0] + np.random.default_rng(44).normal(size=(300, 3))
    made = rc.ik.Limb(skeleton, LIMB).solve(poses, targets, poles=poles)
    base, elbow, end = np.moveaxis(positions(skeleton, made.poses), 1, 0)
    way = (end - base) / np.linalg.norm(end - base, axis=1)[:, None]

    def aside(points):
        offset = points - base
        offset = offset - (offset * way).sum(axis=1)[:, None] * way
        return offset / np.linalg.norm(offset, axis=1)[:, None]

    assert (aside(elbow) * aside(poles)).sum(axis=1).min() > 0.999


def test_a_pole_of_the_end_moves_with_it(tolerance):
    skeleton = limb_skeleton(5)
    poses = random_poses(skeleton, 50, 5)
    limb = rc.ik.Limb(skeleton, LIMB)
    targets = reachable_targets(skeleton, poses, 5)
    linear = skeleton.globals(poses)[:, END, :, :3].astype(np.float64)
    local = np.array([0.3, -1.0, 0.5])
    made = limb.solve(poses, targets, poles=local, poles_follow_end=True)
    same = limb.solve(poses, targets, poles=linear @ local + targets)
    np.testing.assert_allclose(made.poses, same.poses, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("uniform", [True, False])
def test_controls_of_a_posed_limb_bring_it_back(uniform, tolerance):
    skeleton = limb_skeleton(6, uniform)
    posed = random_poses(skeleton, 300, 6)
    start = posed.copy()
    start[:, 12:60] = np.tile(skeleton.rest.reshape(-1)[12:60], (300, 1))
    start[:, 24:36] = posed[:, 24:36]
    limb = rc.ik.Limb(skeleton, LIMB)
    if not uniform:  # lengths depend on the pose below such scales: only the limb's own pose has them
        start = posed
    back = limb.match_fk(start, limb.match_ik(posed))
    length = np.sum(bone_lengths(positions(skeleton, posed)), axis=0)
    miss = np.linalg.norm(positions(skeleton, back) - positions(skeleton, posed), axis=2).max(axis=1)
    assert (miss < tolerance["float32_character"] * length).all()
    before, after = (rotations(skeleton.globals(p)[:, END]) for p in (posed, back))
    assert angles_between(before, after).max() < tolerance["printed"]


def test_controls_bring_nearly_straight_limbs_back_within_1e_4_of_their_length(tolerance):
    """The end alone says where such an elbow is to the root of rounding; controls know it."""
    straight = rc.Skeleton(
        ["root", "upper", "lower", "end"],
        [-1, 0, 1, 2],
        np.concatenate(
            [np.tile(np.eye(3), (4, 1, 1)), np.array([[[3.0], [5], [2]], *[[[1.0], [0], [0]]] * 3])], axis=2
        ),
    )
    limb = rc.ik.Limb(straight, ("upper", "lower", "end"), hinge=[0, 0, 1])
    rng = np.random.default_rng(0)
    turns = Rotation.random(500, random_state=0).as_matrix()
    bends = Rotation.from_euler("z", -np.geomspace(0.001, 3, 500)[:, None], degrees=True).as_matrix()
    posed = np.tile(straight.rest, (500, 1, 1, 1))
    posed[:, 1, :, :3], posed[:, 2, :, :3] = turns, bends
    start = np.tile(straight.rest, (500, 1, 1, 1))
    start[:, 1, :, :3] = Rotation.random(500, random_state=1).as_matrix()
    start[:, 2, :, :3] = Rotation.from_euler("z", -rng.uniform(20, 90, (500, 1)), degrees=True).as_matrix()
    posed, start = posed.reshape(500, -1), start.reshape(500, -1)
    back = limb.match_fk(start, limb.match_ik(posed))
    globals_ = [
        straight.globals(np.ascontiguousarray(p, np.float32))[:, 1:, :, 3].astype(np.float64) for p in (back, posed)
    ]
    assert np.linalg.norm(np.subtract(*globals_), axis=2).max() < 0.1 * tolerance["float32_character"]


def test_a_limb_has_the_same_bytes_for_any_number_of_threads():
    skeleton = limb_skeleton(7)
    poses = random_poses(skeleton, 300, 7)
    targets = reachable_targets(skeleton, poses, 7)
    limb = rc.ik.Limb(skeleton, LIMB)
    np.testing.assert_array_equal(
        limb.solve(poses, targets, threads=1).poses, limb.solve(poses, targets, threads=3).poses
    )
