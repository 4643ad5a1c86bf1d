"""NLA tracks of a .blend: what they play together is one action more."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rigcast as rc
from tests.sources.conftest import Host

FIRST, LAST = 1, 8  # strips of five frames from 1, 3 and 4 on


@pytest.fixture(scope="module")
def stacked(host: Host) -> Any:
    return host.rig("stacked")


@pytest.fixture(scope="module")
def stack(stacked: Any) -> Any:
    return stacked.action("NLA")


@pytest.fixture(scope="module")
def played(stacked: Any) -> Any:
    """Poses and vertices of the tracks as Blender plays them."""
    return stacked.played("NLA")


def column(stacked: Any, action: Any, name: str) -> Any:
    return action.channels[:, stacked.channel_names.index(name)]


def ramp(start: int, value: float) -> Any:
    """First and last frame of a strip: between its two keys the curve is no line."""
    return {start: 0.0, start + 4: value}


def test_the_tracks_are_listed_as_one_action_from_the_first_strip_to_the_last(stacked: Any) -> None:
    assert stacked.actions["NLA"] == LAST - FIRST + 1


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("bone0.rotation_x", ramp(1, math.degrees(0.5))),
        ("bone1.rotation_y", ramp(4, math.degrees(0.4))),
        ("shape.bulge", ramp(3, 1.0)),
    ],
)
def test_channels_are_those_of_all_strips_in_their_place(
    stacked: Any, stack: Any, name: str, ends: Any, tolerance
) -> None:
    values = column(stacked, stack, name)
    np.testing.assert_allclose(
        [values[frame - FIRST] for frame in ends], list(ends.values()), atol=tolerance["float32_character"]
    )


def test_a_muted_track_plays_nothing(stacked: Any, stack: Any) -> None:
    np.testing.assert_array_equal(column(stacked, stack, "bone2.rotation_z"), 0.0)


def test_what_strips_move_beside_channels_is_named(stack: Any) -> None:
    assert stack.missed == ["location x of object 'Rig'"]


def test_playing_takes_along_what_is_no_channel(played: Any, tolerance) -> None:
    root_x = played[0][:, 3]
    assert root_x[-1] - root_x[0] == pytest.approx(2.0, abs=tolerance["float32_scaled"])


def test_bones_and_shapes_are_posed_as_by_their_channels(stacked: Any, stack: Any, played: Any) -> None:
    sampled = stacked.sample(stack.channels)
    np.testing.assert_allclose(played[0][:, 12:], sampled[0][:, 12:], atol=1e-5)  # all but the root


def test_nothing_of_the_tracks_stays_behind(stacked: Any) -> None:
    before = stacked.sample(stacked.channel_rest[None])[1]
    stacked.action("NLA")
    np.testing.assert_array_equal(stacked.sample(stacked.channel_rest[None])[1], before)


def test_a_file_without_tracks_has_no_such_action(host: Host) -> None:
    limb = host.rig("limb")
    assert "NLA" not in limb.actions
    with pytest.raises(ValueError, match="name is 'NLA'; it must be the name of an action"):
        limb.action("NLA")


def test_all_actions_of_a_file_play_the_tracks_too(stacked: Any, tmp_path: Any) -> None:
    data = rc.sampling.sample_actions(stacked, tmp_path / "all.rwdata")
    assert len(data) == sum(stacked.actions.values())
