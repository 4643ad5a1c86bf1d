"""Latent spaces beside GPy, which needs NumPy 2: this runs in the second environment of ./run test."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.support.made import latent

GPy = pytest.importorskip("GPy", reason="GPy is not installed (it needs NumPy 2)", exc_type=ImportError)

JITTER = 1e-8  # that GPy adds to the noise
SAME = 1e-8  # relative to the value
GRADIENT = 1e-6  # relative to the largest entry


@pytest.fixture(scope="module")
def both():
    """A setting of 60 frames, and GPy's model of the same points, values and kernel."""
    s = latent.setting()
    kernel = GPy.kern.RBF(3, variance=s.variance, lengthscale=s.length)
    model = GPy.models.GPLVM(s.values, 3, X=s.points.copy(), kernel=kernel)
    model.likelihood.variance = s.noise - JITTER
    return s, model


def objective(s):
    """Value and gradient in the points without priors, and without the term of the length, as a likelihood."""
    floor = 1e-6 * (s.values**2).mean()
    x = np.concatenate([s.points.ravel(), np.log([s.variance, s.length, s.noise - floor])])
    found = _core.LatentObjective(s.values, 3, [(0, 25), (25, 60)], dynamics=False, connectivity=False).evaluate(x)
    return 0.5 * s.points.size * np.log(s.length) ** 2 - found[0], -found[1][: s.points.size].reshape(s.points.shape)


def test_the_likelihood_is_gpys(both):
    s, model = both
    assert objective(s)[0] == pytest.approx(float(np.squeeze(model.log_likelihood())), rel=SAME)


def test_the_gradient_in_the_points_is_gpys(both):
    s, model = both
    theirs = np.asarray(model.X.gradient)
    np.testing.assert_allclose(objective(s)[1], theirs, atol=GRADIENT * np.abs(theirs).max())


def test_predictions_are_gpys(both):
    s, model = both
    space = _core.LatentSpace(s.points, s.values, s.variance, s.length, s.noise)
    x = np.random.default_rng(1).normal(size=(20, 3))
    mean, variance = model.predict_noiseless(x)
    np.testing.assert_allclose(space.mean(x), mean, atol=GRADIENT * np.abs(mean).max())
    np.testing.assert_allclose(space.predictive_variance(x), variance[:, 0], atol=GRADIENT * s.variance)
