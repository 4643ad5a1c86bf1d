"""The gate on data that leaves nothing to learn, and on what is no data."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(20, 2))
Y = RNG.normal(size=(20, 4, 3)).astype(np.float32)
STILL = np.zeros((20, 4, 3), np.float32)


def test_controls_without_effect_leave_nothing_to_learn():
    gate = rc.metrics.difficulty((X, STILL), (X[:3], STILL[:3]))
    assert not gate.is_learning(0.0)


def test_the_verdict_on_a_still_character_says_so():
    gate = rc.metrics.difficulty((X, STILL), (X[:3], STILL[:3]))
    assert gate.verdict(0.0) == "The data are easy, no test of learning: PCA + linear regression misses by 0."


def test_a_constant_column_that_the_judged_poses_vary_is_counted():
    held = X.copy()
    held[:, 1] = 0.5
    gate = rc.metrics.difficulty((held, Y), (X[:5], Y[:5]))
    assert (gate.inputs, gate.unseen) == (1, 1)
    assert "1 more that varies in the judged poses alone" in str(gate)


def test_columns_that_vary_in_training_are_all_seen():
    assert rc.metrics.difficulty((X, Y), (X[:5], Y[:5])).unseen == 0


def test_a_column_that_nobody_varies_is_not_counted():
    held = np.column_stack([X, np.full(20, 0.5)])
    assert rc.metrics.difficulty((held, Y), (held[:5], Y[:5])).unseen == 0


def test_a_judged_clip_of_one_frame_is_judged():
    assert rc.metrics.difficulty((X, Y), (X[:1], Y[:1])).judged_poses == 1


@pytest.mark.parametrize("which", ["train", "test"])
def test_what_is_no_data_is_named(which):
    given = {"train": (X, Y), "test": (X, Y), which: None}
    with pytest.raises(ValueError, match=f"difficulty: {which} is a NoneType; it must be a data set, or a pair"):
        rc.metrics.difficulty(given["train"], given["test"])
