"""Rigs with switches and actions of their own are sampled as an animator poses them."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.host.control_rigs.joint_limits import Reach
from rigcast._formats.blender.host.control_rigs.recognition import ControlledLimb
from rigcast._rigs.motions.action import Action
from rigcast.sampling import Mixture, Normal, Switched, animators_poses
from rigcast.sampling._drawing.stream import Stream
from tests.sampling.rigs import small_rig


def posable(**attributes):
    rig = small_rig()
    for name, value in attributes.items():
        setattr(rig, name, value)
    return rig


def test_switches_are_at_an_end_in_most_rows(tmp_path):
    rig = posable()
    column = len(rig.channel_names) - 1
    low, high = rig.channel_ranges[column]
    ds = rc.sampling.sample(rig, tmp_path / "a", 400, sampler=Switched(Normal(), [column]), probe=0)
    at_end = np.isin(ds.channels[:, column], np.float32([low, high]))
    assert 0.8 < at_end.mean() < 0.98
    assert 0.4 < (ds.channels[at_end, column] == np.float32(high)).mean() < 0.6


def test_the_other_channels_are_as_without_switches(tmp_path):
    rig = posable()
    column = len(rig.channel_names) - 1
    draws = [
        Switched(Normal(), columns).draw(np.asarray(rig.channel_ranges), np.zeros(column + 1), 20, Stream(3))
        for columns in ([], [column])
    ]
    np.testing.assert_array_equal(np.delete(draws[0], column, 1), np.delete(draws[1], column, 1))


@pytest.mark.parametrize(("columns", "share"), [([99], 0.8), ([-1], 0.8), ([0], 1.5)])
def test_columns_and_shares_that_make_no_sense_are_refused(tmp_path, columns, share):
    with pytest.raises(ValueError, match="Switched: "):
        rc.sampling.sample(posable(), tmp_path / "a", 5, sampler=Switched(Normal(), columns, share), probe=0)


def test_a_rig_without_switches_and_actions_keeps_the_sampler():
    assert animators_poses(posable(), "uniform") == rc.sampling.Uniform()


def test_actions_that_gave_ranges_are_mixed_in(tmp_path):
    rig = posable()
    width = len(rig.channel_names)
    rig.actions = {"walk": 3}
    rig.action = lambda name: Action(name, np.full((3, width), 0.25), 24.0)
    rig.range_origins = ["actions"] * width
    rig.switches = [rig.channel_names[-1]]
    sampler = animators_poses(rig)
    assert isinstance(sampler, Mixture)
    assert isinstance(sampler.parts[0][1], Switched)
    ds = rc.sampling.sample(rig, tmp_path / "a", 200, sampler=sampler, probe=0)
    assert 0.3 < (ds.clip == 0).mean() < 0.5
    assert [clip.name for clip in ds.clips] == ["walk"]


def test_actions_stay_out_where_ranges_come_from_the_file():
    rig = posable(actions={"walk": 3}, range_origins=["file"])
    assert animators_poses(rig) == Normal()


def control_rig(**attributes):
    """Five channels of bones and a switch, as those of an arm with FK and IK."""
    names = ["up.rotation_x", "low.rotation_x", *(f"hand.location_{axis}" for axis in "xyz"), "hand.ik"]
    limb = ControlledLimb("arm", "arm", ("up", "low"), ("hand",), "", "hand.ik", 0.0, 1.0)
    sets = SimpleNamespace(limbs=[limb])
    return SimpleNamespace(
        **{"channel_names": names, "control_sets": sets, "switches": ["hand.ik"], "action": None} | attributes
    )


def rows_of(rig, count=400):
    rest = 0.25 * np.ones(6)
    ranges = np.array([[-1.0, 1.0]] * 5 + [[0.0, 1.0]])
    return animators_poses(rig).draw(ranges, rest, count, Stream(3)), rest


@pytest.mark.parametrize(("end", "idle", "moved"), [(0.0, [2, 3, 4], [0, 1]), (1.0, [0, 1], [2, 3, 4])])
def test_a_limb_is_posed_by_fk_or_ik_alone(end, idle, moved):
    rows, rest = rows_of(control_rig())
    at_end = rows[rows[:, 5] == end]
    assert 0.4 * len(rows) < len(at_end) < 0.5 * len(rows)
    assert (at_end[:, idle] == rest[idle]).all()
    assert (at_end[:, moved] != rest[moved]).all()


@pytest.mark.parametrize("origin", ["file", "actions", "people"])
def test_a_switch_is_between_its_ends_in_a_tenth_of_the_rows(origin):
    rows, _ = rows_of(control_rig(range_origins=[origin] * 6), 2000)
    assert 0.08 < ((rows[:, 5] > 0) & (rows[:, 5] < 1)).mean() < 0.12


def test_a_limb_between_fk_and_ik_is_posed_by_both():
    rows, rest = rows_of(control_rig())
    between = rows[(rows[:, 5] > 0) & (rows[:, 5] < 1)]
    assert 0.05 * len(rows) < len(between) < 0.15 * len(rows)
    assert (between[:, :5] != rest[:5]).all()


@pytest.mark.parametrize(("held", "idle"), [(0.0, [2, 3, 4]), (1.0, [0, 1])])
def test_a_switch_that_is_held_decides(held, idle):
    rig = control_rig(switches=[], held={"hand.ik": held})
    rig.channel_names[5] = "other"
    rows, rest = rows_of(rig)
    assert (rows[:, idle] == rest[idle]).all()


@pytest.mark.parametrize(("origin", "pulled"), [("people", True), ("actions", False)])
def test_assumed_ranges_of_an_ik_target_end_where_its_limb_does(origin, pulled):
    reach = Reach("hand", np.eye(3), np.array([0.0, 0.0, 1.0]), 0.5, 1.25)
    rows, _ = rows_of(control_rig(range_origins=[origin] * 6, reaches=[reach]))
    far = np.linalg.norm(rows[:, 2:5] + [0, 0, 1], axis=1)
    assert (far > 1.25 + 1e-9).any() != pulled


def test_limbs_are_part_of_what_decides_the_rows():
    settings = animators_poses(control_rig()).settings()
    assert settings["kind"] == "limbs"
    assert json.loads(json.dumps(settings)) == settings
