"""Mechanisms in model files: what they make of channels, beside formulas written out, and what is refused."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core

ALONG_Y = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
JOINTS = ["upper", "lower", "tip"]


def at(y: float) -> list[float]:
    """A rest pose at a height, along the axes of the armature."""
    return [*ALONG_Y[:7], y, *ALONG_Y[8:]]


def arm(**change: Any) -> dict[str, Any]:
    """Two links of length 1 that reach for a goal, and a tip that copies a turn as far as a switch says."""
    mechanism: dict[str, Any] = {
        "object": ALONG_Y,
        "bones": [
            {"name": "goal", "parent": -1, "rest": at(1.5), "location_x": ["$goal.x"], "location_y": ["$goal.y"]},
            {"name": "dial", "parent": -1, "rest": at(0.0), "rotation_x": ["$turn", "radians"]},
            {"name": "upper", "parent": -1, "rest": at(0.0), "rotation_z": 0.4, "locked": ""},
            {"name": "lower", "parent": 2, "rest": at(1.0), "rotation_z": -0.8, "locked": "xy"},
            {"name": "tip", "parent": 3, "rest": at(2.0), "constraints": [
                {"kind": "COPY_ROTATION", "targets": [{"bone": 1}], "influence": ["1", "$switch", "-"],
                 "owner_space": "LOCAL", "target_space": "LOCAL"}]},
        ],
        "chains": [{"first": 2, "count": 2, "goals": [{"target": {"bone": 0}, "max_iterations": 500}]}],
    }  # fmt: skip
    for path, value in change.items():
        place: Any = mechanism
        *keys, last = path.split("__")
        for key in keys:
            place = place[int(key) if key.isdecimal() else key]
        place[int(last) if last.isdecimal() else last] = value
    return mechanism


def channels(mechanism: Any) -> Any:
    controls = [("goal.x", -1, 1, "rig"), ("goal.y", -1, 0.4, "rig"), ("turn", -60, 60, "degrees")]
    entries = [
        {"name": name, "kind": "control", "joint": None, "place": 0, "low": low, "high": high, "rest": 0, "unit": unit}
        for name, low, high, unit in controls
    ]
    entries.append({"name": "switch", "kind": "dial", "joint": None, "place": 0, "low": 0, "high": 1, "rest": 0,
                    "unit": ""})  # fmt: skip
    entry = {"list": entries, "followers": [], "joints": {}, "mechanism": mechanism}
    rest = np.tile(np.eye(3, 4), (3, 1, 1))
    rest[1:, 1, 3] = 1.0
    return _core.Channels(json.dumps(entry), rc.Skeleton(JOINTS, np.array([-1, 0, 1]), rest), ["switch"])


def turned(axis: str, degrees: float) -> Any:
    a, b = {"x": (1, 2), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    angle = np.radians(degrees)
    matrix[a, a] = matrix[b, b] = np.cos(angle)
    matrix[b, a], matrix[a, b] = np.sin(angle), -np.sin(angle)
    return matrix


GOALS = [(0.0, 0.0), (0.5, 0.2), (-0.7, -0.4), (0.9, -0.9)]


@pytest.mark.parametrize(("x", "y"), GOALS)
def test_a_chain_reaches_its_goal_in_closed_form(x: float, y: float, tolerance: Any) -> None:
    """Two links in a plane: the law of cosines, and the side to which the elbow is bent already."""
    poses = channels(arm()).poses(np.array([[x, y, 0.0, 0.0]]))[0, :36].reshape(3, 3, 4)
    distance = np.hypot(x, 1.5 + y)
    bent = -np.degrees(np.pi - np.arccos(1.0 - distance**2 / 2.0))
    lead = np.degrees(np.arctan2(-x, 1.5 + y)) - bent / 2.0
    assert np.abs(poses[0, :, :3] - turned("z", lead)).max() < 2e-3  # it stops when steps are a thousandth
    assert np.abs(poses[1, :, :3] - turned("z", bent)).max() < 2e-3
    np.testing.assert_allclose(poses[1:, :, 3], [[0, 1, 0]] * 2, atol=tolerance["float32"])


@pytest.mark.parametrize(("switch", "share"), [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)])
def test_a_driver_switches_a_constraint(switch: float, share: float, tolerance: Any) -> None:
    pose = channels(arm()).poses(np.array([[0.0, 0.0, 40.0, switch]]))[0]
    np.testing.assert_allclose(pose[24:36].reshape(3, 4)[:, :3], turned("x", 40.0 * share), atol=tolerance["float32"])
    assert pose[36] == np.float32(switch)


def test_poses_lead_back_to_channels() -> None:
    rows = np.random.default_rng(0).uniform([-0.8, -0.8, -50, 0], [0.8, 0.2, 50, 0.5], (20, 4))
    made = channels(arm())
    found, residuals = made.channels(made.poses(rows))
    assert residuals.max() < 5e-3
    np.testing.assert_allclose(found[:, 3], rows[:, 3], atol=1e-5)  # it stands in the pose
    np.testing.assert_allclose(found[:, 2], rows[:, 2], atol=0.5)  # degrees; a switch leaves half of the turn or more
    np.testing.assert_allclose(found[:, :2], rows[:, :2], atol=5e-3)  # the chain stops when steps are a thousandth


def stretched(channel: dict[str, Any], **control: Any) -> Any:
    """A joint that stretches from the origin to a control at height 1, which one channel moves."""
    mechanism = {
        "object": ALONG_Y,
        "bones": [
            {"name": "goal", "parent": -1, "rest": at(1.0), **control},
            {"name": "upper", "parent": -1, "rest": at(0.0), "constraints": [
                {"kind": "STRETCH_TO", "targets": [{"bone": 0}], "length": 1.0, "volume": [0.5, 0.0, 0.5]}]},
        ],
        "chains": [],
    }  # fmt: skip
    about = {"name": "move", "kind": "control", "joint": None, "place": 0, "rest": 0, "unit": "rig", **channel}
    entry = json.dumps({"list": [about], "followers": [], "joints": {}, "mechanism": mechanism})
    return _core.Channels(entry, rc.Skeleton(["upper"], np.array([-1]), np.eye(3, 4)[None]), [])


@pytest.mark.parametrize("move", [-0.4, -0.8, -1.1, -1.5, -2.0])
def test_a_bone_that_flips_on_the_way_is_followed(move: float) -> None:
    """Where the control passes the head, at a distance of 0.02, the bone turns round and is seven times as wide."""
    made = stretched({"low": -2, "high": 0}, location_x=0.02, location_y=["$move"])
    found, residuals = made.channels(made.poses(np.array([[move]])))
    assert residuals[0] < 5e-3
    np.testing.assert_allclose(found, [[move]], atol=1e-4)  # where the search stops


@pytest.mark.parametrize("move", [0, 3, 77, 150])
def test_whole_numbers_that_a_pose_does_not_state_are_found(move: int) -> None:
    made = stretched({"low": 0, "high": 150, "whole": True}, location_x=["$move", "0.1", "*"])
    found, residuals = made.channels(made.poses(np.array([[float(move)]])))
    assert residuals[0] < 5e-3
    assert found[0, 0] == move


def test_a_control_that_has_no_effect_stays_at_rest() -> None:
    made = channels(arm())
    found, _ = made.channels(made.poses(np.array([[0.3, 0.1, 35.0, 1.0]])))
    assert abs(found[0, 2]) < 1e-3


def test_the_same_bytes_for_one_frame_and_many() -> None:
    rows = np.random.default_rng(1).uniform(-0.5, 0.3, (300, 4))
    made = channels(arm())
    assert np.array_equal(made.poses(rows)[[7, 250]], np.concatenate([made.poses(rows[[7]]), made.poses(rows[[250]])]))


def following(kind: str, **settings: Any) -> dict[str, Any]:
    return {"kind": kind, "targets": [{"bone": 1}], **settings}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bones": None}, "bones is not a list of objects"),
        ({"object": [0] * 12}, "object is a matrix that cannot be inverted"),
        ({"object": [1, 2]}, "object is 2 numbers; it must be 12"),
        ({"bones__0__rest": [0] * 12}, "with bone 'goal' flat at rest"),
        ({"bones__0__rest": ["a"] * 12}, r"bones\[0\].rest is not a list of numbers"),
        ({"bones__0__parent": 1}, "with bone 'goal' before 'dial'"),
        ({"bones__0__parent": 9}, "with bone 'goal' on a parent that does not exist"),
        ({"bones__0__parent": 2**40}, "it must be the index of a bone"),
        ({"bones__0__location_x": ["$nobody"]}, "with the unknown channel 'nobody'"),
        ({"bones__0__location_x": ["import"]}, "with the word 'import'"),
        ({"bones__0__location_x": ["1", "+"]}, r"with too few values for '\+'"),
        ({"bones__0__location_x": ["1", "2"]}, "of 2 results"),
        ({"bones__0__location_x": []}, "of 0 results"),
        ({"bones__0__location_x": ["1"] * 40}, "with more than 32 values at a time"),
        ({"bones__0__location_x": 1e400}, "."),
        ({"bones__0__order": "XYY"}, "is 'XYY'; it must be an order of X, Y and Z"),
        ({"bones__0__inherits_scale": "SOME"}, "is 'SOME'; it must be a known word"),
        ({"bones__4__constraints__0__kind": "MAGIC"}, "is 'MAGIC'; it must be a known word"),
        ({"bones__4__constraints__0": {}}, "kind is missing"),
        ({"bones__4__constraints__0": following("STRETCH_TO")}, "length is 0; it must be positive"),
        ({"bones__4__constraints__0__targets": []}, "with bone 'tip' with nothing to follow"),
        ({"bones__4__constraints__0__targets__0__bone": 7}, "with bone 'tip' after a bone that does not exist"),
        ({"bones__4__constraints__0__targets__0__bone": 4}, "with bone 'tip' before 'tip'"),
        ({"bones__4__constraints__0__axes": "xw"}, "'xw'; it must be of letters x, y, z"),
        ({"bones__4__constraints__0__low": [1, 0, 0]}, "low is above high"),
        ({"bones__3__locked": "x"}, "with a bone that turns about two axes"),
        ({"chains__0__first": -1}, "no chain"),
        ({"chains__0__count": 9}, "of bones that do not exist"),
        ({"chains__0__first": 0}, "in two chains or apart"),
        ({"chains__0__goals__0__max_iterations": 0}, "max_iterations is 0"),
        ({"chains__0__goals__0__max_iterations": 10**9}, "max_iterations is 1000000000"),
        ({"chains__0__goals__0__target": {"bone": 3}}, "with bone 'upper' before what its own chain reaches for"),
        ({"chains__0__goals__0__target": {"bone": 11}}, "after a bone that does not exist"),
    ],
)
def test_malformed_mechanisms_are_refused_by_name(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        channels(copy.deepcopy(arm(**change)))


def test_a_control_needs_a_mechanism() -> None:
    about = {"kind": "control", "joint": None, "place": 0, "low": 0, "high": 1, "rest": 0, "unit": ""}
    entry = json.dumps({"list": [{"name": "goal.x", **about}], "followers": [], "joints": {}})
    with pytest.raises(ValueError, match=r"'goal.x' is of kind control without a mechanism"):
        _core.Channels(entry, None, [])
