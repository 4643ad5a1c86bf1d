"""The batched networks against one network at a time in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._body.networks import PARAMETERS, forward, initial_parameters, layers, make_problem, normalize

SIZES = [(7, 3), (2, 9), (5, 5)]  # inputs and outputs of three sets
ROWS, HIDDEN = 40, 6


@pytest.fixture
def sets():
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((ROWS, n)).astype(np.float32) * 3 + 1 for n, _ in SIZES]
    targets = [rng.standard_normal((ROWS, r)).astype(np.float32) * 0.2 for _, r in SIZES]
    return inputs, targets, [normalize(x, y) for x, y in zip(inputs, targets, strict=True)]


def slow_network(part, x):
    for n in (1, 2):
        x = np.tanh(x @ part[f"layer{n}.weight"].T.astype(np.float64) + part[f"layer{n}.bias"])
    return x @ part["layer3.weight"].T.astype(np.float64) + part["layer3.bias"]


def test_folded_layers_on_raw_inputs_equal_the_batched_networks(sets, tolerance):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    inputs, targets, maps = sets
    problem = make_problem(inputs, targets, maps, np.ones(ROWS, bool))
    parameters = initial_parameters([n for n, _ in SIZES], [r for _, r in SIZES], HIDDEN, seed=1)
    tensors = {name: torch.from_numpy(parameters[name]) for name in PARAMETERS}
    batched = forward(torch, tensors, torch.from_numpy(problem.inputs)).numpy()
    for s, (_, r) in enumerate(SIZES):
        expected = slow_network(layers(parameters, s, maps[s]), inputs[s].astype(np.float64))
        np.testing.assert_allclose(batched[s, :, :r] * maps[s].scale, expected, atol=tolerance["float32_sum"])


def test_padding_is_zero_and_weighs_nothing(sets):
    inputs, targets, maps = sets
    problem = make_problem(inputs, targets, maps, np.ones(ROWS, bool))
    for s, (n, r) in enumerate(SIZES):
        assert not problem.inputs[s, :, n:].any()
        assert not problem.targets[s, :, r:].any()
        assert not problem.importance[s, :, r:].any()
        assert (problem.importance[s, 0, :r] > 0).all()


def test_targets_of_a_set_share_one_scale(sets, tolerance):
    _, targets, maps = sets
    for y, m in zip(targets, maps, strict=True):
        np.testing.assert_allclose(
            m.scale, np.sqrt((y.astype(np.float64) ** 2).mean()), rtol=tolerance["float64_converged"]
        )


def test_loss_is_the_squared_length_of_the_coefficients(sets, tolerance):
    inputs, targets, maps = sets
    problem = make_problem(inputs, targets, maps, np.ones(ROWS, bool))
    for s, (_, r) in enumerate(SIZES):
        squared = (problem.targets[s] ** 2 * problem.importance[s]).sum(axis=1)
        np.testing.assert_allclose(squared, (targets[s] ** 2).sum(axis=1), rtol=10 * tolerance["float32_sum"])
        assert problem.targets[s, :, :r].any()


def test_inputs_are_normalized_on_the_training_rows(sets, tolerance):
    inputs, _, maps = sets
    for x, m in zip(inputs, maps, strict=True):
        z = (x - m.mean) @ m.whiten
        np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=tolerance["float64_converged"])
        np.testing.assert_allclose(z.std(axis=0), 1.0, atol=tolerance["float64_converged"])
