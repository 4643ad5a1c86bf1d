"""Input masks of a control that acts only beside another: the probe shows it from enough base poses."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._face_maps._layout.influence import moved_by
from tests.support.characters.mapped_face import SIDE, MappedFace, clips_of


class StickyFace(MappedFace):
    """The dial that moves nothing in `MappedFace` lifts the lowest row of vertices, while the jaw is open a little."""

    def sample(self, channels):
        poses, vertices = super().sample(channels)
        jaw, sticky = np.asarray(channels, np.float64).T[3:]
        vertices[:, :SIDE, 2] += (0.02 * sticky * np.clip(1.0 - np.abs(jaw - 0.3) / 0.2, 0.0, 1.0))[:, None]
        return poses, vertices.astype(np.float32)


def masks(folder, probe):
    return moved_by(rc.sampling.sample(StickyFace(), folder, 60, sampler=clips_of(60, 1), probe=probe, seed=2))


def test_enough_base_poses_show_what_acts_beside_another_control_only(tmp_path):
    moves, notes = masks(tmp_path / "face.rwdata", 8)
    np.testing.assert_array_equal(np.flatnonzero(moves[:, 4]), np.arange(SIDE))
    assert notes == []


def test_a_control_that_no_base_pose_shows_is_an_input_everywhere_and_a_note_says_what_helps(tmp_path):
    moves, notes = masks(tmp_path / "face.rwdata", 1)
    assert moves[moves.any(axis=1), 4].all()
    assert "more base poses, as probe=8" in notes[0]


@pytest.mark.parametrize("probe", [1, 8])
def test_no_control_that_acts_is_lost(tmp_path, probe):
    moves, _ = masks(tmp_path / "face.rwdata", probe)
    assert moves[:SIDE, 4].all()
