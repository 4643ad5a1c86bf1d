"""glTF characters: the rig, its channels and its clips against the specification."""

import pickle

import numpy as np
import pytest

from rigcast.sources import Rig, load
from tests.support.glb import (
    animated_values,
    character,
    close,
    slow_vertices,
)

TIMES = [-1.0, 0.0, 0.1, 0.3, 0.5, 0.55, 0.9, 1.3, 1.9, 2.0, 7.0]


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("bind_is_default", [True, False])
@pytest.mark.parametrize("clip", ["wave", "steps"])
def test_clips_agree_with_the_specification(tmp_path, tolerance, suffix, bind_is_default, clip):
    g = character(bind_is_default=bind_is_default)
    rig = load(g.write(tmp_path / f"hero{suffix}"))
    poses, vertices = rig.sample_clip(clip, times=TIMES)
    for time, got in zip(TIMES, vertices, strict=True):
        close(got, slow_vertices(g, 0, animated_values(g, clip, time)), tolerance)
    assert poses.shape == (len(TIMES), 12 * 3 + 2)


def test_is_a_rig_with_joints_parents_first(tmp_path):
    rig = load(character().write(tmp_path / "hero.glb"))
    assert isinstance(rig, Rig)
    assert rig.joints.names == ["hip", "knee", "ankle"]
    assert rig.joints.parents.tolist() == [-1, 0, 1]
    assert rig.dial_names == ["smile", "frown"]
    assert (rig.licence, rig.name, rig.up_axis, rig.meters_per_unit) == ("CC0", "hero", "Y", 1.0)
    assert len(rig.rest_vertices) == 16
    faces = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 4, 8], [12, 13, 14], [13, 15, 14]]
    assert rig.faces[:, :3].tolist() == faces
    assert (rig.faces[:, 3] == -1).all()
    assert set(rig.clips) == {"wave", "steps"}
    assert rig.clips["steps"].duration == 2.0


@pytest.mark.parametrize("bind_is_default", [True, False])
def test_rest_is_the_bind_pose(tmp_path, tolerance, bind_is_default):
    g = character(bind_is_default=bind_is_default)
    rig = load(g.write(tmp_path / "hero.glb"))
    zero = np.zeros((1, len(rig.channels)))
    poses, vertices = rig.sample(zero)
    close(vertices[0], rig.rest_vertices, tolerance)
    close(poses[0, :36], np.asarray(rig.skeleton.rest).ravel(), tolerance)
    if bind_is_default:  # then it is the file's default pose, without morphs
        close(rig.rest_vertices, slow_vertices(g, 0, {(0, "weights"): np.zeros(2)}), tolerance)


def test_channels_play_rotations_and_morphs_exactly(tmp_path, tolerance):
    rig = load(character(bind_is_default=True).write(tmp_path / "hero.glb"))
    channels = rig.play("wave", times=TIMES)
    close(rig.sample(channels)[1], rig.sample_clip("wave", times=TIMES)[1], tolerance)
    close(rig.sample(channels)[0], rig.sample_clip("wave", times=TIMES)[0], tolerance)


def test_frames_come_at_the_rate_asked_for(tmp_path, tolerance):
    rig = load(character().write(tmp_path / "hero.glb"))
    assert len(rig.play("steps", fps=10)) == 21
    turn = rig.play("steps", fps=10)[5] - rig.play("steps", times=[0.5])[0]
    np.testing.assert_allclose(
        turn - 360 * np.round(turn / 360), 0, atol=tolerance["gram"]
    )  # whole turns keep frames continuous
    motion = rig.motion("steps", fps=10)
    assert (len(motion), motion.frame_time, motion.joint_names) == (21, 0.1, rig.joints.names)


def test_ranges_come_from_the_clips_or_the_caller(tmp_path):
    path = character().write(tmp_path / "hero.glb")
    rig = load(path)
    seen = np.concatenate([rig.play(clip, fps=30) for clip in rig.clips])
    low, high = rig.channel_ranges.T
    slack = 0.05 * (high - low)  # frames of the search lie elsewhere
    assert (seen >= low - slack).all()
    assert (seen <= high + slack).all()
    assert rig.channel_rest[rig.channel_names.index("frown")] == 0.25
    fixed = load(path, ranges=45.0)
    rotations = [i for i, channel in enumerate(fixed.channels) if channel.kind.startswith("rotate")]
    assert len(rotations) == 9
    assert (fixed.channel_ranges[rotations] == [-45, 45]).all()


def test_files_without_clips_turn_by_thirty_degrees(tmp_path):
    g = character()
    del g.json["animations"]
    rig = load(g.write(tmp_path / "hero.glb"))
    assert len(rig.channels) == 11
    assert (rig.channel_ranges[:9] == [-30, 30]).all()
    assert (rig.channel_ranges[9:] == [0, 1]).all()


def test_joints_that_clips_leave_alone_have_no_channels(tmp_path):
    g = character(bind_is_default=True)
    g.json["animations"] = [g.json["animations"][0]]
    rig = load(g.write(tmp_path / "hero.glb"))
    assert {channel.joint for channel in rig.channels if channel.joint >= 0} == {0, 2}
    assert not [channel for channel in rig.channels if channel.kind.startswith("translate")]


def test_travels_to_another_process(tmp_path):
    rig = load(character().write(tmp_path / "hero.glb"))
    again = pickle.loads(pickle.dumps(rig))
    np.testing.assert_array_equal(again.sample_clip("wave")[1], rig.sample_clip("wave")[1])


MODELS = {
    "Fox.glb": (1728, 24, 3),
    "MorphStressTest.gltf": (1528, 0, 3),
    "cesium_man.gltf": (3273, 19, 1),
    "fox-animations.glb": (1250, 49, 14),
    "horse-animations.glb": (2146, 56, 14),
    "human-female.glb": (24037, 66, 0),
    "human-male.glb": (7399, 66, 0),
}


@pytest.mark.parametrize("name", MODELS)
def test_real_characters_load_and_play(data_path, name, tolerance):
    rig = load(data_path("skinned_glb", name))
    vertices, joints, clips = MODELS[name]
    assert len(rig.rest_vertices) == vertices
    assert (len(rig.joints.names) if rig.joints else 0) == joints
    assert len(rig.clips) == clips
    size = np.ptp(rig.rest_vertices, axis=0).max()
    close(rig.sample(np.zeros((1, len(rig.channels))))[1][0] / size, rig.rest_vertices / size, tolerance)
    for clip, record in rig.clips.items():
        times = np.linspace(0, record.duration, 4)
        exact = rig.sample_clip(clip, times=times)[1]
        assert np.isfinite(exact).all()
        assert np.ptp(exact, axis=1).max() < 4 * size
        played = rig.sample(rig.play(clip, times=times))[1]
        assert np.abs(played - exact).max() < 5e-3 * size  # scaling is not a channel, nor are tiny shifts


def test_a_clip_names_the_joints_that_channels_miss(tmp_path):
    rig = load(character(bind_is_default=True).write(tmp_path / "a.glb"))
    assert rig.actions == {"wave": 37, "steps": 61}
    assert rig.action("wave").missed == []
    assert rig.action("steps").missed == ["joint 'knee'"]  # scaled by a node that is no joint
    np.testing.assert_array_equal(rig.action("steps").channels, rig.play("steps"))
    np.testing.assert_array_equal(rig.played("wave")[1], rig.sample_clip("wave")[1])


def test_ranges_from_actions_are_those_of_the_clips(tmp_path):
    path = character().write(tmp_path / "a.glb")
    np.testing.assert_array_equal(load(path, ranges="actions").channel_ranges, load(path).channel_ranges)
    g = character()
    del g.json["animations"]
    with pytest.raises(ValueError, match="ranges is 'actions' for a file without clips; it must be degrees"):
        load(g.write(tmp_path / "b.glb"), ranges="actions")
