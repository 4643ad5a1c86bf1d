"""Rankings with ties and gaps, and how many people find an effect."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast.perception as rp

SIMULATED = 0.04  # chance of simulated studies, or printed digits
SIMULATED_2 = 0.03  # chance of simulated studies, or printed digits
PRINTED = 1e-6  # where the other program or its printed digits end

NAMES = ["a", "b", "c", "d"]


def test_wins_of_ties_and_of_best_and_worst_alone():
    wins = rp.wins_of([{"a": 1, "b": 1, "c": 2, "d": 3}], NAMES)
    assert wins.tolist() == [[0, 0.5, 1, 1], [0.5, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    ends = rp.wins_of([{"b": 1, "d": 9}], NAMES)
    assert ends.tolist() == [[0, 0, 0, 1], [1, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert rp.wins_of([{"b": 1, "d": 9}], NAMES, unranked="unknown").sum() == 1
    assert rp.wins_of([{"b": 1}], NAMES).sum() == 0


def test_planted_strengths_are_found_inside_their_intervals():
    random = np.random.default_rng(0)
    true = np.array([0.5, 0.3, 0.15, 0.05])
    rankings = []
    for _ in range(400):  # Plackett and Luce's rankings have Bradley and Terry's pairs
        order = np.argsort(random.exponential(1 / true))
        rankings.append({NAMES[i]: rank for rank, i in enumerate(order)})
    found = rp.strengths_of(rankings, NAMES, resamples=200)
    np.testing.assert_allclose(found.strengths, true, atol=SIMULATED)
    assert ((found.interval[:, 0] <= true) & (true <= found.interval[:, 1])).sum() >= 3
    again = rp.strengths_of(rankings, NAMES, resamples=200)
    assert again.interval.tobytes() == found.interval.tobytes()


def test_wrong_rankings_are_named():
    for rankings, words in (([{"x": 1}], "rankings[0]"), ([{"a": float("nan")}], "rankings[0]['a']")):
        with pytest.raises(ValueError, match="wins_of: ") as error:
            rp.wins_of(rankings, NAMES)
        assert words in str(error.value)
    with pytest.raises(ValueError, match="strengths_of: rankings is empty"):
        rp.strengths_of([], NAMES)


def test_power_rises_with_people_and_is_alpha_without_an_effect():
    found = rp.power(
        [[3.0, 3.0], [3.5, 3.5]], {"rig": ["old", "new"], "light": ["a", "b"]}, [6, 20], noise=1.0, runs=400
    )
    assert found.found["rig"][1] > found.found["rig"][0] > 0.1
    assert 0.02 <= found.found["light"][1] <= 0.08
    assert found.needed("rig", 0.99) is None or found.needed("rig", 0.99) == 20
    again = rp.power(
        [[3.0, 3.0], [3.5, 3.5]], {"rig": ["old", "new"], "light": ["a", "b"]}, [6, 20], noise=1.0, runs=400
    )
    assert all((found.found[term] == again.found[term]).all() for term in found.found)


def test_power_of_a_paired_test_is_that_of_the_formula():
    from scipy import stats

    found = rp.power([0.0, 0.8], {"rig": ["old", "new"]}, [15], noise=1.0, runs=4000).found["rig"][0]
    away = 0.8 / np.sqrt(2 / 15)
    edge = stats.t.ppf(0.975, 14)
    expected = stats.nct.sf(edge, 14, away) + stats.nct.cdf(-edge, 14, away)
    assert found == pytest.approx(expected, abs=SIMULATED_2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factors": {"rig": ["old"]}}, "power: factors is of rig: 1 levels"),
        ({"people": 1}, "power: people is 1"),
        ({"noise": -1.0}, "power: noise is -1"),
        ({"runs": 0}, "power: runs is 0"),
        ({"alpha": 0.0}, "power: alpha is 0"),
    ],
)
def test_wrong_arguments_of_power_are_named(change, words):
    arguments = {"means": [1.0, 2.0], "factors": {"rig": ["old", "new"]}, "people": 5, "noise": 1.0} | change
    with pytest.raises(ValueError, match="power: ") as error:
        rp.power(**arguments)
    assert words in str(error.value)


def test_the_published_model_says_what_it_cannot_know():
    seen = rp.published_rating("Frown", [10.0, 100.0, 300.0])
    assert seen.outside.tolist() == [True, False, True]
    line = rp.UNITS["Frown"]
    assert seen.ratings.tolist() == pytest.approx([line.intercept + line.slope * x for x in (10.0, 100.0, 300.0)])
    assert seen.exchanged is not None
    assert (seen.exchanged < seen.ratings).all() or (
        seen.exchanged > seen.ratings
    ).all()  # the other label is another line
    assert any("exchanged" in line for line in seen.caveats)
    assert rp.published_rating("Neutral", 0.0).ratings.tolist() == [pytest.approx(853 / 600, abs=PRINTED)]
    with pytest.raises(ValueError, match="published_rating: unit is 'Wink'"):
        rp.published_rating("Wink", 1.0)
    with pytest.raises(ValueError, match="metric is -1 somewhere"):
        rp.published_rating("Frown", -1.0)
