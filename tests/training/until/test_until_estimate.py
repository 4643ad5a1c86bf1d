"""The error on fresh poses, and its upper bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigcast.training._until._estimate import bounding_rank, estimate, student_quantile, upper_mean

RISK = 0.05


def errors_of(rng, poses, vertices=60):
    """Errors (T, V) of vertices that err together: eight groups with log-normal scales, as those of a body do."""
    groups = np.repeat(np.exp(0.5 * rng.standard_normal((poses, 8))), -(-vertices // 8), axis=1)[:, :vertices]
    scale = groups * np.exp(0.3 * rng.standard_normal((poses, 1)))
    return scale * np.linalg.norm(rng.standard_normal((poses, vertices, 3)), axis=2)


def test_quantiles_of_student(tolerance):
    """Of the tables: t(0.95, 20) = 1.72472, t(0.975, 60) = 2.00030, t(0.995, 299) = 2.59246 (rounded)."""
    found = [student_quantile(p, n) for p, n in ((0.95, 20), (0.975, 60), (0.995, 299))]
    np.testing.assert_allclose(found, [1.72472, 2.00030, 2.59246], rtol=tolerance["printed"])


def test_the_largest_of_299_poses_bounds_99_percent_of_all():
    """1 - 0.99^n passes 95 % at n = 299 (Wilks 1941)."""
    assert bounding_rank(299, 0.99, RISK) == 299 - 1
    assert bounding_rank(298, 0.99, RISK) == 298  # none of the ranks from 0 to 297


def test_the_rank_is_that_of_the_binomial_distribution():
    count, share = 40, 0.8
    terms = [math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(count + 1)]
    rank = bounding_rank(count, share, RISK)
    assert sum(terms[: rank + 1]) >= 1 - RISK > sum(terms[:rank])


@pytest.mark.parametrize("statistic", ["mean", "p99"])
def test_the_bound_holds_as_often_as_it_says(statistic):
    rng = np.random.default_rng(0)
    many = errors_of(rng, 20000)
    truth = many.mean() if statistic == "mean" else np.quantile(many, 0.99)
    bounds = [estimate(errors_of(rng, 150), statistic, RISK).bound for _ in range(300)]
    assert 0.915 <= np.mean(np.array(bounds) >= truth) <= 0.99
    assert np.median(bounds) < 1.25 * truth  # and says something


def test_the_bound_of_max_holds_for_the_poses_that_it_promises():
    rng = np.random.default_rng(1)
    truth = np.quantile(errors_of(rng, 20000).max(axis=1), 0.99)
    bounds = [estimate(errors_of(rng, 310), "max", RISK).bound for _ in range(200)]
    assert np.mean(np.array(bounds) >= truth) >= 0.92


def test_too_few_poses_have_no_bound():
    errors = errors_of(np.random.default_rng(2), 30)
    found = estimate(errors, "max", RISK)
    assert found.value == errors.max()
    assert found.bound == math.inf
    assert upper_mean(np.array([1.0]), RISK) == math.inf


def test_values_are_the_statistics_of_the_poses(tolerance):
    errors = errors_of(np.random.default_rng(3), 80)
    found = [estimate(errors, name, RISK).value for name in ("mean", "p99", "max")]
    expected = [errors.mean(), np.quantile(errors, 0.99), errors.max()]
    np.testing.assert_allclose(found, expected, rtol=tolerance["float64"])


def test_a_smaller_risk_gives_a_larger_bound():
    errors = errors_of(np.random.default_rng(4), 200)
    assert estimate(errors, "p99", 0.01).bound > estimate(errors, "p99", 0.1).bound
