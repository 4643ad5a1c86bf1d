"""Blendshapes on the device: the same bytes in any batch, one copy of the rig, prefixes, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.made.blendshapes import random_rig, random_weights


def evaluator(lane, model, **options):
    return lane.ResidentModel(model, **options)


def evaluate(on_device, weights, num_vertices, **prefix):
    out = np.full((len(weights), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(weights, out, **prefix)
    return out


def test_a_head_gives_the_same_bytes_in_any_batch_and_chunk(lane):
    model = random_rig(num_vertices=200)
    weights = random_weights(model, 150)
    rng = np.random.default_rng(0)
    order, lengths = rng.permutation(7).astype(np.int32), rng.integers(0, 8, 150).astype(np.int32)
    on_device = evaluator(lane, model)
    expected = evaluate(on_device, weights, 200, order=order, lengths=lengths)
    for workspace in (0, 60_000, 250_000):
        chunked = evaluator(lane, model, workspace=workspace)
        assert evaluate(chunked, weights, 200, order=order, lengths=lengths).tobytes() == expected.tobytes()
    for size in (1, 63, 64, 65):
        pieces = [slice(t, t + size) for t in range(0, 150, size)]
        parts = [evaluate(on_device, weights[i], 200, order=order, lengths=lengths[i]) for i in pieces]
        assert np.concatenate(parts).tobytes() == expected.tobytes()


def test_orders_follow_each_other(lane, tolerance):
    model = random_rig()
    weights, lengths = random_weights(model, 8), np.arange(8, dtype=np.int32)
    on_device = evaluator(lane, model)
    for seed in (0, 1, 0):
        order = np.random.default_rng(seed).permutation(7).astype(np.int32)
        result = evaluate(on_device, weights, 60, order=order, lengths=lengths)
        expected = model.evaluate(weights, order=order, prefix=lengths)
        np.testing.assert_allclose(result, expected, atol=tolerance["float32_sum"])
        whole = evaluate(on_device, weights, 60)
        np.testing.assert_allclose(whole, model.evaluate(weights), atol=tolerance["float32_sum"])


def test_evaluate_on_cuda_matches_the_cpu(cuda_lane, tolerance):
    model = random_rig(num_vertices=300)
    weights = random_weights(model, 70)
    result = model.evaluate(weights, device="cuda")
    np.testing.assert_allclose(result, model.evaluate(weights), atol=tolerance["float32_sum"])
    assert model.evaluate(weights[7], device="cuda").tobytes() == result[7].tobytes()
    order = np.arange(6, -1, -1)
    result = model.evaluate(weights, device="cuda", order=order, prefix=3)
    np.testing.assert_allclose(result, model.evaluate(weights, order=order, prefix=3), atol=tolerance["float32_sum"])
    assert model.evaluate(weights[:0], device="cuda").shape == (0, 300, 3)


def test_wrong_input_is_named(lane):
    model = random_rig()
    weights, out = random_weights(model, 2), np.empty((2, 60, 3), np.float32)
    on_device = evaluator(lane, model)
    with pytest.raises(ValueError, match="evaluate: poses is 6 wide; it must be 7 wide"):
        on_device.evaluate(weights[:, 1:], out)
    with pytest.raises(ValueError, match=r"evaluate: out is \(2, 60, 3\); it must be \(1, 60, 3\)"):
        on_device.evaluate(weights[:1], out)
    with pytest.raises(ValueError, match="evaluate: order is holding 9"):
        on_device.evaluate(weights, out, order=[0, 1, 2, 3, 4, 5, 9], lengths=[1, 2])
    with pytest.raises(ValueError, match="evaluate: prefix is 8; it must be 0 to 7"):
        on_device.evaluate(weights, out, order=range(7), lengths=[1, 8])
    with pytest.raises(ValueError, match="evaluate: order is without lengths"):
        on_device.evaluate(weights, out, order=range(7))
    with pytest.raises(ValueError, match="milliseconds: batch is 3"):
        on_device.milliseconds(weights, 3, 1)


def test_timing_gives_a_positive_time_a_run(lane):
    model = random_rig()
    times = evaluator(lane, model).milliseconds(random_weights(model, 10), 3, 5)
    assert len(times) == 5
    assert min(times) > 0
