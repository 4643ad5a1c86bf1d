"""Held-out clips, balanced batches, and the same rows after a restart."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.sampling import Clip
from rigcast.training._face_maps._rows import balanced_bins, drawn
from rigcast.training._held_out import split


class Rows:
    """As much of a data set as these functions need: a vertex on a line, most rows on its left."""

    def __init__(self, sizes=(), loose=0):
        self.clips = [Clip(f"take {number}") for number in range(len(sizes))]
        self.clip = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.full(loose, -1)]).astype(np.int32)
        self.rest_vertices = np.zeros((1, 3), np.float32)
        along = np.where(np.arange(len(self.clip)) % 20 == 0, 1.0, 0.0)
        self.vertices = np.float32(along)[:, None, None] * np.ones((1, 3), np.float32)

    def __len__(self):
        return len(self.clip)

    def take(self, rows):
        return None, None, self.vertices[rows]

    def split(self, fraction, seed):
        order = np.random.default_rng(seed).permutation(len(self))
        count = round(fraction * len(self))
        return np.sort(order[count:]), np.sort(order[:count])


@pytest.mark.parametrize("seed", range(5))
def test_no_clip_is_on_both_sides(seed):
    ds = Rows([30, 20, 50, 40, 10])
    training, held_out, _ = split("face_maps", ds, 0.1, seed)
    assert not set(ds.clip[training]) & set(ds.clip[held_out])
    assert len(training) + len(held_out) == len(ds)
    assert 0 < len(held_out) <= 0.35 * len(ds)


def test_clips_of_about_the_share_are_held_out():
    _, held_out, words = split("face_maps", Rows([10] * 10), 0.3, 0)
    assert len(held_out) == 30
    assert words.startswith("held-out clips: take")


def test_random_poses_are_judged_by_random_poses():
    training, held_out, words = split("face_maps", Rows([], 50), 0.1, 0)
    assert (len(training), len(held_out), words) == (45, 5, "random poses")


def test_random_poses_beside_clips_are_learned_from():
    ds = Rows([20, 20], 60)
    training, _, _ = split("face_maps", ds, 0.1, 0)
    assert set(np.flatnonzero(ds.clip < 0)) <= set(training)


def test_random_poses_beside_clips_do_not_cost_further_clips():
    """Else a set that is mostly random poses would be learned from without a third of its clips."""
    _, held_out, _ = split("face_maps", Rows([10] * 10, 200), 0.1, 0)
    assert len(held_out) == 10


def test_of_an_only_clip_the_last_rows_are_held_out():
    _, held_out, words = split("face_maps", Rows([40]), 0.1, 0)
    assert held_out.tolist() == [36, 37, 38, 39]
    assert "its only clip" in words


@pytest.mark.parametrize("sizes", [(), (1,), (1, 1)])
def test_too_few_rows_are_refused(sizes):
    with pytest.raises(ValueError, match=r"face_maps: data is .* rows to learn from"):
        split("face_maps", Rows(sizes, 0 if sizes else 2), 0.1, 0)


def test_a_batch_has_rare_poses_as_often_as_common_ones():
    ds = Rows([], 400)
    bins = balanced_bins(ds, np.arange(400), 16)
    assert [len(rows) for rows in bins] == [380, 20]
    rows = np.concatenate([drawn(bins, 64, 0, step) for step in range(20)])
    assert 0.4 < (rows % 20 == 0).mean() < 0.6


def test_one_bin_draws_evenly():
    assert [len(rows) for rows in balanced_bins(Rows([], 50), np.arange(50), 1)] == [50]


def test_vertices_that_rest_make_one_bin():
    ds = Rows([], 50)
    ds.vertices[:] = 0.0
    assert len(balanced_bins(ds, np.arange(50), 16)) == 1


def test_a_batch_follows_from_seed_and_step():
    bins = [np.arange(5), np.arange(5, 50)]
    assert drawn(bins, 8, 1, 7).tolist() == drawn(bins, 8, 1, 7).tolist()
    assert drawn(bins, 8, 1, 7).tolist() != drawn(bins, 8, 1, 8).tolist()
