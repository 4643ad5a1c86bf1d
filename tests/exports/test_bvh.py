"""A skeleton's motion as BVH, read back by the package's own reader (Blender reads it in test_played_in_blender)."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.exports import write_bvh
from tests.sources.retargeting.test_retarget import character, random_channels, world_of
from tests.support.characters.cylinder import CylinderRig

ROUNDING = 2e-5  # degrees with seven decimals, a skeleton in float32 of size 10


def y_up(points, up):
    return points if up == "Y" else np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_rig_with_any_rest_axes_comes_back(tmp_path, up):
    """Rest axes are turned at random, the root moves: joints are in the same places, turned alike from rest."""
    rig = character(up=up)
    rig.up_axis = up
    channels = random_channels(rig)
    notes = write_bvh(tmp_path / "m.bvh", rig, channels, fps=48)
    assert notes == ["m.bvh states no unit: positions are in units of 1 m"]
    motion = rc.sources.load_bvh(tmp_path / "m.bvh").motion()
    order = [motion.joint_names.index(name) for name in rig.skeleton.names]
    found, expected = motion.globals()[:, order], world_of(rig, channels)
    np.testing.assert_allclose(found[..., 3], y_up(expected[..., 3], up), atol=ROUNDING)
    rest = np.asarray(rig.skeleton.rest_globals, np.float64)
    away = expected[..., :3] @ np.linalg.inv(rest[..., :3])
    turn = y_up(np.eye(3), up).T
    np.testing.assert_allclose(found[..., :3], turn @ away @ turn.T, atol=ROUNDING)


@pytest.mark.parametrize("fps", [24.0, 29.97, 48.0])
def test_the_frame_time_is_that_of_the_rate(tmp_path, fps):
    rig = CylinderRig()
    write_bvh(tmp_path / "m.bvh", rig, np.zeros((2, len(rig.channel_names))), fps=fps)
    # The file has eight digits.
    assert rc.sources.load_bvh(tmp_path / "m.bvh").frame_time == pytest.approx(1 / fps, rel=1e-8)


def test_only_joints_that_move_against_their_parents_have_positions(tmp_path):
    rig = CylinderRig()
    write_bvh(tmp_path / "m.bvh", rig, np.ones((2, len(rig.channel_names))))
    joints = rc.sources.load_bvh(tmp_path / "m.bvh").joints
    assert [len(joint.channels) for joint in joints] == [6, 3, 3, 3]


def test_dials_that_move_are_named(tmp_path):
    rig = CylinderRig()
    channels = np.zeros((2, len(rig.channel_names)))
    assert "flex" not in str(write_bvh(tmp_path / "m.bvh", rig, channels))
    channels[1, -1] = 0.5
    assert write_bvh(tmp_path / "m.bvh", rig, channels)[0] == "BVH has no dials: flex is left out"


class Stretchy:
    """Two joints; the second one's distance and size are its channels; awkward names."""

    def __init__(self):
        self.channel_names, self.up_axis, self.meters_per_unit = ["far", "large"], "Y", 0.01
        rest = np.tile(np.eye(3, 4, dtype=np.float32), (2, 1, 1))
        rest[1, 1, 3] = 10
        self.skeleton = rc.Skeleton(["hip {left}", "arm\\x"], [-1, 0], rest)

    def sample(self, channels):
        local = np.tile(self.skeleton.rest, (len(channels), 1, 1, 1))
        local[:, 1, 1, 3] += channels[:, 0]
        local[:, 1, :, :3] *= channels[:, 1, None, None]
        return local.reshape(len(channels), -1), np.zeros((len(channels), 1, 3), np.float32)


def test_distances_are_kept_and_scale_is_named(tmp_path):
    rig = Stretchy()
    notes = write_bvh(tmp_path / "m.bvh", rig, np.array([[0.0, 1.0], [2.0, 1.5]]))
    bvh = rc.sources.load_bvh(tmp_path / "m.bvh")
    assert [joint.name for joint in bvh.joints] == ["hip (left)", "arm\\x"]
    np.testing.assert_allclose(bvh.motion().globals()[:, 1, :, 3], [[0, 10, 0], [0, 12, 0]], atol=ROUNDING)
    assert notes == [
        "BVH has no scale: that of arm\\x is left out",
        "hip {left} had to be named otherwise",
        "m.bvh states no unit: positions are in units of 0.01 m",
    ]


def test_a_skeleton_with_several_roots_and_a_long_chain(tmp_path):
    """Deeper than Python's recursion."""
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (1500, 1, 1))
    rest[:, 0, 3] = 1
    skeleton = rc.Skeleton([f"j{j}" for j in range(1500)], [-1, *range(1498), -1], rest)

    class Rope:
        def __init__(self):
            self.channel_names, self.skeleton = ["none"], skeleton

        def sample(self, channels):
            return np.tile(skeleton.rest.reshape(1, -1), (len(channels), 1)), np.zeros((len(channels), 1, 3))

    write_bvh(tmp_path / "m.bvh", Rope(), np.zeros((1, 1)))
    joints = rc.sources.load_bvh(tmp_path / "m.bvh").joints
    assert [joint.parent for joint in joints] == [-1, *range(1498), -1]


def test_a_model_is_written_by_its_channels(tmp_path, tolerance):
    arm = rc.sources.example_body()
    model = rc.baselines.linear_blend(rc.sampling.sample(arm, tmp_path / "arm.rwdata", 40, seed=0), 4)
    low, high = np.asarray(arm.channel_ranges).T
    channels = low + (high - low) * np.random.default_rng(0).uniform(size=(6, len(low)))
    write_bvh(tmp_path / "model.bvh", model, channels)
    write_bvh(tmp_path / "rig.bvh", arm, channels)
    by_model, by_rig = (rc.sources.load_bvh(tmp_path / f"{name}.bvh").values for name in ("model", "rig"))
    np.testing.assert_allclose(by_model, by_rig, atol=1e3 * tolerance["float32"])  # degrees


def test_wrong_arguments_are_refused(tmp_path):
    rig = CylinderRig()
    zeros = np.zeros((2, len(rig.channel_names)))
    for path, given, channels, fps, word in (
        ("m.txt", rig, zeros, 30, "path"),
        ("m.bvh", rc.faces.example(), zeros, 30, "rig_or_model"),
        ("m.bvh", rig, zeros[:, 1:], 30, "channels"),
        ("m.bvh", rig, zeros[:0], 30, "channels"),
        ("m.bvh", rig, zeros, 0, "fps"),
    ):
        with pytest.raises(ValueError, match=f"write_bvh: {word} "):
            write_bvh(tmp_path / path, given, channels, fps=fps)
    assert not list(tmp_path.iterdir())
