"""Weight decay and a small first layer: what they do in a step, and what they are for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rigcast.training._body.networks import initial_parameters, make_problem, normalize
from rigcast.training._body.settings import BodySettings
from rigcast.training._body.trainer import Trainer
from rigcast.training._budget import Budget, torch_settings
from rigcast.training._optimize import Allowance, rate

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

INPUTS, OUTPUTS, ROWS = 40, 5, 400


@pytest.fixture(scope="module")
def problem():
    """Pairs of many inputs act together a little: few rows for a network that could learn them by heart."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, INPUTS))
    straight, curved = rng.standard_normal((INPUTS, OUTPUTS)), rng.standard_normal((INPUTS // 2, OUTPUTS))
    y = np.float32(x @ straight + 0.1 * (x[:, ::2] * x[:, 1::2]) @ curved)
    training = np.arange(ROWS) < ROWS // 2
    x = x.astype(np.float32)
    return make_problem([x], [y], [normalize(x[training], y[training])], training)


def trained(problem, settings, steps):
    trainer = Trainer(problem, [INPUTS], [OUTPUTS], settings, Budget("body"))
    with torch_settings(torch, 1, "cpu"):
        return trainer.run(trainer.start(), Allowance(steps, None), lambda *_: None, lambda *_: None)


def test_weights_decay_with_the_rate_and_biases_do_not(problem, tolerance):
    settings = BodySettings(optimizer="adam", hidden=8, batch=32, weight_decay=0.0)
    plain = trained(problem, settings, 1).parameters
    decayed = trained(problem, replace(settings, weight_decay=2.0), 1).parameters
    left = 1.0 - 2.0 * rate(settings, 0.0)
    for name, value in plain.items():
        expected = value * left if name.startswith("weight") else value
        np.testing.assert_allclose(decayed[name], expected, rtol=tolerance["float32_sum"])


def test_the_gain_scales_the_first_layer_alone(problem):
    drawn = initial_parameters([INPUTS], [OUTPUTS], 8, seed=0)
    begun = Trainer(problem, [INPUTS], [OUTPUTS], BodySettings(hidden=8, gain=0.25), Budget("body")).start().parameters
    for name, value in drawn.items():
        np.testing.assert_array_equal(begun[name], value * np.float32(0.25 if name == "weight1" else 1.0))


def test_few_rows_of_many_inputs_are_not_learned_by_heart(problem):
    settings = BodySettings(hidden=32, batch=64)
    by_heart = trained(problem, replace(settings, weight_decay=0.0, gain=1.0), 120)
    assert trained(problem, settings, 120).best_loss < 0.5 * by_heart.best_loss


def test_more_rows_need_less_decay(tolerance):
    settings = BodySettings()
    assert settings.decay(10) == settings.decay(200)
    assert settings.decay(9000) == pytest.approx(0.1 * settings.decay(900), rel=tolerance["float64"])
    assert replace(settings, weight_decay=0.7).decay(9000) == 0.7


def test_the_paper_has_neither():
    paper = BodySettings(method="paper")
    assert (paper.weight_decay, paper.gain) == (0.0, 1.0)
