"""What is asked for of a training to a stated error: a statistic and a length."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._until._goal import Goal, parse_goal


@pytest.mark.parametrize(
    ("text", "statistic", "meters"),
    [
        ("p99 0.1mm", "p99", 1e-4),
        ("max 2 cm", "max", 0.02),
        (" MEAN 5e-2mm ", "mean", 5e-5),
        ("p99 20um", "p99", 2e-5),
        ("mean 1in", "mean", 0.0254),
    ],
)
def test_texts_are_read(text, statistic, meters):
    assert parse_goal(text) == (statistic, pytest.approx(meters))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p95 1mm", "the statistic 'p95' must be mean, p99 or max"),
        ("p99 1parsec", "the unit 'parsec' must be um, mm"),
        ("p99 1", "a length without unit must be um, mm"),
        ("p99 0mm", "the length 0 must be above 0"),
        ("p99 -1mm", "the length -1 must be above 0"),
        ("p99 1.2.3mm", "the length '1.2.3' must be a number"),
        ("p99", "must be a statistic, a length and its unit"),
        ("", "must be a statistic, a length and its unit"),
    ],
)
def test_other_texts_are_refused_with_a_reason(text, said):
    with pytest.raises(ValueError, match="must be") as caught:
        parse_goal(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan"), float("inf"), "1mm", True, None])
def test_a_tolerance_is_a_positive_number(tolerance):
    with pytest.raises(ValueError, match=r"body_until: tolerance is .*; it must be a positive length"):
        Goal("p99", tolerance)


def test_the_statistic_is_one_of_three():
    with pytest.raises(ValueError, match=r'body_until: statistic is .*"mean" or "p99" or "max"'):
        Goal("median", 1.0)


def test_numpy_numbers_are_numbers():
    assert Goal("max", np.float32(0.5)).tolerance == 0.5
