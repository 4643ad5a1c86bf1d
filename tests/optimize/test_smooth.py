"""Minimizers of smooth functions: known minima, SciPy's, and functions that are not defined everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigcast import _core
from tests.conftest import TOLERANCES

METHODS = ("lbfgs", "scg")
CONVERGED = TOLERANCES["float64_converged"]


def quadratic(matrix, center):
    return lambda x: (0.5 * (x - center) @ matrix @ (x - center), matrix @ (x - center))


def rosenbrock(x):
    value = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    slope = np.zeros_like(x)
    slope[1:] += 200 * (x[1:] - x[:-1] ** 2)
    slope[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    return value, slope


@settings(max_examples=60)
@given(size=st.integers(1, 12), seed=st.integers(0, 2**32 - 1), spread=st.floats(0, 3), method=st.sampled_from(METHODS))
def test_finds_the_minimum_of_quadratics(size, seed, spread, method):
    rng = np.random.default_rng(seed)
    vectors, _ = np.linalg.qr(rng.standard_normal((size, size)))
    matrix = (vectors * 10 ** (spread * rng.random(size))) @ vectors.T
    center = rng.standard_normal(size)
    x, report = _core.minimize_smooth(
        quadratic(matrix, center), np.zeros(size), method=method, iterations=2000, tolerance=1e-14
    )
    assert report["converged"]
    np.testing.assert_allclose(x, center, atol=1e-4)  # the value's root, at a condition of up to 1,000


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [2, 10])
def test_follows_a_curved_valley(method, size):
    start = np.full(size, -0.5)
    x, report = _core.minimize_smooth(rosenbrock, start, method=method, iterations=4000, tolerance=1e-14)
    values = np.array(report["values"])
    assert (np.diff(values) <= 0).all()
    assert values[0] == rosenbrock(start)[0]
    assert values[-1] == rosenbrock(x)[0]
    np.testing.assert_allclose(x, 1.0, atol=1e-4)  # a valley: the value is flat along it


def test_needs_about_as_many_evaluations_as_scipy():
    scipy = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    start = np.full(10, -0.5)
    expected = scipy.minimize(rosenbrock, start, jac=True, method="L-BFGS-B", options={"maxcor": 20, "ftol": 1e-14})
    _, report = _core.minimize_smooth(rosenbrock, start, tolerance=1e-14)
    assert report["values"][-1] < CONVERGED
    assert report["evaluations"] <= 1.5 * expected.nfev


@pytest.mark.parametrize("method", METHODS)
def test_stays_where_the_function_is_defined(method):
    """-log x + x has its minimum at 1, and no value for x <= 0; the first steps from 0.01 leave the domain."""

    def barrier(x):
        with np.errstate(all="ignore"):
            return (x - np.log(x)).sum() if (x > 0).all() else np.nan, 1 - 1 / x

    x, report = _core.minimize_smooth(barrier, [0.01, 5.0], method=method, iterations=500, tolerance=1e-14)
    assert np.isfinite(report["values"]).all()
    np.testing.assert_allclose(x, 1.0, atol=1e-4)  # the value's root


@pytest.mark.parametrize("method", METHODS)
def test_stops_at_a_minimum_at_once_and_after_the_iterations(method):
    function = quadratic(np.eye(2), np.ones(2))
    x, report = _core.minimize_smooth(function, np.ones(2), method=method)
    assert report["converged"]
    assert report["values"] == [0.0]
    np.testing.assert_array_equal(x, 1.0)
    _, report = _core.minimize_smooth(rosenbrock, np.zeros(6), method=method, iterations=3, tolerance=0.0)
    assert len(report["values"]) == 4
    assert not report["converged"]


@pytest.mark.parametrize("method", METHODS)
def test_says_what_is_wrong(method):
    with pytest.raises(ValueError, match="start is a point with the value nan; it must be one of finite value"):
        _core.minimize_smooth(lambda x: (np.nan, x), [1.0], method=method)
    with pytest.raises(ValueError, match=r"gradient is \(2,\); it must be \(1,\)"):
        _core.minimize_smooth(lambda x: (1.0, [1.0, 2.0]), [1.0], method=method)
    with pytest.raises(ValueError, match="start is not finite"):
        _core.minimize_smooth(lambda x: (1.0, x), [np.inf], method=method)
    with pytest.raises(ValueError, match="method is 'newton'; it must be 'lbfgs' or 'scg'"):
        _core.minimize_smooth(lambda x: (1.0, x), [1.0], method="newton")
    with pytest.raises(ZeroDivisionError):
        _core.minimize_smooth(lambda x: 1 / 0, [1.0], method=method)
