"""Handles of arms, legs and the torso: which joints they are, where they go, and what stays."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._handles._finding import find_limbs
from rigcast.viewer._staging import stage_of
from tests.conftest import TOLERANCES
from tests.view.frames import header_of
from tests.view.page_messages import page_messages
from tests.view.stage.bodies import NAMED, body, other_side, skinned

STEPS = TOLERANCES["float32_scaled"]  # joint by joint in float32
WIRE = TOLERANCES["float32_character"]  # rows are sent with four digits
CLOSE = TOLERANCES["printed"]  # where least squares stop, of meters and degrees


@pytest.fixture
def stage():
    return stage_of(skinned(body(NAMED["plain"])))


def handles(stage):
    """Handles by name, as the page gets them."""
    return {h["name"]: {**h, "number": k} for k, h in enumerate(header_of(stage.step([], 0.0))["handles"])}


def pull(stage, name, target, firm=False, drop=True):
    """Grip a handle, pull it to a target in one step, and let go."""
    number, at = handles(stage)[name]["number"], handles(stage)[name]["at"]
    normal = np.cross(np.subtract(target, at), [0.3, 0.5, 0.8])  # of a plane with both places
    eye = np.asarray(target) + 4 * normal / np.linalg.norm(normal)
    messages = [
        {"type": "grip", "handle": number, "facing": normal.tolist(), "firm": firm},
        {"type": "pull", "handle": number, "origin": eye.tolist(), "direction": (target - eye).tolist()},
        {"type": "drop", "handle": number},
    ]
    return header_of(stage.step(page_messages(*messages[: 3 if drop else 2]), 0.0))


@pytest.mark.parametrize("convention", sorted(NAMED))
def test_limbs_are_found_by_the_names_of_five_conventions(convention):
    names = NAMED[convention]
    skeleton = body(names)
    found = {tuple(skeleton.names[j] for j in limb.joints): limb.kind for limb in find_limbs(skeleton, "Y")}
    assert [limb.side for limb in find_limbs(skeleton, "Y")].count("left") == 2
    sides = [names, [other_side(name) for name in names]]
    assert found == {tuple(own[k : k + 3]): kind for own in sides for k, kind in ((0, "leg"), (3, "arm"))}


def test_limbs_of_nameless_joints_are_found_by_their_mirrored_bones():
    named = body(NAMED["plain"])
    plain = rc.Skeleton([f"node {j}" for j in range(len(named.names))], named.parents, named.rest)
    expected = {limb.joints: limb.kind for limb in find_limbs(named, "Y")}
    assert {limb.joints: limb.kind for limb in find_limbs(plain, "Y")} == expected


def test_a_face_has_no_limbs():
    assert header_of(stage_of(rc.faces.example()).scene())["handles"] is False


@pytest.mark.parametrize(
    ("file", "ends"),
    [
        ("human-male.glb", {"foot_l", "foot_r", "hand_l", "hand_r"}),
        ("Fox.glb", {"b_LeftFoot01_017", "b_RightFoot01_021", "b_LeftHand_011", "b_RightHand_08"}),
        ("cesium_man.gltf", {"node 5", "node 9", "node 15", "node 18"}),
        ("horse-animations.glb", {f"{end}_leg_ankle_{s}" for end in ("back", "front") for s in "lr"}),
    ],
)
def test_limbs_of_characters(file, ends, data_path):
    rig = rc.sources.load(data_path("skinned_glb", file))
    assert {limb.name for limb in find_limbs(rig.skeleton, rig.up_axis)} == ends


def test_an_end_goes_where_it_is_pulled_and_keeps_its_orientation(stage):
    target = np.array([0.5, 1.15, 0.25])
    pull(stage, "hand_l", target)
    skeleton, pose = stage.figure.skeleton, stage.figure.pose(stage.state)
    hand = skeleton.globals(pose[None])[0][skeleton.names.index("hand_l")]
    assert hand[:, 3] == pytest.approx(target, abs=STEPS)
    assert hand[:, :3] == pytest.approx(np.eye(3), abs=STEPS)
    assert handles(stage)["hand_l"]["at"] == pytest.approx(target, abs=STEPS)


def test_other_limbs_do_not_move(stage):
    before = handles(stage)
    pull(stage, "hand_l", np.array([0.5, 1.15, 0.25]))
    after = handles(stage)
    for name in set(before) - {"hand_l", "hand_l, pole"}:
        assert after[name]["at"] == pytest.approx(before[name]["at"], abs=STEPS)


def test_a_gripped_handle_that_is_not_moved_changes_nothing(stage):
    before = handles(stage)
    pull(stage, "foot_l", np.add(before["foot_l"]["at"], 1e-7))
    after = handles(stage)
    for name in before:
        assert after[name]["at"] == pytest.approx(before[name]["at"], abs=STEPS)


def test_a_pole_turns_the_knee_towards_it_and_leaves_the_foot(stage):
    foot = handles(stage)["foot_l"]["at"]
    pull(stage, "foot_l", np.add(foot, [0, 0.2, 0]))
    raised = handles(stage)["foot_l"]["at"]
    aside = np.array([1.5, raised[1] + 0.3, 0.0])
    pull(stage, "foot_l, pole", aside)
    after = handles(stage)
    assert after["foot_l"]["at"] == pytest.approx(raised, abs=STEPS)
    hip = np.array([0.1, 0.95, 0.0])
    line = np.subtract(raised, hip) / np.linalg.norm(np.subtract(raised, hip))
    across = [v - (v @ line) * line for v in (np.subtract(after["foot_l, pole"]["tie"], hip), aside - hip)]
    cosine = across[0] @ across[1] / (np.linalg.norm(across[0]) * np.linalg.norm(across[1]))
    assert cosine == pytest.approx(1.0, abs=STEPS)


@pytest.mark.parametrize("firm", [False, True])
def test_the_torso_moves_while_feet_stay_and_with_shift_hands_too(stage, firm):
    before = handles(stage)
    shift = np.array([0.03, -0.15, 0.05])
    pull(stage, "torso", np.add(before["torso"]["at"], shift), firm=firm)
    after = handles(stage)
    for name in ("foot_l", "foot_r"):
        assert after[name]["at"] == pytest.approx(before[name]["at"], abs=WIRE)
    hands = np.zeros(3) if firm else shift
    for name in ("hand_l", "hand_r"):
        reachable = name == "hand_r" or not firm
        moved = np.subtract(after[name]["at"], before[name]["at"])
        assert not reachable or moved == pytest.approx(hands, abs=0.06 if firm else 1e-4)  # straight arms are short
    assert header_of(stage.step([], 0.0))["row"][-3:] == pytest.approx(shift, abs=WIRE)


def test_a_target_out_of_reach_straightens_the_limb_and_stays_marked(stage):
    header = pull(stage, "hand_l", np.array([2.0, 1.4, 0.0]), drop=False)
    (hand,) = [h for h in header["handles"] if h["name"] == "hand_l"]
    assert hand["target"] == pytest.approx([2.0, 1.4, 0.0], abs=STEPS)
    reach = 2 * np.hypot(0.25, 0.03)
    assert np.linalg.norm(np.subtract(hand["at"], [0.2, 1.4, 0.0])) == pytest.approx(reach, abs=STEPS)


def test_what_follows_depends_on_the_target_not_on_the_way(stage):
    target, number = np.array([0.4, 1.2, 0.3]), handles(stage)["hand_l"]["number"]
    ray = {"origin": [0.4, 1.2, 5.0], "direction": [0, 0, -1]}
    pull(stage, "hand_l", target)
    direct = stage.state.row.copy()
    stage.step(page_messages({"type": "undo"}), 0.0)
    normal = np.cross(np.subtract(target, handles(stage)["hand_l"]["at"]), [0.3, 0.5, 0.8])
    stage.step(page_messages({"type": "grip", "handle": number, "facing": normal.tolist(), "firm": False}), 0.0)
    for x in (2.0, -0.3, 0.1, 0.4):
        far = {**ray, "origin": [x, 1.0 if x != 0.4 else 1.2, 5.0]}
        stage.step(page_messages({"type": "pull", "handle": number, **far}), 0.0)
    assert stage.state.row == pytest.approx(direct, abs=CLOSE)  # degrees


def test_a_pull_is_one_step_to_undo(stage):
    rest = stage.state.row.copy()
    pull(stage, "hand_l", np.array([0.5, 1.15, 0.25]))
    assert np.abs(stage.state.row - rest).max() > 10
    header = header_of(stage.step(page_messages({"type": "undo"}), 0.0))
    assert (header["row"], header["undo"]) == (pytest.approx(rest.tolist()), False)


@pytest.mark.parametrize("kind", ["pull", "drop"])
def test_a_handle_that_is_not_held_does_nothing(stage, kind):
    before = handles(stage)
    ray = {"origin": [0, 1, 5], "direction": [0, 0, -1]} if kind == "pull" else {}
    header = header_of(stage.step(page_messages({"type": kind, "handle": 0, **ray}), 0.0))
    assert (header["undo"], handles(stage)) == (False, before)


def test_a_handle_that_does_not_exist_is_refused(stage):
    grip = {"type": "grip", "handle": 99, "facing": [0, 0, 1], "firm": False}
    assert "handle 99 of 9" in header_of(stage.step(page_messages(grip), 0.0))["notice"]


def limited(low, high):
    """The body with channels: shoulders turn about all axes, elbows bend about y within a range in degrees."""
    skeleton = body(NAMED["plain"])
    channels = []
    for name in (name for name in skeleton.names if "arm" in name):
        elbow = name.startswith("lower")
        sided = (low, high) if name.endswith("_l") else (-high, -low)
        for place, axis in enumerate("y" if elbow else "xyz"):
            ends = sided if elbow else (-120.0, 120.0)
            about = {"name": f"{name}.{axis}", "kind": f"rotate_{axis}", "joint": name, "place": place}
            about |= {"low": ends[0], "high": ends[1], "rest": 0.0, "unit": "degrees", "whole": False, "reason": ""}
            channels.append(about)
    plain = skinned(skeleton)
    weights = np.repeat(np.eye(len(skeleton.names)), 8, axis=0)
    about = {"channels": {"list": channels, "followers": [], "joints": {}}}
    return rc.LinearBlendSkinning(skeleton, plain.rest_vertices, plain.faces, weights, metadata=about)


def test_with_channels_the_end_is_reached_by_a_pose_of_theirs():
    model = limited(-130.0, 0.0)
    stage = stage_of(model)
    for target in ([0.5, 1.2, 0.2], [0.35, 1.5, 0.3], [0.3, 1.15, 0.25]):
        pull(stage, "hand_l", np.array(target))
        assert handles(stage)["hand_l"]["at"] == pytest.approx(target, abs=2e-3)  # beside the hand's orientation
        row = stage.state.row
        assert (row >= stage.ranges[:, 0]).all()
        assert (row <= stage.ranges[:, 1]).all()
        in_place = stage.figure.without_offset(stage.figure.pose(stage.state), row[-3:].astype(float))
        assert in_place == pytest.approx(model.poses_from_channels(row[None, :-3])[0], abs=STEPS)


def test_a_range_that_keeps_the_elbow_straight_keeps_the_hand_out_there():
    stage = stage_of(limited(-10.0, 0.0))
    pull(stage, "hand_l", np.array([0.35, 1.4, 0.3]))
    reach = np.linalg.norm(np.subtract(handles(stage)["hand_l"]["at"], [0.2, 1.4, 0.0]))
    assert reach > 0.45


def test_a_model_that_moves_elsewhere_is_still_dragged_by_its_skin():
    stage = stage_of(skinned(body(NAMED["plain"])))
    shift = np.array([0.3, -0.1, 0.4])
    pull(stage, "torso", np.add(handles(stage)["torso"]["at"], shift), firm=True)
    hand = np.array(handles(stage)["hand_l"]["at"])
    eye, target = np.add(hand, [0, 0, 3]), np.add(hand, [0, -0.15, 0])
    ray = {"origin": eye.tolist(), "direction": [0.0, 0.0, -1.0]}
    stage.step(page_messages({"type": "grab", "pin": 5, "facing": ray["direction"], **ray}), 0.0)
    stage.step(page_messages({"type": "drag", "pin": 5, **ray, "direction": (target - eye).tolist()}), 0.0)
    while stage.is_restless:
        stage.step([], 0.0)
    (pin,) = header_of(stage.step([], 0.0))["pins"]
    assert pin["at"] == pytest.approx(pin["target"], abs=CLOSE)
    assert stage.state.row[-3:] == pytest.approx(shift, abs=WIRE)


def test_a_clip_that_walks_is_played_and_keyed_where_it_walks():
    model = skinned(body(NAMED["plain"]))
    rest = model.skeleton.rest.reshape(-1).astype(np.float32)
    clip = np.repeat(rest[None], 4, axis=0)
    clip[:, 11] += np.arange(4)
    stage = stage_of(model, poses=clip)
    assert header_of(stage.step(page_messages({"type": "seek", "at": 3}), 0.0))["row"][-1] == pytest.approx(3.0)
    stage.step(page_messages({"type": "key"}), 0.0)  # from now on by channels
    stage.step(page_messages({"type": "seek", "at": 2}), 0.0)
    expected = model.evaluate(clip[2:3])[0]
    assert stage.vertices == pytest.approx(expected, abs=WIRE)
