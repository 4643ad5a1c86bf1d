"""Gaussian processes on latent points: against dense NumPy, differences, and each other."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core, errors
from tests.conftest import TOLERANCES
from tests.support.made import latent

DENSE = 1e-8  # of quantities of order one to a hundred: two factorizations in different orders
DIFFERENCES = TOLERANCES["float64_converged"]


def space(s, inducing=None, **keywords):
    return _core.LatentSpace(s.points, s.values, s.variance, s.length, s.noise, inducing, **keywords)


def probes(count=40, dimension=3, seed=1):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, (count, dimension))


@pytest.mark.parametrize(
    ("count", "dimension", "outputs"), [(1, 2, 1), (7, 1, 3), (60, 3, 8), (97, 3, 30), (200, 5, 2)]
)
def test_is_the_dense_process(count, dimension, outputs):
    s = latent.setting(count, dimension, outputs)
    x = probes(dimension=dimension)
    made = space(s)
    np.testing.assert_allclose(made.mean(x), latent.exact_mean(s, x), atol=DENSE)
    np.testing.assert_allclose(made.predictive_variance(x), latent.exact_variance(s, x), atol=DENSE)
    # relative: the likelihood sums hundreds of terms
    assert made.log_likelihood() == pytest.approx(latent.exact_log_likelihood(s), rel=DENSE)


@pytest.mark.parametrize(("count", "inducing"), [(60, 1), (60, 12), (600, 25), (1100, 13)])
def test_with_inducing_points_is_the_dense_conditional(count, inducing):
    s = latent.setting(count)
    chosen = s.points[:: count // inducing][:inducing]
    x = probes()
    made = space(s, chosen)
    # the jitter's condition of 1e8 costs digits in NumPy's solutions
    np.testing.assert_allclose(made.mean(x), latent.inducing_mean(s, chosen, x), atol=DIFFERENCES)
    np.testing.assert_allclose(made.predictive_variance(x), latent.inducing_variance(s, chosen, x), atol=DIFFERENCES)
    # relative: the likelihood sums hundreds of terms
    assert made.log_likelihood() == pytest.approx(latent.inducing_log_likelihood(s, chosen), rel=DENSE)


def test_all_points_as_inducing_points_are_the_exact_process():
    s = latent.setting(60)._replace(length=0.2)
    x = probes()
    exact, through = space(s), space(s, s.points)
    np.testing.assert_allclose(through.mean(x), exact.mean(x), atol=DIFFERENCES)
    np.testing.assert_allclose(through.predictive_variance(x), exact.predictive_variance(x), atol=DIFFERENCES)
    assert through.log_likelihood() == pytest.approx(exact.log_likelihood(), rel=DIFFERENCES)


@pytest.mark.parametrize("inducing", [None, 9])
def test_the_gradient_of_the_variance_is_that_of_differences(inducing):
    s = latent.setting(120)
    made = space(s, None if inducing is None else s.points[::14][:inducing])
    x, step = probes(20), 1e-5
    found = made.variance_gradient(x)
    for axis in range(3):
        ahead, behind = x.copy(), x.copy()
        ahead[:, axis] += step
        behind[:, axis] -= step
        differences = (made.predictive_variance(ahead) - made.predictive_variance(behind)) / (2 * step)
        np.testing.assert_allclose(found[:, axis], differences, atol=DIFFERENCES)


def test_variance_grows_from_the_noise_at_points_to_the_prior_far_away():
    s = latent.setting(200)
    made = space(s)
    near = made.predictive_variance(s.points)
    assert (near > 0).all()
    assert (near < s.noise).all()
    far = made.predictive_variance(s.points[:3] + 100 * s.length)
    np.testing.assert_allclose(far, s.variance, rtol=TOLERANCES["float64"])
    np.testing.assert_array_equal(made.variance_gradient(s.points[:3] + 100 * s.length), 0.0)


@pytest.mark.parametrize("inducing", [None, 40])
def test_bytes_depend_neither_on_threads_nor_on_company(inducing):
    s = latent.setting(700)
    chosen = None if inducing is None else s.points[::17][:inducing]
    x = probes(70)
    one, two = space(s, chosen, threads=1), space(s, chosen, threads=2)
    for name in ("mean", "predictive_variance", "variance_gradient"):
        expected = getattr(one, name)(x, threads=1)
        assert getattr(two, name)(x, threads=2).tobytes() == expected.tobytes()
        assert getattr(two, name)(x[33:34]).tobytes() == expected[33:34].tobytes()
    assert one.log_likelihood() == two.log_likelihood()


def test_equal_points_share_their_values_mean():
    points = np.zeros((2, 3))
    made = _core.LatentSpace(points, [[1.0], [3.0]], 1.0, 1.0, 1e-6)
    np.testing.assert_allclose(made.mean(points[:1]), 2.0, rtol=TOLERANCES["float32"])
    made = _core.LatentSpace(points, [[1.0], [3.0]], 1.0, 1.0, 1e-6, points)
    np.testing.assert_allclose(made.mean(points[:1]), 2.0, rtol=TOLERANCES["float32"])


def test_keeps_what_it_was_made_of():
    s = latent.setting(20)
    made = space(s, s.points[:4])
    np.testing.assert_array_equal(made.points, s.points)
    np.testing.assert_array_equal(made.values, s.values)
    np.testing.assert_array_equal(made.inducing, s.points[:4])
    assert (made.variance, made.length, made.noise) == (s.variance, s.length, s.noise)
    assert space(s).inducing is None


S = latent.setting(6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": np.zeros((0, 3))}, r"points is \(0, 3\); it must be at least one point"),
        ({"points": np.zeros(6)}, "LatentSpace: points is"),
        ({"values": np.zeros((5, 2))}, r"values is \(5, 2\); it must be \(6, any\)"),
        ({"values": np.zeros((6, 0))}, "values is .*at least one output"),
        ({"points": np.where(np.arange(18).reshape(6, 3) == 4, np.nan, 1.0)}, r"points is not finite.*nan at \(1, 1\)"),
        ({"variance": 0.0}, "variance is 0.* positive and finite"),
        ({"length": -1.0}, "length is -1"),
        ({"noise": np.inf}, "noise is inf"),
        ({"inducing": np.zeros((2, 2))}, r"inducing is \(2, 2\); it must be \(any, 3\)"),
        ({"inducing": np.zeros((7, 3))}, "inducing is 7 points; it must be at most as many as the points, 6"),
        ({"inducing": np.zeros((0, 3))}, "inducing is .*at least one point, or None"),
        ({"threads": -1}, "threads"),
    ],
)
def test_says_what_is_wrong(change, words):
    arguments = {**S._asdict(), **change}
    with pytest.raises(ValueError, match=words):
        _core.LatentSpace(**arguments)


def test_says_what_is_wrong_with_queries():
    made = space(S)
    with pytest.raises(ValueError, match=r"LatentSpace.mean: x is \(2, 2\); it must be \(any, 3\)"):
        made.mean(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"LatentSpace\.variance_gradient: x is not finite"):
        made.variance_gradient([[0.0, np.nan, 0.0]])
    with pytest.raises(errors.NumericalError, match="noise is too small"):
        _core.LatentSpace(np.zeros((9, 3)), np.zeros((9, 1)), 1.0, 1.0, 1e-300)
