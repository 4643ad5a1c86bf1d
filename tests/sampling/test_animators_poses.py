"""Rigs with switches and actions of their own are sampled as an animator poses them."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.action import Action
from rigcast.sampling import Mixture, Normal, Switched, animators_poses
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
    assert 0.7 < at_end.mean() < 0.9
    assert 0.4 < (ds.channels[at_end, column] == np.float32(high)).mean() < 0.6


def test_the_other_channels_are_as_without_switches(tmp_path):
    rig = posable()
    column = len(rig.channel_names) - 1
    draws = [
        Switched(Normal(), columns).draw(
            np.asarray(rig.channel_ranges), np.zeros(column + 1), 20, rc.sampling._stream.Stream(3)
        )
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
    rig.range_sources = ["action 'walk'"] * width
    rig.switches = [rig.channel_names[-1]]
    sampler = animators_poses(rig)
    assert isinstance(sampler, Mixture)
    assert isinstance(sampler.parts[0][1], Switched)
    ds = rc.sampling.sample(rig, tmp_path / "a", 200, sampler=sampler, probe=0)
    assert 0.3 < (ds.clip == 0).mean() < 0.5
    assert [clip.name for clip in ds.clips] == ["walk"]


def test_actions_stay_out_where_ranges_come_from_the_file():
    rig = posable(actions={"walk": 3}, range_sources=["Limit Rotation of the bone"])
    assert animators_poses(rig) == Normal()
