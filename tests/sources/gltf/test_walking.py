"""A character that has not walked yet, as glTF, walks a motion's way: what carries the body has channels for it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._inputs.skinned_model import skinned_model
from tests.support.characters.walker import SCALE, WAY, walk, write_other, write_walk

SAME = 1e-5  # of meters: float32


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    return rc.sources.load_motion(write_walk(tmp_path_factory.mktemp("walk") / "walk.bvh"))


def hips(skeleton, poses):
    return skeleton.globals(poses[:, : 12 * skeleton.num_joints])[:, list(skeleton.names).index("Hips"), :, 3]


def names(motion):
    return {name: name for name in motion.joint_names}


@pytest.mark.parametrize("ending", ["glb", "gltf", "vrm"])
def test_it_goes_as_far_as_its_size_says(ending, motion, tmp_path):
    rig = rc.sources.load(write_other(tmp_path / f"other.{ending}"), ranges=180)
    made = rc.sources.retarget(motion, rig, names(motion), root_translation=True)
    path = hips(rig.skeleton, rig.sample(made.channels)[0])
    np.testing.assert_allclose(path[-1] - path[0], SCALE * WAY, atol=SAME)
    assert made.rootless == ""
    (line,) = [line for line in made.lines() if "the root is not clipped" in line]
    assert "root.tx by 0.8" in line


def test_a_model_of_it_goes_as_far(motion, tmp_path):
    model = skinned_model(write_other(tmp_path / "other.glb"))
    made = rc.sources.retarget(motion, model, names(motion), root_translation=None)
    path = hips(model.skeleton, model.poses_from_channels(made.channels))
    np.testing.assert_allclose(path[-1] - path[0], SCALE * WAY, atol=SAME)


def test_it_stays_when_it_is_sampled_and_says_so(tmp_path):
    rig = rc.sources.load(write_other(tmp_path / "other.glb"), ranges=30)
    held = [f"root.t{axis}" for axis in "xyz"]
    assert rig.notes[-1] == f"for motion of another skeleton alone, at rest in all samples: {', '.join(held)}"
    data = rc.sampling.sample(rig, tmp_path / "other.rwdata", 20, seed=0, probe=0)
    columns = [data.channel_names.index(name) for name in held]
    assert np.abs(np.asarray(data.channels)[:, columns]).max() == 0.0
    assert np.abs(np.asarray(data.channels)).max() > 20


def test_a_root_that_clips_turn_and_shift_keeps_their_ranges(tmp_path):
    rig, rows = walk()
    rc.exports.write_motion(tmp_path / "walk.glb", rig, rows, fps=25.0)
    back = rc.sources.load(tmp_path / "walk.glb")
    low, high = back.channel_ranges[back.channel_names.index("Hips.tz")]
    assert (low, high) == pytest.approx((0.0, WAY[2]), abs=SAME)
    assert not any("at rest in all samples" in note for note in back.notes)


def test_a_chain_without_branches_is_no_body(tmp_path):
    arm = rc.sources.example_body()
    rc.exports.write_motion(tmp_path / "arm.glb", arm, np.zeros((2, 6)), fps=25.0)
    assert not [name for name in rc.sources.load(tmp_path / "arm.glb", ranges=30).channel_names if ".t" in name]


def test_a_captured_walk_moves_a_real_character(data_path):
    rig = rc.sources.load(data_path("skinned_glb/human-female.glb"), ranges=180)
    motion = rc.sources.load_motion(data_path("body_motion_bvh/01_01.bvh.gz"))[::8]
    made = rc.sources.retarget(motion, rig, root_translation=True, allow_frozen=True)
    path = made.positions[:, list(rig.skeleton.names).index(next(iter(made.joint_map.values())))]
    source = motion.globals()[:, motion.joint_names.index(next(iter(made.joint_map)))][..., 3]
    share = np.linalg.norm(path[-1] - path[0]) / np.ptp(rig.rest_vertices[:, 1])
    height = np.ptp(motion.rest_globals[:, 1, 3])
    assert share == pytest.approx(np.linalg.norm(source[-1] - source[0]) / height, rel=0.2)  # bodies differ in shape
    assert share > 0.3


def test_a_synthesizer_keeps_the_way(motion, tmp_path):
    """The root has no range of its own: that of the clips counts."""
    rig = rc.sources.load(write_other(tmp_path / "other.glb"), ranges=180)
    made = rc.sources.retarget(motion, rig, names(motion), root_translation=True)
    clip = rc.synthesis.Clip(made.channels, 1.0 / made.frame_time, "walk")
    synth = rc.synthesis.fit({"calm": [clip, clip]}, rig=rig, iterations=2)
    assert "root.tx" not in synth.dropped
    low, high = synth.limits[rig.channel_names.index("root.tx")]
    assert high - low > 0.5
