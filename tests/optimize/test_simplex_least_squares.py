"""Least squares over the simplex: against every active set in turn, against SciPy, and its optimality conditions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigcast import _core
from tests.conftest import TOLERANCES

GRAM = TOLERANCES["gram"]


def gram(columns, target):
    """D_ij = (a_i - b) . (a_j - b) of columns (M, N)."""
    differences = columns - target[:, None]
    return differences.T @ differences


def brute_force(matrix):
    """The optimum: the best feasible minimizer with sum 1 over every set of columns."""
    best, count = np.inf, len(matrix)
    for size in range(1, count + 1):
        for chosen in itertools.combinations(range(count), size):
            part = matrix[np.ix_(chosen, chosen)]
            bordered = np.block([[part, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
            weights = np.linalg.lstsq(bordered, np.append(np.zeros(size), 1.0), rcond=None)[0][:size]
            if (weights >= -1e-12).all() and abs(weights.sum() - 1) < 1e-9:
                best = min(best, weights @ part @ weights)
    return best


@settings(max_examples=150)
@given(rows=st.integers(1, 12), count=st.integers(1, 6), seed=st.integers(0, 2**32 - 1), spread=st.integers(-3, 3))
def test_reaches_the_optimum_of_every_active_set(rows, count, seed, spread):
    rng = np.random.default_rng(seed)
    matrix = gram(rng.standard_normal((rows, count)) * 10.0 ** (spread * rng.random(count)), rng.standard_normal(rows))
    weights, report = _core.simplex_least_squares(matrix)
    scale = np.diag(matrix).min()
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1.0, abs=TOLERANCES["float64"])
    assert report["converged"]
    assert weights @ matrix @ weights == pytest.approx(brute_force(matrix), abs=GRAM * scale, rel=GRAM)
    assert report["gap"] <= GRAM * scale


@pytest.mark.parametrize("seed", range(8))
def test_matches_scipy(seed):
    nnls = pytest.importorskip("scipy.optimize", reason="SciPy is not installed").nnls
    rng = np.random.default_rng(seed)
    columns, target = rng.standard_normal((60, 20)), rng.standard_normal(60)
    weights, report = _core.simplex_least_squares(gram(columns, target))
    heavy = 1e4  # the sum as a heavy row of a non-negative least squares problem
    expected, _ = nnls(np.vstack([columns, np.full((1, 20), heavy)]), np.append(target, heavy))
    np.testing.assert_allclose(weights, expected, atol=TOLERANCES["float32"])
    assert report["value"] == pytest.approx(((columns @ weights - target) ** 2).sum(), rel=GRAM)


def test_known_weights_are_recovered():
    rng = np.random.default_rng(3)
    columns = rng.standard_normal((300, 40))
    known = np.zeros(40)
    known[[3, 11, 30]] = [0.5, 0.3, 0.2]
    weights, report = _core.simplex_least_squares(gram(columns, columns @ known))
    np.testing.assert_allclose(weights, known, atol=TOLERANCES["float32"])
    assert report["value"] < GRAM


def test_equal_columns_share_without_trouble():
    columns = np.ones((4, 3))
    weights, report = _core.simplex_least_squares(gram(columns, np.array([1.0, 2.0, 3.0, 4.0])))
    assert weights.sum() == 1.0
    assert report["value"] == pytest.approx(14.0)
    weights, report = _core.simplex_least_squares(np.zeros((5, 5)))
    assert (weights.sum(), report["value"], report["converged"]) == (1.0, 0.0, True)


@settings(max_examples=300)
@given(rows=st.integers(1, 8), count=st.integers(2, 12), seed=st.integers(0, 2**32 - 1), digits=st.integers(4, 17))
def test_nearly_dependent_columns_end_near_the_optimum(rows, count, seed, digits):
    """Columns that repeat a few others up to rounding: the method ends, feasible, as good as the best it can tell."""
    rng = np.random.default_rng(seed)
    few = rng.standard_normal((rows, 1 + count // 3))
    columns = few[:, rng.integers(0, few.shape[1], count)] + 10.0**-digits * rng.standard_normal((rows, count))
    target = few @ rng.dirichlet(np.ones(few.shape[1])) + 10.0**-digits * rng.standard_normal(rows)
    matrix = gram(columns, target)
    weights, report = _core.simplex_least_squares(matrix)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1.0, abs=TOLERANCES["float64"])
    assert report["gap"] <= GRAM * np.diag(matrix).max()


def test_wrong_matrices_are_named():
    with pytest.raises(ValueError, match=r"simplex_least_squares: gram is \(2, 3\); it must be \(any, 2\)"):
        _core.simplex_least_squares(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="simplex_least_squares: gram is not finite"):
        _core.simplex_least_squares([[np.nan]])
    with pytest.raises(ValueError, match="simplex_least_squares: gram is empty"):
        _core.simplex_least_squares(np.zeros((0, 0)))
