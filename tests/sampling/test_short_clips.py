"""Clips without frames or with one, controls without effect, constant columns: named errors, or what is stated."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.action import Action
from rigcast.sampling import Animation, Balanced, balanced, clipped_share
from tests.support.characters.lid import lid_rig

WINK = Action("wink", np.array([[0.0, 0.0], [1.0, 0.0]]), 24.0)
STILL = Action("still", np.array([[0.5, 0.0]]), 24.0)
EMPTY = Action("empty", np.zeros((0, 2)), 24.0)
NOISE = (0.25, 3.0)


@pytest.fixture(scope="module")
def lid():
    return rc.sources.dials_only(lid_rig())


def test_an_animation_of_no_actions_is_refused():
    with pytest.raises(ValueError, match="Animation: actions is empty; it must be at least one action"):
        Animation.of([])


def test_an_action_without_frames_is_named():
    with pytest.raises(ValueError, match="Animation: actions is a list in which 'empty' has no frames"):
        Animation.of([WINK, EMPTY])


def test_one_frame_is_a_clip(lid, tmp_path):
    data = rc.sampling.sample(lid, tmp_path / "a.rwdata", sampler=Animation.of([WINK, STILL]), probe=0)
    assert data.clip.tolist() == [0, 0, 1]


def test_one_frame_with_noise_gives_many_poses(lid, tmp_path):
    data = rc.sampling.sample(lid, tmp_path / "a.rwdata", 6, sampler=Animation.of([STILL], NOISE), probe=0)
    assert len(np.unique(data.channels[:, 0])) > 1


def test_candidates_that_move_nothing_are_refused(lid):
    with pytest.raises(ValueError, match="balanced: sampler is one whose first 20 candidates move no vertex; it must"):
        balanced(lid, Animation(np.zeros((5, 2)), NOISE), 20)


def test_landmarks_that_rest_are_refused(lid):
    with pytest.raises(ValueError, match="balanced: landmarks is 1 vertices that rest in all 20 candidates; it must"):
        balanced(lid, "uniform", 20, landmarks=[0])


def test_a_dial_without_effect_changes_no_bin(lid):
    """Below a half, squint moves nothing."""
    blink = np.linspace(0, 1, 20)
    one, two = (Animation(np.stack([blink, other], axis=1)) for other in (np.zeros(20), 0.5 * blink[::-1]))
    bins = [np.asarray(balanced(lid, item, 20, landmarks=[20, 24]).bins).tolist() for item in (one, two)]
    assert bins[0] == bins[1]


def test_constant_channels_are_drawn_as_they_are(lid):
    rows = np.stack([np.linspace(0, 1, 20), np.full(20, 0.25)], axis=1)
    made = balanced(lid, Animation(rows), 20, num_landmarks=4)
    np.testing.assert_array_equal(np.asarray(made.rows)[:, 1], 0.25)


@pytest.mark.parametrize("sampler", ["uniform", Balanced(np.zeros((2, 2)), [0, 1])])
def test_only_noise_is_clipped(lid, sampler):
    with pytest.raises(ValueError, match=r"clipped_share: sampler is .*; it must be a rigcast\.sampling\.Animation"):
        clipped_share(lid, sampler, 5)
