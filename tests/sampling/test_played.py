"""Actions that a host plays, as data sets."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.sampling.rigs import small_rig


@pytest.fixture(scope="module")
def player():
    """A rig with two actions; what it plays is no pose of its channels."""
    rig = small_rig()
    rig.actions = {"walk": 3, "run": 2}
    frames = rig.sample(np.zeros((5, len(rig.channel_names))))
    shift = np.arange(5, dtype=np.float32)[:, None, None]

    def played(name):
        part = slice(0, 3) if name == "walk" else slice(3, 5)
        return frames[0][part], (frames[1] + shift)[part]

    rig.played = played
    return rig


def test_the_frames_are_those_that_were_played(player, tmp_path):
    data = rc.sampling.sample_actions(player, tmp_path / "a.rwdata")
    np.testing.assert_array_equal(data.vertices, np.concatenate([player.played(n)[1] for n in ("walk", "run")]))
    assert data.pose_names == rc.sampling.sample(player, tmp_path / "b.rwdata", count=2, probe=0).pose_names
    assert (data.channel_names, len(data)) == (["frame"], 5)


def test_an_action_may_be_chosen(player, tmp_path):
    data = rc.sampling.sample_actions(player, tmp_path / "a.rwdata", ["run"])
    np.testing.assert_array_equal(data.vertices, player.played("run")[1])


def test_channel_rows_are_sampled(player, tmp_path):
    rows = np.full((2, len(player.channel_names)), 5.0)
    data = rc.sampling.sample_actions(player, tmp_path / "a.rwdata", ["run", rows])
    np.testing.assert_array_equal(data.vertices[2:], player.sample(rows)[1])


@pytest.mark.parametrize(
    ("make", "names", "expected"), [(True, ["stop"], "'walk', 'run'"), (False, None, "the rig has none")]
)
def test_an_action_that_is_none_is_refused(player, tmp_path, make, names, expected):
    with pytest.raises(ValueError, match=f"sample_actions: actions is .*{expected}"):
        rc.sampling.sample_actions(player if make else small_rig(), tmp_path / "a.rwdata", names)
