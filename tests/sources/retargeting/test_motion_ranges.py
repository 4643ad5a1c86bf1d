"""The ranges that retargeted motions use of a rig."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.dancer import NAMES, body, dance

ALL = {name: name for name in NAMES}


def test_several_motions_use_the_extremes_of_all_and_the_rest_value() -> None:
    rig = body()
    made = [rc.sources.retarget(dance(frames=9, bend=bend), rig, ALL, root_translation=True) for bend in (20.0, 60.0)]
    found = rc.sources.motion_ranges(rig, made)
    rows = np.concatenate([one.channels for one in made])
    for name, (low, high) in found.items():
        column = rows[:, rig.channel_names.index(name)]
        assert low <= min(column.min(), 0.0)
        assert high >= max(column.max(), 0.0)
        assert high - low < np.ptp([*column, 0.0]) + 3e-4
    still = [name for name in rig.channel_names if name not in found]
    assert still
    assert np.abs(rows[:, [rig.channel_names.index(name) for name in still]]).max() < 0.05


def test_switches_that_were_set_are_held_at_their_value() -> None:
    rig = body()
    made = rc.sources.retarget(dance(frames=9), rig, ALL)
    found = rc.sources.motion_ranges(rig, [replace(made, switches={"leg.ik_fk": 1.0})])
    assert found["leg.ik_fk"] == (1.0, 1.0)


def test_motions_of_another_rig_and_none_at_all_are_refused() -> None:
    rig = body()
    made = rc.sources.retarget(dance(frames=9), rig, ALL)
    with pytest.raises(ValueError, match="motions is empty; it must be"):
        rc.sources.motion_ranges(rig, [])
    with pytest.raises(ValueError, match="motions of this rig, which has 6 channels"):
        rc.sources.motion_ranges(rc.sources.example_body(), [made])
