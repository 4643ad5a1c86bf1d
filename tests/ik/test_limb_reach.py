"""Limbs at the limits of their reach: soft, stretched, squashed, limited, straight; wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.limb_skeletons import bone_lengths

STEP = np.array([[1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
NAMES = ["hip", "knee", "ankle"]
LEG = rc.Skeleton(NAMES, [-1, 0, 1], [np.eye(3, 4), STEP, STEP])  # straight along x
REST = LEG.rest.reshape(1, -1)
TOO_FAR, TOO_NEAR = rc.ik.LimbFlag.TOO_FAR, rc.ik.LimbFlag.TOO_NEAR


def leg(**choices) -> rc.ik.Limb:
    return rc.ik.Limb(LEG, NAMES, **{"hinge": [0, 0, 1], **choices})


def solved(targets, **choices) -> tuple[np.ndarray, rc.ik.LimbPoses]:
    """Positions (T, 3, 3) and the result."""
    targets = np.atleast_2d(np.asarray(targets, np.float64))
    made = leg(**choices).solve(np.tile(REST, (len(targets), 1)), targets)
    return LEG.globals(made.poses)[..., 3].astype(np.float64), made


def paths(length: float) -> np.ndarray:
    """A path past the base through full reach and back into it, as (T, 3)."""
    x = np.linspace(0.3, length, 4001)
    return np.stack([x, 0.2 + 0 * x, 0.1 * np.sin(3 * x)], axis=1)


@pytest.mark.parametrize("softness", [0.02, 0.1, 0.5])
def test_a_soft_end_never_moves_faster_than_its_target(softness):
    path = paths(4.0)
    points, _ = solved(path, softness=softness)
    steps, wanted = (np.linalg.norm(np.diff(p, axis=0), axis=1) for p in (points[:, 2], path))
    assert (steps < 1.01 * wanted + 1e-6).all()  # positions of float32


def test_a_soft_limb_is_never_straight():
    points, _ = solved(paths(2.6), softness=0.1)
    assert np.linalg.norm(points[:, 2] - points[:, 0], axis=1).max() < 2.0 - 1e-4


def test_softness_bounds_the_step_of_the_knee():
    steps = [np.linalg.norm(np.diff(solved(paths(4.0), softness=s)[0][:, 1], axis=0), axis=1).max() for s in (0, 0.1)]
    assert steps[1] < 0.5 * steps[0]


def test_a_soft_limb_that_is_well_bent_reaches_its_target(tolerance):
    points, _ = solved([1.2, 0.3, 0.4], softness=0.1)
    np.testing.assert_allclose(points[0, 2], [1.2, 0.3, 0.4], atol=tolerance["float32"])


def test_stretched_bones_reach_farther_up_to_their_maximum(tolerance):
    points, made = solved([[2.5, 0, 0], [9, 0, 0]], stretch=1.5)
    np.testing.assert_allclose(points[:, 2, 0], [2.5, 3.0], atol=tolerance["float32"])
    np.testing.assert_allclose(np.sum(bone_lengths(points), axis=0), [2.5, 3.0], atol=tolerance["float32"])
    assert made.flags.tolist() == [0, TOO_FAR]


def test_bones_that_are_not_stretched_stop_at_their_length(tolerance):
    points, made = solved([[2.5, 0, 0]])
    np.testing.assert_allclose(points[0, 2], [2, 0, 0], atol=tolerance["float32"])
    np.testing.assert_allclose(made.miss, [0.5], atol=tolerance["float32"])


def test_squashed_bones_reach_nearer_down_to_their_minimum(tolerance):
    # Bent by at most 90 degrees, the leg is at least the root of 2 long; squashed to half, half of that.
    points, made = solved([[1.0, 0, 0], [0.1, 0, 0]], bend=(0, 90), squash=0.5)
    np.testing.assert_allclose(points[:, 2, 0], [1.0, 0.5 * np.sqrt(2)], atol=tolerance["float32"])
    assert made.flags.tolist() == [0, TOO_NEAR]


@pytest.mark.parametrize(("bend", "target"), [((30, 150), [1.99, 0, 0]), ((0, 60), [0.2, 0.2, 0])])
def test_the_bend_stays_inside_its_limits(bend, target, tolerance):
    points, _ = solved(target, bend=bend)
    first, second = np.diff(points[0], axis=0)
    degrees = np.degrees(np.arccos(np.clip(first @ second, -1, 1)))
    assert bend[0] - 0.01 < degrees < bend[1] + 0.01


def signed_bend(points: np.ndarray) -> np.ndarray:
    """Degrees from the upper to the lower bone about z, the hinge of the leg; positive as the knee bends."""
    first, second = np.moveaxis(np.diff(points, axis=1), 1, 0)
    sine = np.cross(first, second)[:, 2]
    return np.degrees(np.arctan2(sine, (first * second).sum(axis=1)))


def bent(degrees: float) -> np.ndarray:
    """A pose (1, C) with the knee turned about z."""
    pose = LEG.rest.copy()
    turn = np.radians(degrees)
    pose[1, :2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    return pose.reshape(1, -1)


RANGES = [(-10, 150), (-150, -20), (30, 150), (170, 190), (100, 280), (-180, 180), (-360, -300), (-30, 0), (350, 360)]


@pytest.mark.parametrize("bend", RANGES)
def test_any_range_of_angles_holds_and_all_of_it_is_used(bend):
    """For ends at all distances and from bends to both sides: the angle is in the range, modulo full turns."""
    rng = np.random.default_rng(0)
    low = -170 if bend[0] < 0 or bend[1] > 180 else 1  # within 0 to 180, limbs keep the side of the pose
    starts = np.concatenate([bent(degrees) for degrees in rng.uniform(low, 170, 400)])
    targets = rng.normal(size=(400, 3))
    targets *= (rng.uniform(0.01, 2.2, 400) / np.linalg.norm(targets, axis=1))[:, None]
    targets[:, 2] *= 0.05
    made = rc.ik.Limb(LEG, NAMES, hinge=[0, 0, 1], bend=bend).solve(starts, targets)
    row = made.poses.reshape(-1, 3, 3, 4)[:, 1].astype(np.float64)
    degrees = np.degrees(np.arctan2(row[:, 1, 0], row[:, 0, 0]))  # of the knee's own row: about its z
    turns = np.array([-720, -360, 0, 360, 720])
    away = np.maximum(bend[0] - (degrees[:, None] + turns), (degrees[:, None] + turns) - bend[1]).min(axis=1)
    assert away.max() < 0.1  # the angle of nearly straight bones has the root of float32 rounding
    met = (made.flags & 3) == 0
    ends = LEG.globals(made.poses)[..., 3].astype(np.float64)[:, 2]
    np.testing.assert_allclose(ends[met], targets[met], atol=1e-5)  # positions of float32 of order two
    share = (degrees[:, None] + turns)[(away[:, None] < 1) & (np.abs(degrees[:, None] + turns - np.mean(bend)) <= 181)]
    assert np.ptp(np.clip(share, *bend)) > 0.8 * (bend[1] - bend[0])


def test_a_distance_that_no_angle_allows_is_flagged():
    made = rc.ik.Limb(LEG, NAMES, hinge=[0, 0, 1], bend=(90, 190)).solve(
        np.repeat(REST, 2, axis=0), [[1.8, 0, 0], [1.0, 0, 0]]
    )
    assert made.flags.tolist() == [TOO_FAR, 0]
    np.testing.assert_allclose(made.miss, [1.8 - np.sqrt(2), 0], atol=1e-5)  # float32


@pytest.mark.parametrize("start", [60.0, -60.0])
def test_of_two_sides_a_limb_stays_at_that_of_its_pose(start):
    limb = rc.ik.Limb(LEG, NAMES, hinge=[0, 0, 1], bend=(-120, 120))
    path = np.stack([np.linspace(1.9, 1.1, 50), np.linspace(0, 0.3, 50), np.zeros(50)], axis=1)
    made = limb.solve(np.repeat(bent(start), 50, axis=0), path)
    knees = LEG.globals(made.poses)[..., 3].astype(np.float64)
    assert (np.sign(signed_bend(knees)) == np.sign(start)).all()
    assert np.linalg.norm(np.diff(knees[:, 1], axis=0), axis=1).max() < 0.15


def test_a_straight_leg_bends_about_its_hinge():
    points, _ = solved([1.5, 0, 0])
    assert points[0, 1, 1] < -0.5  # x cross z is -y


def test_the_target_at_the_base_folds_the_leg(tolerance):
    points, made = solved([0, 0, 0])
    np.testing.assert_allclose(points[0, 2], 0, atol=tolerance["float32"])
    assert made.flags[0] == rc.ik.LimbFlag.AT_BASE


def test_a_pole_on_the_line_to_the_target_is_flagged_and_keeps_the_bend_plane():
    made = leg().solve(REST, [1.5, 0, 0], poles=[3, 0, 0])
    assert made.flags[0] == rc.ik.LimbFlag.NO_HINGE
    np.testing.assert_array_equal(made.poses, leg().solve(REST, [1.5, 0, 0]).poses)


FLAT = rc.Skeleton(NAMES, [-1, 0, 1], [np.eye(3, 4), STEP, np.eye(3, 4)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rc.ik.Limb(None, NAMES), "Limb: skeleton is None: its model has no joints"),
        (lambda: rc.ik.Limb(LEG, ["hip", "knee"]), "Limb: joints is .*; it must be 3 joints: upper, lower, end"),
        (lambda: rc.ik.Limb(LEG, ["hip", "shin", "ankle"]), "Limb: joints is naming 'shin'; it must be among hip"),
        (lambda: rc.ik.Limb(LEG, [0, 1, 7]), "Limb: joints is 7; it must be a whole number from 0 to 2"),
        (lambda: rc.ik.Limb(LEG, [1, 0, 2]), "Limb: joints is no chain: hip is not below knee"),
        (lambda: rc.ik.Limb(FLAT, NAMES), "Limb: joints is a limb of zero length below knee"),
        (lambda: rc.ik.Limb(LEG, NAMES), "Limb: hinge is None for a limb that is straight at rest"),
        (lambda: leg(hinge=[1, 0, 0]), "Limb: hinge is along the upper bone"),
        (lambda: leg(hinge=[0, 0, 0]), "Limb: hinge is zero"),
        (lambda: leg(softness=1.0), "Limb: softness is 1.0"),
        (lambda: leg(stretch=0.5), "Limb: stretch is 0.5"),
        (lambda: leg(squash=0.0), "Limb: squash is 0.0"),
        (lambda: leg(bend=(90, 30)), "Limb: bend is 90"),
        (lambda: leg(bend=(0, 400)), "Limb: bend is 400"),
        (lambda: leg(bend=(-200, 190)), "Limb: bend is 190"),
        (lambda: leg().solve(REST, [0, np.nan, 0]), "Limb.solve: targets is not finite everywhere"),
        (lambda: leg().solve(REST, [[0, 0, 0]] * 2), r"Limb.solve: targets is int64 \(2, 3\); it must be"),
        (lambda: leg().solve(REST[:, :30], [0, 0, 0]), r"Limb.solve: poses is .*\(1, 30\); it must be .*36"),
        (lambda: leg().solve(REST, [1, 0, 0], orientations="face"), "Limb.solve: orientations is 'face'"),
        (lambda: leg().solve(FLAT.rest.reshape(1, -1), [1, 0, 0]), "poses is a limb of zero length in frame 0"),
        (lambda: leg().match_ik(FLAT.rest.reshape(1, -1)), "Limb.match_ik: poses is a limb of zero length in frame 0"),
    ],
)
def test_wrong_limbs_and_goals_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
