"""Latent spaces on the device: the engine's numbers, for any number of characters."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.support.made import latent

ROUNDING = 1e-10  # sums of up to 2,000 products of order one in another order, and roots of condition 1e4


def spaces(count, inducing, dimension=3, outputs=7):
    s = latent.setting(count, dimension, outputs)
    chosen = s.points[latent.spread_frames(count, inducing)] if inducing else None
    return _core.LatentSpace(s.points, s.values, s.variance, s.length, s.noise, chosen)


def points(count, dimension=3):
    return np.random.default_rng(2).uniform(-2, 2, (count, dimension))


@pytest.mark.parametrize(
    ("count", "inducing", "dimension"), [(1, 0, 3), (60, 0, 3), (129, 0, 5), (300, 40, 2), (257, 0, 1)]
)
def test_agrees_with_the_engine(lane, count, inducing, dimension):
    space = spaces(count, inducing, dimension)
    x = points(37, dimension)
    mean, variance, gradient = lane.DeviceLatentSpace(space).evaluate(x)
    np.testing.assert_allclose(mean, space.mean(x), atol=ROUNDING)
    np.testing.assert_allclose(variance, space.predictive_variance(x), atol=ROUNDING)
    np.testing.assert_allclose(gradient, space.variance_gradient(x), atol=ROUNDING)


def test_spaces_beyond_the_shared_memory_agree_too(lane):
    space = spaces(2000, 0, outputs=1)
    x = points(3)
    mean, variance, gradient = lane.DeviceLatentSpace(space).evaluate(x)
    np.testing.assert_allclose(mean, space.mean(x), atol=1e-8)  # 2,000 close points: a condition of 1e5
    np.testing.assert_allclose(variance, space.predictive_variance(x), atol=ROUNDING)
    np.testing.assert_allclose(gradient, space.variance_gradient(x), atol=ROUNDING)


def test_a_character_does_not_depend_on_the_others(lane):
    made = lane.DeviceLatentSpace(spaces(60, 0))
    x = points(20)
    together = made.evaluate(x)
    for t in (0, 7, 19):
        alone = made.evaluate(x[t : t + 1])
        assert [part.tobytes() for part in alone] == [part[t : t + 1].tobytes() for part in together]
    assert [part.shape for part in made.evaluate(np.zeros((0, 3)))] == [(0, 7), (0,), (0, 3)]


def test_says_what_is_wrong(lane):
    made = lane.DeviceLatentSpace(spaces(20, 0))
    with pytest.raises(ValueError, match=r"points is \(2, 2\); it must be \(any, 3\)"):
        made.evaluate(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="points is not finite"):
        made.evaluate([[0.0, np.inf, 0.0]])
