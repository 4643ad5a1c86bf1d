"""Frames whose weights lie near the knot of an in-between: there may be a minimum at either side."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.inverse_rigs import in_between_rig, weights_near


@pytest.mark.parametrize("seed", range(4))
def test_frames_end_at_the_right_side_of_a_knot(seed, tolerance):
    rng = np.random.default_rng(seed)
    rig = in_between_rig(rng)
    truth = np.stack([weights_near([0.5], 200, rng), rng.uniform(0.3, 0.7, 200)], axis=1)
    result = rc.inverse.solve(rig, rig.evaluate(truth), alpha=0.0)
    assert result.converged.all()
    np.testing.assert_allclose(result.weights, truth, rtol=0, atol=tolerance["float32_scaled"])


def test_ages_near_knots_of_a_real_body_come_back(data_path, tolerance):
    rig = rc.faces.makehuman_macro_targets(data_path("makehuman_hm08"))
    rng = np.random.default_rng(3)
    truth = rng.uniform(0.05, 0.95, (400, 7))
    truth[:, 1] = weights_near([0.1875, 0.5], 400, rng)
    result = rc.inverse.solve(rig, rig.evaluate(truth), alpha=0.0)
    assert result.converged.all()
    np.testing.assert_allclose(result.weights, truth, rtol=0, atol=tolerance["float32_character"])
