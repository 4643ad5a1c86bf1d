"""Metrics of solved weights against slow NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES


def shot(frames=6, shapes=5, vertices=9, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.random((frames, shapes)) * rng.choice([0, 1e-4, 5e-3, 1], (frames, shapes))
    truth, vertices = rng.standard_normal((2, frames, vertices, 3)).astype(np.float32)
    return weights, truth, vertices


def test_it_matches_loops():
    weights, truth, vertices = shot()
    error = rc.metrics.weight_error(weights, truth, vertices, seconds=3.0)
    rmse = [np.sqrt(np.mean(np.sum((a - b) ** 2, axis=1))) for a, b in zip(truth.astype(float), vertices, strict=True)]
    np.testing.assert_allclose(error.rmse, rmse, rtol=TOLERANCES["float32"])
    assert error.rmse_mean == pytest.approx(np.mean(rmse), rel=TOLERANCES["float32"])
    p95 = [np.percentile(np.sqrt(np.sum((a - b) ** 2, axis=1)), 95) for a, b in zip(truth, vertices, strict=True)]
    np.testing.assert_allclose(error.rmse_p95, p95, rtol=TOLERANCES["float32"])
    assert error.rmse_p95_mean == pytest.approx(np.mean(p95), rel=TOLERANCES["float32"])
    for name, least in (("cardinality", 0), ("cardinality_001", 1e-3), ("cardinality_01", 0.01)):
        assert list(getattr(error, name)) == [sum(w > least for w in row) for row in weights]
    assert error.cardinality.sum() > error.cardinality_001.sum() > error.cardinality_01.sum() > 0
    np.testing.assert_allclose(error.l1, [sum(row) for row in weights])
    bends = [sum((w[t - 1] - 2 * w[t] + w[t + 1]) ** 2 for t in range(1, 5)) for w in weights.T]
    np.testing.assert_allclose(error.smoothness, bends)
    assert error.seconds == 0.5


def test_a_few_vertices_far_off_raise_the_percentile_over_vertices_and_not_the_mean():
    """The paper's reason for the percentile (sec. 5.2): one tenth of the vertices is off in every frame."""
    truth = np.zeros((4, 100, 3), np.float32)
    off, slight = truth.copy(), truth.copy()
    off[:, :10, 0] = 1.0
    slight[:, :, 0] = np.sqrt(0.1)
    few, many = (rc.metrics.weight_error(np.ones((4, 1)), truth, other) for other in (off, slight))
    np.testing.assert_allclose(few.rmse, many.rmse, rtol=TOLERANCES["float32"])
    assert few.rmse_p95.tolist() == [1.0] * 4
    np.testing.assert_allclose(many.rmse_p95, np.sqrt(0.1), rtol=TOLERANCES["float32"])


def test_a_still_short_and_untimed_shot():
    weights, truth, vertices = shot(frames=2)
    error = rc.metrics.weight_error(weights, truth, vertices)
    assert (error.smoothness == 0).all()
    assert np.isnan(error.seconds)
    assert "rmse=" in repr(error)


def test_negative_weights_count_by_size():
    _, truth, vertices = shot(frames=1)
    error = rc.metrics.weight_error([[-0.5, 0.25, 0.0]], truth, vertices)
    assert error.cardinality[0] == 2
    assert error.l1[0] == 0.75


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("weights", np.zeros((6, 0))),
        ("weights", np.full((6, 5), np.nan)),
        ("weights", np.zeros(6)),
        ("truth", np.zeros((5, 9, 3), np.float32)),
        ("approximation", np.zeros((7, 9, 3), np.float32)),
    ],
)
def test_what_does_not_fit_is_refused(argument, value):
    weights, truth, approximation = shot()
    given = {"weights": weights, "truth": truth, "approximation": approximation} | {argument: value}
    with pytest.raises(ValueError, match=f"weight_error: {argument} is"):
        rc.metrics.weight_error(**given)
