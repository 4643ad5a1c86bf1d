"""Feet that stand: held within a tenth of a millimeter, no leg too long, no step too wide, nothing left to do."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.walk import FEET, FPS, leg_lengths, legs_skeleton, pushed, standing, toes, walk

MILLIMETER = 1e-3
SKELETON, WALK = walk()
SLIDING = pushed(WALK)


def locked(poses, **choices) -> rc.ik.FootLock:
    return rc.ik.foot_lock(SKELETON, poses, FEET, **{"fps": FPS, "hinge": [1, 0, 0], **choices})


@pytest.fixture(scope="module", params=["given", "found"])
def held(request):
    """The pushed walk and its lock, with the contacts of the walk or with those that are found."""
    return locked(SLIDING, contacts=standing() if request.param == "given" else None)


def runs(on: np.ndarray) -> list[slice]:
    """The runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    return [slice(a, b) for a, b in edges.reshape(-1, 2)]


def test_a_planted_foot_drifts_less_than_a_tenth_of_a_millimeter(held):
    points = toes(SKELETON, held.poses)
    drifts = [np.ptp(points[run, f], axis=0).max() for f in (0, 1) for run in runs(held.contacts[:, f])]
    assert max(drifts) < 0.1 * MILLIMETER
    assert max(held.slide_after) < 0.1 * MILLIMETER


def test_the_pushed_walk_slides_by_centimeters(held):
    assert min(held.slide_before) > 20 * MILLIMETER


def test_given_contacts_are_all_held():
    np.testing.assert_array_equal(locked(SLIDING, contacts=standing()).contacts, standing())


def test_no_step_of_a_toe_exceeds_twice_the_clip_s(held):
    before, after = (np.linalg.norm(np.diff(toes(SKELETON, p), axis=0), axis=2) for p in (SLIDING, held.poses))
    assert (after <= 2 * before + 0.01 * MILLIMETER).all()  # rounding of float32 positions


def test_no_leg_becomes_longer_than_it_is_in_the_clip(held, tolerance):
    before, after = (leg_lengths(SKELETON, p).max(axis=0) for p in (SLIDING, held.poses))
    assert (after <= before + tolerance["float32"]).all()


def test_feet_keep_their_orientation(held, tolerance):
    chosen = [SKELETON.names.index(foot[2]) for foot in FEET]
    before, after = (SKELETON.globals(p)[:, chosen, :, :3] for p in (SLIDING, held.poses))
    np.testing.assert_allclose(after, before, atol=tolerance["float32_scaled"])


def test_applied_again_with_its_contacts_it_changes_nothing(held):
    again = locked(held.poses, contacts=held.contacts)
    np.testing.assert_array_equal(again.poses, held.poses)


def test_applied_to_its_own_result_it_finds_nothing_to_do():
    once = locked(SLIDING)
    np.testing.assert_array_equal(locked(once.poses).poses, once.poses)


def test_a_clip_whose_feet_stand_keeps_its_bytes():
    np.testing.assert_array_equal(locked(WALK, contacts=standing()).poses, WALK)


def test_found_contacts_are_those_of_the_walk():
    found = locked(WALK).contacts
    assert (found == standing()).mean() > 0.9


def test_a_foot_comes_back_to_the_clip_without_a_jump():
    contacts = standing()
    contacts[40:] = False
    back = locked(SLIDING, contacts=contacts)
    offset = np.linalg.norm(toes(SKELETON, back.poses) - toes(SKELETON, SLIDING), axis=2)
    assert offset[39].max() > 10 * MILLIMETER
    assert offset[-1].max() < 0.1 * MILLIMETER
    assert np.abs(np.diff(offset[39:], axis=0)).max() < 0.5 * offset[39].max()


def sliding_step() -> np.ndarray:
    """One contact, frames 40 to 69, in which the clip slides by 6 cm; before it the feet travel, then they rest."""
    poses = np.tile(WALK[:1], (100, 1))
    poses[:, 11] = np.interp(np.arange(100), [0, 40, 70, 100], [0.0, 1.2, 1.26, 1.26])
    return poses


def test_a_foot_comes_to_the_mean_of_its_contact_before_it_stands():
    """The leg follows half of what the clip slides, and the foot is under way before the contact, without a jump."""
    clip = sliding_step()
    contacts = np.zeros((100, 2), bool)
    contacts[40:70] = True
    made = locked(clip, contacts=contacts)
    shift = (toes(SKELETON, made.poses) - toes(SKELETON, clip))[:, 0, 2]
    assert np.abs(shift[40:70]).max() < 0.6 * 60 * MILLIMETER
    assert shift[39] > 20 * MILLIMETER  # half the slide, nearly all of it before the first frame
    assert np.abs(shift[:30]).max() < MILLIMETER
    assert np.abs(np.diff(shift, 2)[30:40]).max() < 10 * MILLIMETER


def test_beyond_the_release_distance_a_foot_is_let_go():
    contacts = standing()
    freed = locked(SLIDING, contacts=contacts, release=0.02)
    assert freed.contacts.sum() < contacts.sum()
    assert max(freed.slide_after) < 0.1 * MILLIMETER


def test_the_pelvis_comes_down_where_a_leg_is_too_short(tolerance):
    raised = WALK.copy()
    raised[:, 7] += 0.06 * np.sin(np.linspace(0, 4 * np.pi, len(WALK)))
    made = locked(raised, contacts=standing())
    drop = raised[:, 7] - made.poses[:, 7]
    np.testing.assert_allclose(drop, made.lowered, atol=tolerance["float32"])
    assert made.lowered.max() > 5 * MILLIMETER
    assert np.abs(np.diff(made.lowered)).max() < 10 * MILLIMETER


@pytest.mark.parametrize(("up_axis", "unit"), [("Z", 1.0), ("Y", 0.01)])
def test_axis_and_unit_change_the_scene_not_the_motion(up_axis, unit, tolerance):
    turn = np.eye(3) if up_axis == "Y" else np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])

    def moved(rows):
        out = rows.reshape(len(rows), -1, 3, 4).copy()
        out[..., 3] /= unit
        out[:, 0] = turn @ out[:, 0]
        return out.reshape(len(rows), -1).astype(np.float32)

    skeleton = rc.Skeleton(SKELETON.names, SKELETON.parents, moved(SKELETON.rest.reshape(1, -1)).reshape(-1, 3, 4))
    choices = {"fps": FPS, "hinge": [1, 0, 0], "contacts": standing()}
    made = rc.ik.foot_lock(skeleton, moved(SLIDING), FEET, up_axis=up_axis, meters_per_unit=unit, **choices)
    plain = locked(SLIDING, contacts=standing())
    np.testing.assert_allclose(made.slide_before * unit, plain.slide_before, rtol=tolerance["printed"])
    np.testing.assert_allclose(made.poses, moved(plain.poses), atol=0.01 / unit * MILLIMETER + MILLIMETER)


def test_knees_bend_as_they_do_in_the_clip_if_no_hinge_is_given(tolerance):
    given, found = locked(SLIDING, contacts=standing()), locked(SLIDING, contacts=standing(), hinge=None)
    np.testing.assert_allclose(found.poses, given.poses, atol=tolerance["printed"])


def test_a_real_walk_stands_still(data_path):
    motion = rc.sources.load_bvh(data_path("body_motion_bvh", "01_01.bvh.gz")).motion()[::4]
    skeleton = rc.Skeleton(motion.joint_names, motion.parents, motion.rest)
    poses = motion.local.reshape(len(motion), -1)
    feet = [[f"{side}{joint}" for joint in ("UpLeg", "Leg", "Foot", "ToeBase")] for side in ("Left", "Right")]
    unit = 0.0564  # of CMU's BVH files: an inch over .45
    choices = {"fps": 1 / motion.frame_time, "meters_per_unit": unit}
    made = rc.ik.foot_lock(skeleton, poses, feet, **choices)
    assert made.contacts.mean() > 0.5
    assert min(made.slide_before) * unit > 10 * MILLIMETER
    assert max(made.slide_after) * unit < 0.1 * MILLIMETER
    np.testing.assert_array_equal(rc.ik.foot_lock(skeleton, made.poses, feet, **choices).poses, made.poses)


LEGS = legs_skeleton()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"skeleton": None}, "foot_lock: skeleton is None: its model has no joints"),
        ({"poses": WALK[:, :50]}, r"foot_lock: poses is .* \(90, 50\); it must be"),
        ({"poses": np.full_like(WALK, np.nan)}, "foot_lock: poses is not finite"),
        ({"feet": []}, "foot_lock: feet is .*; it must be a list"),
        ({"feet": [FEET[0][:3]]}, "foot_lock: feet is .*; it must be 4 joints: hip, knee, ankle, toe"),
        ({"feet": [("hip.L", "knee.L", "ankle.L", "nose")]}, "foot_lock: feet is naming 'nose'; it must be among"),
        ({"feet": [("hip.L", "knee.L", "ankle.L", "toe.R")]}, "foot_lock: feet is with the toe toe.R"),
        ({"feet": [("hip.L", "knee.R", "ankle.L", "toe.L")]}, "Limb: joints is no chain: knee.R is not below hip.L"),
        ({"pelvis": "knee.L"}, "foot_lock: pelvis is knee.L; it must be a joint above all hips"),
        ({"contacts": np.zeros((90, 2))}, r"foot_lock: contacts is float64 \(90, 2\); it must be bool \(90, 2\)"),
        ({"fps": 0}, "foot_lock: fps is 0; it must be a finite number above 0"),
        ({"height": -1}, "foot_lock: height is -1"),
        ({"blend": 0.0}, "foot_lock: blend is 0.0"),
        ({"up_axis": "up"}, "foot_lock: up_axis is 'up'"),
        ({"meters_per_unit": 0.0}, "foot_lock: meters_per_unit is 0.0"),
        ({"hinge": None, "poses": np.tile(LEGS.rest.reshape(1, -1), (9, 1))}, "Limb: hinge is None for a limb"),
    ],
)
def test_wrong_arguments_of_a_foot_lock_are_named(change, message):
    arguments = {"skeleton": SKELETON, "poses": WALK, "feet": FEET, "fps": FPS, "hinge": [1, 0, 0], **change}
    with pytest.raises(ValueError, match=message):
        rc.ik.foot_lock(**arguments)
