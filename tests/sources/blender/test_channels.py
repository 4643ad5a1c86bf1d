"""What models keep of a Blender character's channels."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.sources.conftest import Host


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("sets")


@pytest.fixture(scope="module")
def controls(any_host: Host, folder) -> rc.Dataset:
    return rc.sampling.sample(any_host.rig("controls"), folder / "controls", count=30, seed=1, probe=2)


@pytest.fixture(scope="module")
def constrained(any_host: Host, folder) -> rc.Dataset:
    return rc.sampling.sample(any_host.rig("constrained"), folder / "constrained", count=30, seed=1, probe=2)


def model_of(ds: rc.Dataset) -> rc.Deformer:
    return rc.baselines.linear_blend(ds, influences=2)


def test_the_channels_of_a_file_give_its_poses(controls: rc.Dataset, tolerance) -> None:
    poses = model_of(controls).poses_from_channels(controls.channels)
    np.testing.assert_allclose(poses, controls.poses, atol=5 * tolerance["float32"])  # Blender's own chain of float32


def test_the_poses_of_a_file_give_its_channels(controls: rc.Dataset, tolerance) -> None:
    model = model_of(controls)
    found, residual = model.channels_from_poses(controls.poses)
    whole = [c.whole for c in model.channels]
    expected = np.where(whole, np.rint(controls.channels), controls.channels)
    np.testing.assert_allclose(found, expected, atol=tolerance["finite_difference"])  # degrees
    assert residual.max() < 2e-5  # Blender's own chain of float32


def test_every_kind_of_channel_is_stated(controls: rc.Dataset) -> None:
    listed = {c.name: c for c in model_of(controls).channels}
    assert {name: (c.kind, c.joint, c.place) for name, c in listed.items() if c.joint == "bone2"} == {
        "bone2.rotation_x": ("rotate_x", "bone2", 1),
        "bone2.rotation_z": ("rotate_z", "bone2", 0),
        "bone2.scale_x": ("scale_x", "bone2", 0),
    }
    assert (listed["bone0.location_y"].kind, listed["bone0.location_y"].unit) == ("translate_y", "rig")
    assert [name for name, c in listed.items() if c.whole] == ["property.switch"]


def test_the_channels_of_a_constraint_a_target_and_a_driver_are_named(constrained: rc.Dataset) -> None:
    found = {c.name: c.reason for c in model_of(constrained).channels if c.reason}
    also, copied = "it also moves joint ", "constraint 'Transformation' of bone 'copy'"
    assert found == {
        "bone0.rotation_y": f"{also}'driven': a driver on its rotation_euler",
        **{f"free.rotation_{a}": f"{also}'copy': {copied}" for a in "xyz"},
        **{f"copy.rotation_{a}": f"joint 'copy': {copied}" for a in "xyz"},
        "target.location_x": f"{also}'upper': constraint 'IK' of bone 'lower'",
    }


def test_their_poses_are_refused_by_name(constrained: rc.Dataset) -> None:
    model = model_of(constrained)
    with pytest.raises(ValueError, match=r"channel 'bone0.rotation_y' \(it also moves joint 'driven': a driver"):
        model.poses_from_channels(constrained.channels)


def test_joints_that_nothing_constrains_follow(constrained: rc.Dataset) -> None:
    assert set(constrained.manifest["deviations"]["joints"]) == {"copy", "driven", "upper", "lower"}


def test_a_bone_that_copies_an_angle_follows(any_host: Host, folder, tolerance) -> None:
    ds = rc.sampling.sample(any_host.rig("following"), folder / "following", count=30, seed=1, probe=1)
    followers = ds.channel_entry["followers"]
    assert followers == [
        {"joint": "bone1", "channel": "bone0.rotation_z", "axis": "y", "place": 1, "factor": -1.0},
    ]
    poses = model_of(ds).poses_from_channels(ds.channels)
    np.testing.assert_allclose(poses, ds.poses, atol=5 * tolerance["float32"])  # Blender's own chain of float32
