"""The influence probe finds what moves a set, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from rigcast._pose_statistics.columns import rigid_joints, varying_columns
from rigcast.training._body.frames import BoneSpace
from rigcast.training._body.influence import Description, all_inputs, changed_columns, influencing_inputs, movement
from rigcast.training._body.partition import hard_sets
from rigcast.training._body.preparation import prepare
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget

IGNORE = Budget("body")


def joints_read(ready, ds, i):
    """Names of joints and controls whose columns a set reads."""
    return {ds.pose_names[c].split(".")[0] for c in ready.columns[i]}


def test_probe_finds_exactly_the_joints_of_the_cylinder(cylinder_data):
    """A segment is moved, in the frame of its joint, by the joints at its two ends; the first one by the dial too."""
    ready = prepare(cylinder_data, BodySettings(method="paper", tau=1.0), IGNORE)
    found = {cylinder_data.joint_names[j]: joints_read(ready, cylinder_data, i) for i, j in enumerate(ready.sets.joint)}
    assert found == {
        "root": {"joint1", "flex"},
        "joint1": {"joint1", "joint2"},
        "joint2": {"joint2", "joint3"},
        "joint3": {"joint3"},
    }


def test_movement_is_the_largest_weighted_move_in_the_joints_frame(cylinder_data, tolerance):
    probe, skeleton = cylinder_data.probe, cylinder_data.skeleton
    sets = hard_sets(np.arange(len(cylinder_data.rest_vertices)) % 2 + 1)
    space = BoneSpace(skeleton, probe.poses, probe.vertices, cylinder_data.rest_vertices, np.array([1, 2]))
    found = movement(probe, sets, space)
    world = skeleton.globals(probe.poses).astype(np.float64)
    for i in (0, 1):
        frame = world[:, i + 1]
        local = np.linalg.solve(
            frame[:, None, :, :3], (probe.vertices[:, i::2].astype(np.float64) - frame[:, None, :, 3])[..., None]
        )
        for channel in range(len(cylinder_data.channel_names)):
            rows = np.flatnonzero(probe.channel == channel)
            base = [np.flatnonzero((probe.base == probe.base[r]) & (probe.channel < 0))[0] for r in rows]
            expected = np.linalg.norm(local[rows, :, :, 0] - local[base, :, :, 0], axis=2).max()
            np.testing.assert_allclose(
                found[channel, i], expected, rtol=tolerance["float32_character"], atol=100 * tolerance["float32_sum"]
            )


def test_a_channel_that_turns_two_joints_brings_both():
    poses = np.tile(np.eye(3, 4, dtype=np.float32).reshape(1, -1), (3, 3))
    poses = np.concatenate([poses, np.zeros((3, 1), np.float32)], axis=1)
    poses[1, [12, 24]] = 0.5  # channel 0 turns joints 1 and 2
    poses[2, 36] = 1.0  # channel 1 is the numeric control
    probe = SimpleNamespace(channel=np.array([-1, 0, 1]), base=np.zeros(3, int), poses=poses)
    changes = changed_columns(probe, 3, 1.0)
    assert [list(np.flatnonzero(row)) for row in changes] == [[12, 24], [36]]
    varying = np.ones(37, bool)
    description = Description(np.array([-1, 0, 1]), varying, np.ones(3, bool))
    only_first = influencing_inputs(np.array([True, False]), changes, description)
    np.testing.assert_array_equal(np.unique(only_first // 12), [1, 2])
    assert list(influencing_inputs(np.array([False, True]), changes, description)) == [36]
    assert len(influencing_inputs(np.array([False, False]), changes, description)) == 0


def test_without_a_probe_everything_but_the_root_is_read(unprobed_data):
    ready = prepare(unprobed_data, BodySettings(linear="rigid"), IGNORE)
    poses = unprobed_data.poses
    description = Description(
        np.asarray(unprobed_data.skeleton.parents), varying_columns(poses, 4, 40.0), rigid_joints(poses, 4)
    )
    for i in range(len(ready.sets)):
        assert joints_read(ready, unprobed_data, i) == {"joint1", "joint2", "joint3", "flex"}
        np.testing.assert_array_equal(ready.columns[i], all_inputs(description))
