"""Channels of models: kinematics against a slow oracle, and the way back."""

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotations import axis_rotation
from tests.rig.channels import (
    AXES,
    FOLLOWERS,
    channel,
    entry,
    linear_blend,
    model_of,
    random_rows,
    three_joints,
    with_followers,
)
from tests.support.made.models import chain_skeleton


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


def test_channels_come_back_beside_followers(tolerance):
    model = model_of(with_followers())
    rows = random_rows(model)
    rows[:, -1] = np.rint(rows[:, -1])  # the whole dial
    found, residual = model.channels_from_poses(model.poses_from_channels(rows))
    np.testing.assert_allclose(
        found, rows, atol=tolerance["finite_difference"]
    )  # degrees: near 80 the outer angles magnify rounding six times
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


def test_channels_come_back_from_their_poses(tolerance):
    model = model_of(three_joints())
    rows = random_rows(model)
    rows[:, -1] = np.rint(rows[:, -1])  # the whole dial
    found, _ = model.channels_from_poses(model.poses_from_channels(rows))
    np.testing.assert_allclose(
        found, rows, atol=tolerance["finite_difference"]
    )  # degrees: near 80 the outer angles magnify rounding six times


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
    assert repr(turn) == "<rigcast.Channel 2 'joint0.ry': rotate_y of joint0, -80 to 80 degrees, rest 0>"
    with pytest.raises(AttributeError):
        turn.low = 3.0


def test_saved_models_keep_their_channels(tmp_path):
    model = model_of(three_joints())
    model.save(tmp_path / "a.safetensors")
    assert [repr(c) for c in rc.load(tmp_path / "a.safetensors").channels] == [repr(c) for c in model.channels]


def test_a_model_file_without_channels_says_so():
    model = linear_blend(chain_skeleton(2))
    assert model.channels == []
    with pytest.raises(ValueError, match="poses_from_channels: model is without channels: its file was made"):
        model.poses_from_channels(np.zeros((1, 0)))
    with pytest.raises(ValueError, match="channels_from_poses: model is without channels: its file was made"):
        model.channels_from_poses(np.zeros((1, 24)))


def test_the_channels_of_a_blendshape_rig_are_its_dials():
    rig = rc.BlendshapeRig(np.zeros((3, 3)), np.ones((2, 3, 3)), names=["a", "b"], bounds=(-0.5, 2.0))
    assert [(c.name, c.kind, c.joint, c.low, c.high, c.rest) for c in rig.channels] == [
        ("a", "dial", None, -0.5, 2.0, 0.0),
        ("b", "dial", None, -0.5, 2.0, 0.0),
    ]
    weights = np.float32([[0.25, 1.5]])
    np.testing.assert_array_equal(rig.poses_from_channels(weights), weights)
