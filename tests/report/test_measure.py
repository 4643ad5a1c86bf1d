"""The numbers of a report against the definition, written out slowly."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.report._body.assess import beyond
from rigcast.report._body.heldout import check_fits, held_out
from rigcast.report._body.measure import HISTOGRAM_EDGES, histogram, measure, set_weights, vertex_sets
from tests.support.made.models import random_body


def test_errors_are_distances_in_millimeters(studied, tolerance):
    model, truth = studied.models["hero"], held_out(studied.data, "random poses")
    found = measure(model, truth)
    off = (model.evaluate(studied.data.poses).astype(np.float64) - studied.data.vertices) * 10.0  # centimeters
    distances = np.sqrt((off**2).sum(axis=2))
    close = float(tolerance["float32_sum"] * np.abs(studied.data.vertices).max() * 10.0)
    np.testing.assert_allclose(found.distances, distances, atol=close)
    assert found.mean == pytest.approx(distances.mean(), abs=close)
    assert found.rms == pytest.approx(np.sqrt((distances**2).mean()), abs=close)
    assert found.p95 == pytest.approx(np.percentile(distances, 95), abs=close)
    assert found.max == pytest.approx(distances.max(), abs=close)
    assert found.max > 1.0, "the bulge must be missing"


def test_hard_sets_show_their_seams(studied):
    truth = held_out(studied.data, "random poses")
    hard, soft = (measure(studied.models[name], truth).seams for name in ("paper", "hero"))
    assert hard.ratio > 1.5 * soft.ratio
    assert hard.across.normal > 1.5 * soft.across.normal
    assert hard.across.length > 5.0 * soft.across.length


def test_a_model_without_sets_is_judged_at_the_labels_given(studied):
    truth = held_out(studied.data, "random poses")
    assert measure(studied.models["two"], truth).seams is None
    labels = vertex_sets(studied.models["hero"])
    assert measure(studied.models["two"], truth, labels).seams.across.count > 0


def test_set_weights_are_the_rigs(studied, tolerance):
    np.testing.assert_allclose(set_weights(studied.models["hero"]), studied.rig.weights, atol=tolerance["float32"])
    assert set_weights(studied.models["two"]) is None


def test_histogram_counts_everything_once():
    distances = np.float32([[0.0, 1e-5, 0.5], [0.5, 3.0, 1e5]])
    shares = histogram(distances)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] == pytest.approx(2 / 6)
    assert shares[-1] == pytest.approx(1 / 6)
    assert shares[np.searchsorted(HISTOGRAM_EDGES, 0.5)] == pytest.approx(2 / 6)


def test_long_sets_are_thinned_out_evenly(studied):
    few = held_out(studied.data, "random poses", at_most=5)
    assert few.rows.tolist() == [0, 6, 12, 17, 23]
    np.testing.assert_array_equal(few.poses, studied.data.poses[few.rows])
    np.testing.assert_array_equal(few.vertices, studied.data.vertices[few.rows])


def test_another_character_is_refused(studied):
    with pytest.raises(ValueError, match="of another mesh"):
        check_fits(random_body(), studied.data, "evaluate")


def test_beyond_turns_joints_twice_as_far(studied, tolerance):
    """Channel rows of one axis a joint: twice the angle is twice the channel."""
    rig = studied.rig
    rows = np.zeros((3, len(rig.channel_names)))
    rows[0, rig.channel_names.index("joint1.rx")] = 30
    rows[1, rig.channel_names.index("joint2.rz")] = -25
    rows[2, rig.channel_names.index("flex")] = 0.25
    (poses, _), (twice, _) = rig.sample(rows), rig.sample(2 * rows)
    np.testing.assert_allclose(beyond(studied.models["hero"], poses), twice, atol=tolerance["float32_sum"])
    with pytest.raises(ValueError, match="beyond: times"):
        beyond(studied.models["hero"], poses, 0)
