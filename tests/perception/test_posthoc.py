"""Comparisons after an analysis of variance, thresholds of visibility, and one mean against a number."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast.perception as rp
from tests.perception.test_anova import table_of

PRINTED = 1e-6  # where the other program or its printed digits end
SIMULATED = 0.01  # chance of simulated studies, or printed digits


def test_tukey_of_two_levels_is_the_t_test():
    from scipy import stats

    y = np.random.default_rng(0).normal(size=(9, 2)) + np.array([0.0, 0.7])
    result = rp.posthoc(table_of(y, ["a"]), "rating", "person", factor="a")
    assert result.p("0", "1") == pytest.approx(
        stats.ttest_rel(y[:, 0], y[:, 1]).pvalue,
        rel=PRINTED,
    )


def test_tukey_by_the_range_of_simulated_means():
    """p of the largest difference is the share of null studies with a larger range."""
    random = np.random.default_rng(1)
    y = random.normal(size=(12, 4)) + np.array([0.0, 0.2, 0.5, 1.1])
    result = rp.posthoc(table_of(y, ["a"]), "rating", "person", factor="a")
    largest = max(result.pairs, key=lambda pair: pair.q)
    null = random.normal(size=(20_000, 12, 4))
    means = null.mean(1)
    rest = null - null.mean(2, keepdims=True) - means[:, None] + null.mean((1, 2))[:, None, None]
    error = (rest**2).sum((1, 2)) / (11 * 3)
    q = np.ptp(means, axis=1) / np.sqrt(error / 12)
    assert largest.p == pytest.approx((q > largest.q).mean(), abs=SIMULATED)


def test_newman_keuls_finds_no_fewer_and_keeps_the_order_of_ranges():
    y = np.random.default_rng(2).normal(size=(10, 5)) + np.array([0.0, 0.4, 0.9, 1.0, 2.0])
    table = table_of(y, ["a"])
    tukey, keuls = (rp.posthoc(table, "rating", "person", factor="a", method=m) for m in ("tukey", "newman-keuls"))
    assert all(k.p <= t.p + 1e-12 for k, t in zip(keuls.pairs, tukey.pairs, strict=True))
    told = {(pair.first, pair.second): pair.p for pair in keuls.pairs}
    names = keuls.levels
    for i in range(5):
        for j in range(i + 2, 5):
            assert told[names[i], names[j]] <= min(told[names[i], names[j - 1]], told[names[i + 1], names[j]]) + 1e-12


def test_groups_are_neighbors_that_are_not_told_apart():
    y = 0.1 * np.random.default_rng(3).normal(size=(10, 4)) + np.array([0.0, 0.01, 3.0, 3.01])
    result = rp.posthoc(table_of(y, ["a"]), "rating", "person", factor="a")
    assert [sorted(group) for group in result.groups] == [["0", "1"], ["2", "3"]]


def test_thresholds_of_visibility_are_the_planted_ones():
    random = np.random.default_rng(4)
    levels, planted = [0.2, 0.4, 0.6, 0.8, 1.0], {"Blink": 0.2, "Frown": 0.6, "Still": None}
    rows = []
    for person in range(20):
        own = random.normal()
        for shape in ("Neutral", *planted):
            for level in levels:
                seen = planted.get(shape) is not None and level >= planted[shape] - 1e-9
                rows.append((person, shape, level, 1.5 + own + 2.5 * seen + 0.4 * random.normal()))
    columns = dict(
        zip(("person", "shape", "activation", "rating"), map(np.array, zip(*rows, strict=True)), strict=True)
    )
    found = rp.visibility(columns, "rating", "person", shape="shape", activation="activation", neutral="Neutral")
    assert {seen.shape: seen.threshold for seen in found} == planted
    with pytest.raises(ValueError, match="visibility: neutral is 'Rest'"):
        rp.visibility(columns, "rating", "person", shape="shape", activation="activation", neutral="Rest")


def test_single_t_equals_scipy():
    from scipy import stats

    values = np.random.default_rng(5).normal(0.6, 0.2, 23)
    t, df, p = rp.single_t(values, 0.5)
    other = stats.ttest_1samp(values, 0.5)
    assert (t, df, p) == (pytest.approx(other.statistic), 22, pytest.approx(other.pvalue))
    assert rp.single_t([0.5, 0.5], 0.5)[2] == 1.0
    with pytest.raises(ValueError, match="single_t: values is of 1"):
        rp.single_t([1.0])


def test_wrong_arguments_are_named():
    table = table_of(np.zeros((3, 2)), ["a"])
    for change, words in (
        ({"method": "scheffe"}, "method is 'scheffe'"),
        ({"alpha": 2.0}, "alpha is 2"),
        ({"factor": "z"}, "'z'"),
    ):
        arguments = {"factor": "a"} | change
        with pytest.raises(ValueError, match="posthoc: ") as error:
            rp.posthoc(table, "rating", "person", **arguments)
        assert words in str(error.value)


def test_people_who_agree_to_the_last_digit_are_told_apart():
    found = rp.posthoc(table_of(np.array([[4.0, 6.0, 6.0]] * 3), ["a"]), "rating", "person", factor="a")
    # the distribution is integrated to its last digit
    assert sorted(pair.p for pair in found.pairs) == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
