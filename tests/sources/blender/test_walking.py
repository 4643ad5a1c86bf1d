"""A character that Blender reads and that has not walked yet walks a motion's way."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.limits import write_limits
from tests.support.blender import has_wheel
from tests.support.characters.walker import SCALE, WAY, write_other, write_walk

SAME = 1e-5  # of meters: float32


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed")
    folder = tmp_path_factory.mktemp("walk")
    write_other(folder / "other.fbx")
    return folder, rc.sources.load_motion(write_walk(folder / "walk.bvh"))


def test_it_goes_as_far_as_its_size_says(walked):
    folder, motion = walked
    with rc.sources.load(folder / "other.fbx", ranges=180) as rig:
        made = rc.sources.retarget(motion, rig, {name: name for name in motion.joint_names}, root_translation=True)
        poses = rig.sample(made.channels)[0]
        path = rig.skeleton.globals(poses)[:, list(rig.skeleton.names).index("Hips"), :, 3]
        x, y, z = SCALE * WAY
        np.testing.assert_allclose(path[-1] - path[0], [x, -z, y], atol=SAME)  # z up


def test_it_stays_when_it_is_sampled_and_says_so(walked, tmp_path):
    folder, _ = walked
    held = [f"root.location_{axis}" for axis in "xyz"]
    with rc.sources.load(folder / "other.fbx", ranges=30) as rig:
        assert rig.notes[-1].endswith(f"at rest in all samples: {', '.join(held)}")
        data = rc.sampling.sample(rig, tmp_path / "other.rwdata", 5, seed=0, probe=0)
    columns = [data.channel_names.index(name) for name in held]
    assert np.abs(np.asarray(data.channels)[:, columns]).max() == 0.0


def test_what_is_held_on_purpose_is_no_channel(walked):
    folder, _ = walked
    with rc.sources.load(folder / "other.fbx", ranges=30, hold="root.*") as rig:
        assert not [name for name in rig.channel_names if name.startswith("root.")]


def test_a_limits_file_of_it_changes_nothing(walked, tmp_path):
    folder, _ = walked
    with rc.sources.load(folder / "other.fbx", ranges=30) as rig:
        write_limits(tmp_path / "other.limits.json", rig)
        names = rig.channel_names
    with rc.sources.load(folder / "other.fbx", limits=tmp_path / "other.limits.json") as rig:
        assert rig.channel_names == names
    limits = {"root.location_x": (0.0, 0.0)}
    with rc.sources.load(folder / "other.fbx", ranges=30, limits=limits) as rig:
        assert rig.channel_names == [name for name in names if name not in limits]
