"""Rows of a data set know the clip that they were sampled from."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.action import Action
from rigcast.sampling import Animation, Clip, Mixture, Uniform
from tests.sampling.rigs import small_rig

WALK, RUN = Clip("walk", 24.0), Clip("run", 30.0)


def actions():
    """Two actions whose rows are told apart by their first channel."""
    width = len(small_rig().channel_names)
    return [
        Action(clip.name, np.full((frames, width), value), clip.fps)
        for clip, frames, value in ((WALK, 5, 0.0), (RUN, 3, 1.0))
    ]


def sampled(path, sampler, count=None, **options):
    return rc.sampling.sample(small_rig(), path, count, sampler=sampler, probe=0, **options)


def test_frames_are_of_their_actions(tmp_path):
    ds = sampled(tmp_path / "a", Animation.of(actions()))
    assert (ds.clips, ds.clip.tolist()) == ([WALK, RUN], [0] * 5 + [1] * 3)


def test_frames_that_nobody_named_are_one_clip(tmp_path):
    ds = sampled(tmp_path / "a", Animation(actions()[0].channels))
    assert (ds.clips, ds.clip.tolist()) == ([Clip("animation")], [0] * 5)


def test_rows_with_noise_keep_their_clip(tmp_path):
    ds = sampled(tmp_path / "a", Animation.of(actions(), noise=0.01), 40)
    np.testing.assert_array_equal(ds.clip, (ds.channels[:, 0] > 0.5).astype(int))


def test_random_rows_have_none(tmp_path):
    ds = sampled(tmp_path / "a", "normal", 5)
    assert (ds.clips, ds.clip.tolist()) == ([], [-1] * 5)


def test_mixtures_tell_random_rows_from_clips(tmp_path):
    ds = sampled(tmp_path / "a", Mixture([(1.0, Uniform()), (1.0, Animation.of(actions()[1:], 0.001))]), 40)
    from_clip = np.abs(ds.channels - 1.0).max(axis=1) < 0.01
    np.testing.assert_array_equal(ds.clip, np.where(from_clip, 0, -1))
    assert ds.clips == [RUN]


def test_mixtures_number_the_clips_of_all_parts(tmp_path):
    both = Mixture([(1.0, Animation.of(actions()[:1], 0.001)), (1.0, Animation.of(actions()[1:], 0.001))])
    ds = sampled(tmp_path / "a", both, 40)
    assert ds.clips == [WALK, RUN]
    np.testing.assert_array_equal(ds.clip, (ds.channels[:, 0] > 0.5).astype(int))


def test_played_actions_are_clips(tmp_path):
    rig = small_rig()
    rig.actions, rig.played = {"walk": 3}, lambda name: rig.sample(np.zeros((3, len(rig.channel_names))))
    rig.action = lambda name: actions()[0]
    ds = rc.sampling.sample_actions(rig, tmp_path / "a", ["walk", np.ones((2, len(rig.channel_names)))])
    assert (ds.clips, ds.clip.tolist()) == ([WALK, Clip("motion 2")], [0, 0, 0, 1, 1])


@pytest.mark.parametrize("workers", [1, 2])
def test_files_are_the_same_for_any_workers(tmp_path, workers):
    sampler = Mixture([(1.0, Uniform()), (1.0, Animation.of(actions(), 0.1))])
    first = sampled(tmp_path / "a", sampler, 24, shard_rows=4)
    assert sampled(tmp_path / "b", sampler, 24, shard_rows=4, workers=workers).hash == first.hash


def test_a_clip_that_is_none_is_refused(tmp_path):
    ds = sampled(tmp_path / "a", Animation.of(actions()))
    rows = np.array(ds.clip)
    rows[4] = 2
    np.save(ds.path / "clip.npy", rows)
    with pytest.raises(ValueError, match=r"clip\.npy is 2 in row 4; it must be clips from -1 to 1"):
        rc.Dataset(ds.path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Clip(""), "Clip: name is ''"),
        (lambda: Clip("walk", 0.0), "Clip: fps is 0"),
        (lambda: Animation(np.zeros((3, 2)), clips=[WALK, RUN]), "clip is left out beside 2 clips"),
        (lambda: Animation(np.zeros((3, 2)), clips=[WALK], clip=[0, 1, 0]), "Animation: clip is .*"),
        (lambda: Animation(np.zeros((3, 2)), clips=["walk"]), "clips is .*a list of rigcast.sampling.Clip"),
        (lambda: Animation(np.zeros((3, 2)), clips=[WALK, Clip("walk")], clip=[0, 0, 1]), "clips .*walk"),
    ],
)
def test_wrong_clips_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
