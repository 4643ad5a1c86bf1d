"""What channels, poses and model files are refused for, by name."""

import json

import numpy as np
import pytest

from rigcast import _core
from tests.rig.channels import (
    FOLLOWERS,
    channel,
    entry,
    model_of,
    random_rows,
    three_joints,
)


def refused(model, words):
    rows = np.zeros((1, len(model.channels)))
    for call in (lambda: model.poses_from_channels(rows), lambda: model.channels_from_poses(np.zeros((1, 38)))):
        with pytest.raises(ValueError, match=words):
            call()


def test_an_undecided_channel_is_named():
    channels = three_joints()
    channels["list"][1]["reason"] = "joint 'joint0': constraint 'Copy'"
    model = model_of(channels)
    assert not model.channels[1].follows_kinematics
    refused(model, r"plain kinematics does not decide channel 'joint0.rx' \(joint 'joint0': constraint 'Copy'\)")


def test_a_joint_posed_by_something_else_is_named():
    channels = three_joints()
    channels["joints"] = {"joint2": "a driver"}
    refused(model_of(channels), r"does not decide joint 'joint2' \(a driver\)")


def test_a_control_without_a_dial_is_named():
    channels = three_joints()
    channels["list"].pop(6)
    refused(model_of(channels), r"does not decide control 'smile' \(no channel sets it\)")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.zeros((2, 8)), r"channels is \(2, 8\)"),
        (np.full((2, 10), np.nan), "channels is not finite everywhere"),
        (np.full((2, 10), 1e300), "channels is so large that poses overflow float32"),
        (["a"], "channels is "),
    ],
)
def test_wrong_channels(rows, words):
    with pytest.raises(ValueError, match=rf"^poses_from_channels: {words}"):
        model_of(three_joints()).poses_from_channels(rows)


@pytest.mark.parametrize(
    ("poses", "words"), [(np.zeros((2, 37)), r"poses is \(2, 37\)"), (np.full((2, 38), np.inf), "poses is not finite")]
)
def test_wrong_poses(poses, words):
    with pytest.raises(ValueError, match=rf"^channels_from_poses: {words}"):
        model_of(three_joints()).channels_from_poses(poses)


def broken(**change):
    return entry(*[c | change if c["name"] == "joint0.ry" else c for c in three_joints()["list"]])


def following(**change):
    return three_joints() | {"followers": [FOLLOWERS[0] | change]}


@pytest.mark.parametrize(
    ("channels", "words"),
    [
        (None, "metadata.channels is no object; it must be an object"),
        ([], "metadata.channels is no object; it must be an object"),
        ({"list": []}, "metadata.channels.followers is missing; it must be a list of objects"),
        ({"list": {}, "followers": [], "joints": {}}, "metadata.channels.list is not a list of objects"),
        (following(joint="joint9"), r"followers\[0\].joint is 'joint9'; it must be null or a joint of the model"),
        (following(joint=None), "followers is without a known joint"),
        (following(channel="nobody"), r"followers\[0\].channel is 'nobody'; it must be the name of a channel"),
        (following(axis="w"), r"followers\[0\].axis is 'w'"),
        (following(place=0), "in a place that another rotation has"),
        (following(place=3), "on a joint without a rotation in place 2"),
        (following(factor=None), r"followers\[0\].factor is no number; it must be a number"),
        (following(factor=1e300), "a finite factor"),
        (following(speed=1), r"followers\[0\] is with 'speed'; it must be of known keys"),
        (entry(3), r"metadata.channels.list is not a list of objects"),
        (entry({}), r"metadata.channels.list\[0\].name is missing"),
        (broken(kind="shear"), r"list\[2\].kind is 'shear'; it must be a known kind"),
        (broken(kind=3), r"list\[2\].kind is not a text"),
        (broken(name=None), r"list\[2\].name is not a text"),
        (broken(name=""), "the name '' empty or twice"),
        (broken(name="joint0.rx"), "the name 'joint0.rx' empty or twice"),
        (broken(joint="joint9"), r"list\[2\].joint is 'joint9'; it must be null or a joint of the model"),
        (broken(joint=None), "'joint0.ry' is without its joint"),
        (broken(kind="dial", unit=""), r"list\[2\].joint is 'joint0'; it must be null for a dial"),
        (broken(kind="dial", unit="", joint=None), "'joint0.ry' is without its joint or control"),
        (broken(kind="other", unit="", joint=None), "'joint0.ry' is of kind other without a reason"),
        (
            broken(kind="other", unit=""),
            r"list\[2\].joint is 'joint0'; it must be null for a dial and for kinds control and other",
        ),
        (broken(unit="radians"), r"list\[2\].unit is 'radians'; it must be 'degrees'"),
        (broken(place=-1), r"list\[2\].place is -1; it must be a whole number from 0"),
        (broken(place=1.5), r"list\[2\].place is 1.500000; it must be a whole number"),
        (broken(place=2**40), r"list\[2\].place is 1099511627776; it must be a whole number from 0"),
        (broken(place=1000), "is in place 1000; it must be in a place from 0 to 31"),
        (broken(place=1), "in a place that another rotation has"),
        (broken(place=3), "on a joint without a rotation in place 2"),
        (broken(low=90), "with its lower bound above the upper one"),
        (broken(high=1e300), "not finite in float32"),
        (broken(rest="0"), r"list\[2\].rest is no number; it must be a number"),
        (broken(whole=1), r"list\[2\].whole is something else; it must be true or false"),
        (broken(color="red"), r"list\[2\] is with 'color'; it must be of known keys"),
        (broken(kind="translate_x", unit="rig"), "is on what 'joint0.ry' sets"),
        (entry(joints={"joint7": "x"}), "joints is naming 'joint7'"),
        (entry(joints={"joint0": 3}), "joints.joint0 is not a text"),
    ],
)
def test_malformed_entries_are_refused_by_name(channels, words):
    with pytest.raises(ValueError, match=words.replace('"', ".")):
        model_of(channels)


def test_a_hostile_list_costs_no_memory():
    channels = [channel(f"c{i}", "rotate_x", f"joint{i % 3}", 2**20) for i in range(2000)]
    with pytest.raises(ValueError, match="place"):
        model_of(entry(*channels))


def test_the_entry_alone_gives_the_same_poses():
    model = model_of(three_joints())
    alone = _core.Channels(json.dumps(three_joints()), model.skeleton, ["mode", "smile"])
    rows = random_rows(model)
    np.testing.assert_array_equal(alone.poses(rows), model.poses_from_channels(rows))
    for a, b in zip(alone.channels(alone.poses(rows)), model.channels_from_poses(alone.poses(rows)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_poses_whose_channels_overflow_are_named():
    model = model_of(three_joints())
    poses = np.full((2, len(model.control_names)), 3.3e38, np.float32)
    poses[0] = model.poses_from_channels(random_rows(model))[0]
    with pytest.raises(ValueError, match="channels_from_poses: poses is so large in row 1 that channels overflow"):
        model.channels_from_poses(poses)


def test_what_is_no_skeleton_is_named():
    with pytest.raises(ValueError, match="Channels: skeleton is of type int; it must be a Skeleton or None"):
        _core.Channels(json.dumps(three_joints()), 3, ["mode", "smile"])
