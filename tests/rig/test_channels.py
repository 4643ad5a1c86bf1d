"""Channels of model files: kinematics against a slow oracle, the way back, and the reader."""

import json

import numpy as np
import pytest

import rigwright as rw
from rigwright import _core
from rigwright.sources.rotations import axis_rotation
from tests.support.models import chain_skeleton, common_tensors, metadata

AXES = "xyz"


def channel(name, kind, joint=None, place=0, low=-170.0, high=170.0, rest=0.0, **more):
    unit = {"rotate": "degrees", "translate": "rig"}.get(kind.split("_")[0], "")
    return {
        "name": name, "kind": kind, "joint": joint, "place": place, "low": low, "high": high, "rest": rest,
        "unit": unit, **more,
    }  # fmt: skip


def rotations(joint, order, low=-80.0, high=80.0, listed=None):
    """Rotation channels of a joint, listed in another order than they multiply in."""
    places = {axis.lower(): place for place, axis in enumerate(order)}
    return [channel(f"{joint}.r{a}", f"rotate_{a}", joint, places[a], low, high) for a in listed or sorted(places)]


def entry(*channels, joints=None, followers=()):
    return {"list": list(channels), "followers": list(followers), "joints": joints or {}}


def three_joints():
    """One joint with everything, one with two axes, one with none; two dials."""
    return entry(
        channel("joint0.ty", "translate_y", "joint0"),
        *rotations("joint0", "ZXY"),
        channel("joint0.tx", "translate_x", "joint0"),
        channel("joint0.sz", "scale_z", "joint0", low=0.5, high=2.0, rest=1.0),
        channel("smile", "dial", low=0.0, high=1.0),
        *rotations("joint1", "YX"),
        channel("mode", "dial", low=0.0, high=3.0, whole=True),
    )


FOLLOWERS = [
    {"joint": "joint1", "channel": "joint0.rx", "axis": "z", "place": 2, "factor": -0.5},
    {"joint": "joint2", "channel": "joint0.rz", "axis": "x", "place": 0, "factor": 1.0},
]


def with_followers():
    """The same; the second joint's third axis and the last joint turn with the first."""
    return three_joints() | {"followers": FOLLOWERS}


def linear_blend(skeleton, numeric=(), **more):
    tensors = common_tensors(skeleton, 12, numeric=len(numeric)) | {
        "skin.joint": np.zeros((12, 1), np.int32),
        "skin.weight": np.ones((12, 1), np.float32),
    }
    return _core.model_from_tensors(tensors, metadata("linear_blend", skeleton, list(numeric), **more))


def model_of(channels, numeric=("mode", "smile"), num_joints=3):
    return linear_blend(chain_skeleton(num_joints, seed=4), numeric, channels=channels)


def slow_poses(model, rows, followers=()):
    """rest T R_a R_b ... S, one joint and one row at a time."""
    index = {c.name: c.index for c in model.channels}
    poses = []
    for row in np.asarray(rows, np.float64):
        parts = []
        for joint, rest in zip(model.skeleton.names, model.skeleton.rest.astype(np.float64), strict=True):
            mine = [(c, row[c.index]) for c in model.channels if c.joint == joint]
            own = np.eye(4)
            for c, value in mine:
                if c.kind.startswith("translate"):
                    own[AXES.index(c.kind[-1]), 3] = value
            turns = [(c.place, c.kind[-1], value) for c, value in mine if c.unit == "degrees"]
            turns += [
                (f["place"], f["axis"], f["factor"] * row[index[f["channel"]]])
                for f in followers
                if f["joint"] == joint
            ]
            for _, axis, value in sorted(turns):
                turn = np.eye(4)
                turn[:3, :3] = axis_rotation(axis.upper(), value)
                own = own @ turn
            for c, value in mine:
                if c.kind.startswith("scale"):
                    own[:3, AXES.index(c.kind[-1])] *= value
            parts.append((np.vstack([rest, [0, 0, 0, 1]]) @ own)[:3].ravel())
        values = {c.name: np.rint(row[c.index]) if c.whole else row[c.index] for c in model.channels}
        parts.append([values[name] for name in model.control_names[12 * len(model.skeleton.names) :]])
        poses.append(np.concatenate(parts))
    return np.array(poses)


def random_rows(model, count=20, seed=0):
    low, high = np.array([(c.low, c.high) for c in model.channels]).T
    return np.random.default_rng(seed).uniform(low, high, (count, len(low))).astype(np.float32)


def test_poses_are_those_of_the_formula(tolerance):
    model = model_of(three_joints())
    rows = random_rows(model)
    expected = slow_poses(model, rows)
    np.testing.assert_allclose(
        model.poses_from_channels(rows), expected, atol=tolerance["float32"] * np.abs(expected).max()
    )


def test_followers_turn_with_their_leader(tolerance):
    model = model_of(with_followers())
    rows = random_rows(model)
    expected = slow_poses(model, rows, FOLLOWERS)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.poses_from_channels(rows), expected, atol=tolerance["float32"] * scale)


def test_channels_come_back_beside_followers():
    model = model_of(with_followers())
    rows = random_rows(model)
    rows[:, -1] = np.rint(rows[:, -1])  # the whole dial
    found, residual = model.channels_from_poses(model.poses_from_channels(rows))
    np.testing.assert_allclose(found, rows, atol=2e-3)  # degrees: near 80 the outer angles magnify rounding six times
    assert residual.max() < 2e-5


def test_the_rotation_order_matters():
    channels = three_joints()
    model = model_of(channels)
    swapped = [c | {"place": 2 - c["place"]} if c["name"].startswith("joint0.r") else c for c in channels["list"]]
    rows = random_rows(model)
    other = model_of(entry(*swapped)).poses_from_channels(rows)
    assert np.abs(other - model.poses_from_channels(rows)).max() > 0.1


def test_channels_at_zero_give_the_rest_pose(tolerance):
    model = model_of(three_joints())
    row = [c.rest for c in model.channels]
    np.testing.assert_allclose(
        model.poses_from_channels(row)[:36], model.skeleton.rest.ravel(), atol=tolerance["float32"]
    )


def test_channels_come_back_from_their_poses():
    model = model_of(three_joints())
    rows = random_rows(model)
    rows[:, -1] = np.rint(rows[:, -1])  # the whole dial
    found, _ = model.channels_from_poses(model.poses_from_channels(rows))
    np.testing.assert_allclose(found, rows, atol=2e-3)  # degrees: near 80 the outer angles magnify rounding six times


def test_the_residual_of_reachable_poses_is_rounding(tolerance):
    model = model_of(three_joints())
    poses = model.poses_from_channels(random_rows(model))
    _, residual = model.channels_from_poses(poses)
    assert residual.shape == (20,)
    assert residual.max() < tolerance["float32"] * np.abs(poses).max()


def test_the_residual_is_the_largest_difference_of_an_entry():
    model = model_of(three_joints())
    poses = model.poses_from_channels(random_rows(model))
    poses[3, 24 + 7] += 0.5  # the joint that has no channels
    found, residual = model.channels_from_poses(poses)
    expected = np.abs(model.poses_from_channels(found) - poses).max(axis=1)
    np.testing.assert_array_equal(residual, expected)
    assert residual[3] == pytest.approx(0.5)


def test_one_row_in_one_row_out():
    model = model_of(three_joints())
    rows = random_rows(model, 1)
    pose = model.poses_from_channels(rows[0])
    np.testing.assert_array_equal(pose, model.poses_from_channels(rows)[0])
    found, residual = model.channels_from_poses(pose)
    assert found.shape == (len(rows[0]),)
    assert isinstance(residual, float)


def test_no_rows():
    model = model_of(three_joints())
    found, residual = model.channels_from_poses(model.poses_from_channels(np.empty((0, 10))))
    assert (found.shape, residual.shape) == ((0, 10), (0,))


def test_a_collapsed_axis_loses_no_rotation(tolerance):
    model = model_of(three_joints())
    rows = random_rows(model)
    rows[:, [c.kind for c in model.channels].index("scale_z")] = 0.0
    poses = model.poses_from_channels(rows)
    assert model.channels_from_poses(poses)[1].max() < tolerance["float32"] * np.abs(poses).max()


@pytest.mark.parametrize("order", ["X", "Y", "Z", "XY", "ZX", "XYZ", "ZYX", "YXZ", "XYX", "ZYZ"])
def test_every_order_comes_back(order, tolerance):
    places = [channel(f"r{i}", f"rotate_{a.lower()}", "joint0", i) for i, a in enumerate(order)]
    model = model_of(entry(*places), numeric=(), num_joints=1)
    poses = model.poses_from_channels(random_rows(model, 50))
    assert model.channels_from_poses(poses)[1].max() < 5 * tolerance["float32"]


def test_an_order_beyond_euler_angles_is_refused_backwards_only():
    places = [channel(f"r{i}", f"rotate_{a}", "joint0", i) for i, a in enumerate("xyzx")]
    model = model_of(entry(*places), numeric=(), num_joints=1)
    poses = model.poses_from_channels(random_rows(model))
    with pytest.raises(ValueError, match="joint 'joint0' turns in order XYZX"):
        model.channels_from_poses(poses)


def test_what_a_channel_says_of_itself():
    model = model_of(three_joints())
    smile, turn = model.channels[6], model.channels[2]
    assert (smile.name, smile.kind, smile.joint, smile.index, smile.unit) == ("smile", "dial", None, 6, "")
    assert (turn.name, turn.kind, turn.joint, turn.place, turn.unit) == (
        "joint0.ry",
        "rotate_y",
        "joint0",
        2,
        "degrees",
    )
    assert (turn.low, turn.high, turn.rest, turn.follows_kinematics, turn.reason) == (-80, 80, 0, True, "")
    assert repr(turn) == "<rigwright.Channel 2 'joint0.ry': rotate_y of joint0, -80 to 80 degrees, rest 0>"
    with pytest.raises(AttributeError):
        turn.low = 3.0


def test_saved_models_keep_their_channels(tmp_path):
    model = model_of(three_joints())
    model.save(tmp_path / "a.safetensors")
    assert [repr(c) for c in rw.load(tmp_path / "a.safetensors").channels] == [repr(c) for c in model.channels]


def test_a_model_file_without_channels_says_so():
    model = linear_blend(chain_skeleton(2))
    assert model.channels == []
    with pytest.raises(ValueError, match="poses_from_channels: the model file carries no channels"):
        model.poses_from_channels(np.zeros((1, 0)))
    with pytest.raises(ValueError, match="channels_from_poses: the model file carries no channels"):
        model.channels_from_poses(np.zeros((1, 24)))


def test_the_channels_of_a_blendshape_rig_are_its_dials():
    rig = rw.BlendshapeRig(np.zeros((3, 3)), np.ones((2, 3, 3)), names=["a", "b"], bounds=(-0.5, 2.0))
    assert [(c.name, c.kind, c.joint, c.low, c.high, c.rest) for c in rig.channels] == [
        ("a", "dial", None, -0.5, 2.0, 0.0),
        ("b", "dial", None, -0.5, 2.0, 0.0),
    ]
    weights = np.float32([[0.25, 1.5]])
    np.testing.assert_array_equal(rig.poses_from_channels(weights), weights)


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
        (following(place=0), "in another's place"),
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
        (broken(kind="other", unit=""), r"list\[2\].joint is 'joint0'; it must be null for a dial and for kind other"),
        (broken(unit="radians"), r"list\[2\].unit is 'radians'; it must be 'degrees'"),
        (broken(place=-1), r"list\[2\].place is -1; it must be a whole number from 0"),
        (broken(place=1.5), r"list\[2\].place is 1.500000; it must be a whole number"),
        (broken(place=2**40), r"list\[2\].place is 1099511627776; it must be a whole number from 0"),
        (broken(place=1000), "is in place 1000; it must be in a place from 0 to 31"),
        (broken(place=1), "in another's place"),
        (broken(place=3), "on a joint without a rotation in place 2"),
        (broken(low=90), "with its range upside down"),
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
