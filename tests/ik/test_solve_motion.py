"""``rc.ik.solve_motion``: clips inside joint limits, feet that stand, no jumps; on made and on captured motion."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.characters import legs, on_model, places
from tests.ik.walk import FEET, FPS, pushed, standing, toes, walk

MILLIMETER = 1e-3
RIG = legs()
NAMES = list(RIG.skeleton.names)
SKELETON, WALK = walk()
LOW, HIGH = RIG.channel_ranges.T
HINGE = {"hinge": [1.0, 0.0, 0.0]}
LOCK = {"contacts": standing(), **HINGE}


def positions(poses: np.ndarray) -> np.ndarray:
    return SKELETON.globals(poses)[..., 3].astype(np.float64)


def random_clip(frames: int = 40, seed: int = 0) -> np.ndarray:
    """Slow waves through the middle of the ranges (T, N)."""
    rng = np.random.default_rng(seed)
    waves = np.sin(np.linspace(0, 4, frames)[:, None] * rng.uniform(0.5, 1.5, len(LOW)) + rng.uniform(0, 6, len(LOW)))
    middle, half = (LOW + HIGH) / 2, (HIGH - LOW) / 2
    return middle + 0.7 * half * waves


@pytest.fixture(scope="module")
def held():
    """The pushed walk, with the contacts of the walk."""
    return rc.ik.solve_motion(RIG, positions(pushed(WALK)), NAMES, fps=FPS, feet=FEET, lock=LOCK)


def test_a_clip_of_the_character_itself_is_followed_exactly(tolerance):
    channels = random_clip()
    found = rc.ik.solve_motion(RIG, places(RIG, channels), NAMES, fps=FPS, preference=1e-5, tolerance=1e-8)
    assert found.error.max() < tolerance["float32_character"]
    assert np.abs(places(RIG, found.channels) - places(RIG, channels)).max() < tolerance["float32_character"]
    assert found.converged.all()


def test_markers_at_offsets_of_joints_are_followed(tolerance):
    channels = random_clip(seed=1)
    offset = np.array([0.03, -0.2, 0.05])
    globals_ = RIG.skeleton.globals(RIG.sample(channels.astype(np.float32))[0]).astype(np.float64)
    knee = NAMES.index("knee.L")
    marker = globals_[:, knee, :, :3] @ offset + globals_[:, knee, :, 3]
    others = [name for name in NAMES if name != "knee.L"]
    wanted = np.concatenate([marker[:, None], globals_[..., 3][:, [NAMES.index(n) for n in others]]], axis=1)
    points = [("knee.L", offset), *others]
    found = rc.ik.solve_motion(RIG, wanted, points, fps=FPS, preference=1e-5, tolerance=1e-8)
    assert found.error.max() < tolerance["float32_character"]


def test_joint_limits_hold_and_what_they_forbid_is_spread(tolerance):
    """A clip whose knees bend too far: clipping misses it by more than the solve, which stays inside the limits."""
    free, tight = legs(), legs(knee=(-2.0, 40.0))
    channels = random_clip()
    wanted = places(free, channels)
    found = rc.ik.solve_motion(tight, wanted, NAMES, fps=FPS)
    low, high = tight.channel_ranges.T
    assert (found.channels >= low).all()
    assert (found.channels <= high).all()
    clipped = np.linalg.norm(places(tight, np.clip(channels, low, high)) - wanted, axis=2)
    assert np.square(found.error).mean() < 0.5 * np.square(clipped).mean()
    assert found.at_bound.any()


def test_the_error_is_that_of_the_channels(held, tolerance):
    apart = np.linalg.norm(places(RIG, held.channels) - positions(pushed(WALK)), axis=2)
    np.testing.assert_allclose(held.error, apart, atol=tolerance["float32_character"])


def test_planted_feet_slide_less_than_a_tenth_of_a_millimeter(held):
    assert min(held.slide_before) > 20 * MILLIMETER
    points = toes(SKELETON, RIG.sample(held.channels.astype(np.float32))[0])
    edges = np.diff(np.pad(held.contacts.astype(int), ((1, 1), (0, 0))), axis=0)
    for f in (0, 1):
        for begin, end in zip(np.flatnonzero(edges[:, f] > 0), np.flatnonzero(edges[:, f] < 0), strict=True):
            assert np.ptp(points[begin:end, f], axis=0).max() < 0.1 * MILLIMETER
    assert max(held.slide_after) < 0.1 * MILLIMETER


def test_planted_feet_keep_the_joint_limits_that_a_lock_alone_breaks():
    """The same clip with knees that bend by 45 degrees at most."""
    tight = legs(knee=(-2.0, 45.0))
    low, high = tight.channel_ranges.T
    inside = rc.ik.solve_motion(tight, positions(pushed(WALK)), NAMES, fps=FPS)
    clip = inside.poses.copy()
    clip[:, 7] -= 0.05  # a pelvis that comes down: knees must bend more
    lock = rc.ik.foot_lock(SKELETON, clip, FEET, fps=FPS, **LOCK)
    broken = on_model(tight).channels_from_poses(lock.poses)[0]
    assert (broken > high + 1.0).any()
    made = rc.ik.solve_motion(tight, positions(clip), NAMES, fps=FPS, feet=FEET, lock=LOCK)
    assert ((made.channels >= low) & (made.channels <= high)).all()


def test_no_frame_jumps(held):
    """Steps of channels, in degrees a frame, stay near those of the walk."""
    turns = held.channels[:, 3:]
    calm = rc.ik.solve_motion(RIG, positions(WALK), NAMES, fps=FPS).channels[:, 3:]
    assert np.abs(np.diff(turns, 2, axis=0)).max() < np.abs(np.diff(calm, 2, axis=0)).max() + 6.0


def test_a_model_and_its_rig_give_the_same_bytes(held):
    found = rc.ik.solve_motion(on_model(RIG), positions(pushed(WALK)), NAMES, fps=FPS, feet=FEET, lock=LOCK)
    np.testing.assert_array_equal(found.poses, held.poses)


def test_a_skeleton_without_channels_follows_with_its_root_where_the_start_has_it(tolerance):
    start = pushed(WALK)
    found = rc.ik.solve_motion(SKELETON, positions(start), NAMES, fps=FPS, start=start, feet=FEET, lock=HINGE)
    assert found.channels is None
    np.testing.assert_allclose(found.poses[:, 3], start[:, 3], atol=tolerance["float32"])
    assert max(found.slide_after) < 0.1 * MILLIMETER


def test_without_feet_nothing_is_locked():
    found = rc.ik.solve_motion(RIG, positions(pushed(WALK)), NAMES, fps=FPS)
    assert found.contacts.shape == (len(WALK), 0)
    assert not found.lowered.any()


def test_threads_change_no_byte_of_a_motion(held):
    found = rc.ik.solve_motion(RIG, positions(pushed(WALK)), NAMES, fps=FPS, feet=FEET, lock=LOCK, threads=2)
    np.testing.assert_array_equal(found.poses, held.poses)


def test_a_frame_carries_its_share_of_the_last_difference(tolerance):
    """As written: each frame near its preferred channels plus the share of what the last one had beside its own."""
    solver = rc.ik.Solver(on_model(RIG), np.arange(len(NAMES)))
    goals, preferred = positions(pushed(WALK))[20:28], random_clip(8, seed=2)
    settings = {"bounds": RIG.channel_ranges, "preference": 0.2, "tolerance": 1e-8}
    found = solver.solve(goals, preferred[0], preferred=preferred, carry=0.8, **settings)
    expected = [solver.solve(goals[:1], preferred[0], preferred=preferred[0], **settings).channels[0]]
    for t in range(1, 8):
        near = preferred[t] + 0.8 * (expected[-1] - preferred[t - 1])
        start = np.clip(expected[-1] + preferred[t] - preferred[t - 1], LOW, HIGH)
        expected.append(solver.solve(goals[t : t + 1], start, preferred=near, **settings).channels[0])
    np.testing.assert_allclose(found.channels, expected, atol=tolerance["printed"])
    plain = solver.solve(goals, preferred[0], preferred=preferred, **settings)
    assert np.abs(plain.channels - found.channels).max() > 1.0
    with pytest.raises(ValueError, match=r"solve: carry is 0\.5 beside a start per frame; it must be 0"):
        solver.solve(goals, preferred, carry=0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": rc.faces.example()}, "solve_motion: model is a BlendshapeRig without joints"),
        ({"positions": np.zeros((3, 2, 3))}, r"solve_motion: positions is .* \(3, 2, 3\); it must be"),
        ({"points": "hip.L"}, "solve_motion: points is 'hip.L'; it must be a list of joints"),
        ({"points": ["tail"] * 9}, "solve_motion: points is naming 'tail'; it must be among pelvis"),
        ({"points": [("hip.L", [0, 0])] * 9}, r"solve_motion: points is .* \(2,\); it must be"),
        ({"feet": [["hip.L", "knee.L"]]}, "solve_motion: feet is .*; it must be 4 joints: hip, knee, ankle, toe"),
        (
            {"feet": FEET, "lock": {"hieght": 1}},
            "solve_motion: lock is with 'hieght'; it must be among blend, contacts",
        ),
        ({"fps": 0}, "solve_motion: fps is 0; it must be a finite number above 0"),
        ({"start": np.zeros(5)}, r"solve_motion: start is .* \(5,\); it must be"),
        ({"bounds": np.zeros((2, 2))}, r"solve_motion: bounds is .* \(2, 2\); it must be"),
    ],
)
def test_wrong_arguments_of_a_motion_are_named(change, message):
    arguments = {"model": RIG, "positions": positions(WALK)[:3], "points": NAMES, "fps": FPS, **change}
    with pytest.raises(ValueError, match=message):
        rc.ik.solve_motion(**arguments)


def test_a_rig_that_constraints_pose_is_refused():
    rig = legs()
    rig.posed_elsewhere = {"knee.L": "constraint IK"}
    with pytest.raises(ValueError, match=r"solve_motion: model is a rig whose joint 'knee.L' something else poses"):
        rc.ik.solve_motion(rig, positions(WALK)[:3], NAMES, fps=FPS)


def test_a_model_whose_channels_do_not_decide_its_poses_is_refused():
    """Its joints would move without limits."""
    entry = dict(on_model(RIG).metadata["channels"]) | {"joints": {"knee.L": "constraint IK"}}
    origins = SKELETON.rest_globals[:, :, 3]
    weights = (np.arange(len(NAMES))[:, None], np.ones((len(NAMES), 1)))
    posed = rc.LinearBlendSkinning(SKELETON, origins, np.zeros((0, 3), int), weights, metadata={"channels": entry})
    with pytest.raises(ValueError, match=r"knee\.L"):
        rc.ik.solve_motion(posed, positions(WALK)[:3], NAMES, fps=FPS)


CLIPS = ["01_01", "jumping_jacks", "zombie", "jumping"]


@pytest.mark.parametrize("clip", CLIPS)
def test_captured_motion_on_another_body(clip, data_path):
    """Against clipping and a lock: limits alike, half the error or little more, feet that stand, and hardly a pop."""
    from benchmarks.systems.ik.motion import Case, judge

    figures = judge(Case.load(clip, data_path("body_motion_bvh"), data_path("antonia_body"), most_frames=150))
    assert figures["degrees beyond a limit"] == 0.0
    assert figures["error mm"] < 0.7 * figures["locked: error mm"]
    assert figures["locked: degrees beyond a limit"] > 0.0
    assert figures["slide mm"] < 0.1
    assert figures["clipped: slide mm"] > 5.0
    assert figures["converged"] > 0.99
    assert figures["pops"] <= 0.02 * figures["frames"]
