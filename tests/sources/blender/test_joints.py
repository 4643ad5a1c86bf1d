"""Which bones are joints: those that move vertices, not what passes their motion on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.sources.conftest import Host


@pytest.fixture(scope="module")
def rig(any_host: Host) -> Any:
    return any_host.rig("mechanism")


def test_bones_with_skin_are_the_joints(rig: Any) -> None:
    assert rig.skeleton.names == ["bone0", "bone1", "bone2"]


def test_a_joint_hangs_on_the_joint_that_follows_its_parent(rig: Any) -> None:
    """bone1 hangs on org0, which bone0 copies; bone2 on org1, which bone1 copies."""
    assert list(rig.skeleton.parents) == [-1, 0, 1]


def test_poses_put_the_joints_where_blender_has_them(rig: Any, tolerance) -> None:
    """With the whole chain rigid, vertices of the top follow the last joint."""
    rows = np.tile(rig.channel_rest, (2, 1))
    rows[1, rig.channel_names.index("org1.rotation_x")] = 30.0
    poses, vertices = rig.sample(rows)
    world = rig.skeleton.globals(poses)[:, 2].astype(np.float64)
    top = vertices[:, -8:].astype(np.float64)
    local = np.einsum("tab,tva->tvb", world[:, :, :3], top - world[:, None, :, 3])
    np.testing.assert_allclose(local[1], local[0], atol=tolerance["float32_scaled"])


def test_a_property_that_acts_through_bones_is_a_switch(rig: Any) -> None:
    assert rig.switches == ["property.follow"]


def test_channels_whose_motion_is_passed_on_stay_controls(rig: Any, tmp_path) -> None:
    ds = rc.sampling.sample(rig, tmp_path / "set.rwdata", count=20, seed=0, probe=0)
    assert rig.passed_on["org1.rotation_x"] == "constraints or drivers pass the motion of bone 'org1' on"
    stated = {entry["name"]: (entry["kind"], entry["unit"], entry["reason"]) for entry in ds.channel_entry["list"]}
    assert stated["org1.rotation_x"] == ("control", "degrees", "")


def test_motion_is_retargeted_onto_the_bones_that_channels_turn(rig: Any, tolerance) -> None:
    skeleton = rig.mechanism.skeleton
    assert skeleton.names[0] == "root"
    assert {skeleton.names[group.joint] for group in rig.mechanism.rotation_channels} == {"org0", "org1", "org2"}


def test_parents_that_channels_turn_are_joints_in_a_plain_hierarchy(any_host: Host) -> None:
    """A helper without skin that turns the chain by plain kinematics stays, if a channel turns it."""
    with any_host.open("posed_helper", limits={"helper.rotation_x": (-40, 40)}) as turned:
        assert turned.skeleton.names[0] == "helper"
    with any_host.open("posed_helper") as still:
        assert still.skeleton.names == ["bone0", "bone1", "bone2"]
