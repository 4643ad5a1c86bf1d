"""Huge weights: up to `weight_limit` everything is finite, beyond it they are refused by name."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, slow_blendshapes

SEEDS = range(3)


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_finite_up_to_the_limit(seed, storage, tolerance):
    rig = random_rig(seed=seed, storage=storage)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (20, rig.num_shapes))
    weights = np.float32(rig.weight_limit) * signs.astype(np.float32)
    assert rig.weight_limit > 1e6
    assert np.isfinite(rig.activations(weights)).all()
    for prefix in (None, 3):
        vertices = rig.evaluate(weights, prefix=prefix)
        assert np.isfinite(vertices).all()
    count, columns = rig.num_shapes, rig.columns()
    combinations = zip(rig.combinations, columns[count:], strict=True)
    truth = slow_blendshapes(rig.rest_vertices, columns[:count], combinations, weights[0])
    np.testing.assert_allclose(rig.evaluate(weights[0]), truth, rtol=0, atol=tolerance["float32"] * np.abs(truth).max())
    assert np.isfinite(rig.vjp(weights, np.ones((20, *rig.rest_vertices.shape)))).all()
    assert np.isfinite(rig.confidence(weights)).all()


def test_the_limit_is_not_far_below_what_overflows():
    linear = rc.BlendshapeRig(np.zeros((5, 3)), np.ones((4, 5, 3)))
    assert 4 * linear.weight_limit >= np.finfo(np.float32).max / 4
    pair = rc.BlendshapeRig(np.zeros((5, 3)), np.ones((4, 5, 3)), [((0, 1), np.ones((5, 3)))])
    assert pair.weight_limit**2 >= np.finfo(np.float32).max / 16


@pytest.mark.parametrize("value", [1e30, -1e30])
def test_a_weight_beyond_the_limit_is_named(value):
    rig = random_rig(seed=0)
    weights = np.zeros((3, rig.num_shapes))
    weights[2, 4] = value
    written = re.escape(f"{value:g}")
    text = rf"evaluate: weights is {written} at \(2, 4\); it must be between -[0-9.e+]+ and [0-9.e+]+"
    for options in ({}, {"prefix": 2}):
        with pytest.raises(ValueError, match=text):
            rig.evaluate(weights, **options)
    with pytest.raises(ValueError, match=r"activations: weights is .* at \(2, 4\)"):
        rig.activations(weights)
    with pytest.raises(ValueError, match=r"vjp: poses is .* at \(2, 4\)"):
        rig.vjp(weights, np.zeros((3, *rig.rest_vertices.shape)))
    with pytest.raises(ValueError, match=r"confidence: poses is .* at \(2, 4\)"):
        rig.confidence(weights)


def test_clips_beyond_the_limit_are_named():
    rig = random_rig(seed=0)
    clip = np.full((2, rig.num_shapes), 1e30)
    with pytest.raises(ValueError, match=r"Crowd: clips\[1\] is 1e\+30 in magnitude somewhere; it must be at most"):
        rc.crowd.Crowd(rig, [0 * clip, clip])
    with pytest.raises(ValueError, match="level_of_detail_errors: weights is 1e"):
        rc.crowd.level_of_detail_errors(rig, None, clip)
    crowd = rc.crowd.Crowd(rig, rig.weight_limit * np.array([[1.0], [-1.0]]) * np.ones(rig.num_shapes))
    assert np.isfinite(crowd.evaluate(0, [0, 0.25, 0.75, 1])).all()


def test_gradients_that_overflow_are_refused():
    rig = random_rig(seed=0)
    cotangents = np.full(rig.rest_vertices.shape, 3e38)
    with pytest.raises(
        ValueError, match="vjp: cotangents is so large that the gradient overflows; it must be smaller, or the poses"
    ):
        rig.vjp(np.ones(rig.num_shapes), cotangents)


@pytest.mark.parametrize("points", [(0.0, 1e-39, 1.0), (0.0, 0.5, 0.5 + 1e-9), (-3e38, 0.0, 3e38)])
def test_tents_whose_slopes_are_not_finite_are_refused(points):
    neutral, deltas, _ = random_arrays()
    with pytest.raises(ValueError, match="it must be a tent with x1 < x2 < x3, with distances and slopes that are"):
        rc.BlendshapeRig(neutral, deltas, [((rc.Tent(0, *points),), neutral)])


def test_offsets_that_may_overflow_at_any_weight_leave_the_neutral():
    neutral = np.full((5, 3), 2e38)
    rig = rc.BlendshapeRig(neutral, np.ones((4, 5, 3)))
    np.testing.assert_array_equal(rig.evaluate(np.zeros(4)), neutral.astype(np.float32))
    with pytest.raises(ValueError, match=r"weights is 1e-37 at \(0, 0\); it must be 0: "):
        rig.evaluate(np.full(4, 1e-37))
