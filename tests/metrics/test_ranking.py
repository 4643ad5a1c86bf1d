"""Bradley-Terry strengths: the paper's comparison, invariances, and matrices without an answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigcast as rc
from tests.conftest import TOLERANCES

# Rackovic et al. 2022: animators' preferences among MM, SQP, Cet, Cet-loc, Seol
ROUNDED = 5e-5  # of the last digit that is written down
PAPER = np.array([[0, 5, 12, 12, 11], [6, 0, 9, 9, 12], [0, 3, 0, 3, 3], [0, 2, 2, 0, 3], [2, 3, 5, 5, 0]])


def random_wins(count, seed):
    """Every pair met, each side won at least once."""
    return np.random.default_rng(seed).integers(1, 9, (count, count))


def test_the_papers_ranking():
    strength = rc.metrics.bradley_terry(PAPER)
    order = [["MM", "SQP", "Cet", "Cet-loc", "Seol"][i] for i in np.argsort(-strength)]
    assert order == ["MM", "SQP", "Seol", "Cet", "Cet-loc"]
    # the paper draws the five strengths (figure 17) and prints none: its equation 23, repeated
    strengths = np.full(5, 0.2)
    met = PAPER + PAPER.T
    for _ in range(5000):
        strengths = PAPER.sum(axis=1) / (met / (strengths[:, None] + strengths)).sum(axis=1)
        strengths /= strengths.sum()
    np.testing.assert_allclose(strength, strengths, rtol=TOLERANCES["gram"])
    np.testing.assert_allclose(strength, [0.5112, 0.3119, 0.0545, 0.0410, 0.0814], atol=ROUNDED)


@settings(max_examples=40)
@given(count=st.integers(2, 7), seed=st.integers(0, 10**6))
def test_strengths_expect_the_wins_that_were_counted(count, seed):
    wins = random_wins(count, seed)
    strength = rc.metrics.bradley_terry(wins)
    met = (wins + wins.T) * (1 - np.eye(count))
    expected = (met * strength[:, None] / (strength[:, None] + strength)).sum(axis=1)
    won = wins.sum(axis=1) - np.diag(wins)
    np.testing.assert_allclose(expected, won, rtol=TOLERANCES["gram"])
    assert strength.sum() == pytest.approx(1.0)


def test_two_contestants_share_as_they_won():
    np.testing.assert_allclose(rc.metrics.bradley_terry([[0, 3], [1, 0]]), [0.75, 0.25], rtol=TOLERANCES["gram"])
    np.testing.assert_array_equal(rc.metrics.bradley_terry([[5]]), [1.0])


def test_the_diagonal_and_the_scale_do_not_matter():
    plain = rc.metrics.bradley_terry(PAPER)
    odd = rc.metrics.bradley_terry(7 * PAPER + np.diag([np.nan, 100, -3, 0, 1]))
    np.testing.assert_allclose(odd, plain, rtol=TOLERANCES["gram"])


def test_reordering_contestants_reorders_strengths():
    order = np.random.default_rng(1).permutation(5)
    shuffled = rc.metrics.bradley_terry(PAPER[np.ix_(order, order)])
    np.testing.assert_allclose(shuffled, rc.metrics.bradley_terry(PAPER)[order], rtol=TOLERANCES["gram"])


@pytest.mark.parametrize(
    ("wins", "named"),
    [
        ([[0, 2, 2], [3, 0, 1], [0, 0, 0]], "a win of 2 over"),  # 2 lost everything
        ([[0, 2, 1], [0, 0, 1], [0, 1, 0]], "a win of 1, 2 over"),  # 0 won everything
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], "a win of 0, 1 over"),  # two circles never met
    ],
)
def test_comparisons_without_best_strengths_are_refused_by_name(wins, named):
    with pytest.raises(ValueError, match=named):
        rc.metrics.bradley_terry(wins)


@pytest.mark.parametrize("wins", [[[0, -1], [1, 0]], [[0, np.inf], [1, 0]], [[0, 1]], np.zeros((0, 0)), [1, 2]])
def test_what_is_no_matrix_of_counts_is_refused(wins):
    with pytest.raises(ValueError, match="bradley_terry: wins is"):
        rc.metrics.bradley_terry(wins)
