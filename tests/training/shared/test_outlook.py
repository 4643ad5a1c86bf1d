"""What training says of itself: steps of how many, time left, and whether the error still falls."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rigcast.training._descend import Outlook
from rigcast.training._optimize import Allowance


def told(budget, *reports):
    """The words after reports of (step, seconds, error)."""
    outlook = Outlook(budget)
    words = ""
    for step, seconds, error in reports:
        words = outlook.words(SimpleNamespace(step=step, seconds=seconds), error)
    return words


def test_steps_are_counted_against_the_budget():
    assert told(Allowance(8000, None), (80, 1.0, 5.0), (4000, 50.0, 5.0)).startswith("step 4,000 of 8,000, 0:50 left")


def test_steps_are_estimated_from_the_pace_where_time_is_the_budget():
    # a tenth went into preparation; 100 steps in each of the tenths since
    words = told(Allowance(None, 100.0), (0, 10.0, 5.0), (100, 20.0, 5.0), (400, 50.0, 5.0))
    assert words.startswith("step 400 of about 900, 0:50 left")


def test_the_first_report_knows_the_time_that_is_left():
    assert told(Allowance(None, 90.0), (1, 15.0, 5.0)) == "step 1, 1:15 left"


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (2.0, "still falling (by 50% since half of this time: more minutes or steps help)"),
        (3.9, "the error no longer falls"),
        (4.4, "the error no longer falls"),
    ],
)
def test_the_trend_compares_with_half_of_the_time(last, words):
    assert told(Allowance(100, None), (10, 1.0, 9.0), (50, 5.0, 4.0), (80, 8.0, 3.0), (100, 10.0, last)).endswith(words)


def test_a_standstill_in_the_first_half_of_the_time_says_nothing():
    assert "falls" not in told(Allowance(100, None), (10, 1.0, 4.0), (40, 4.0, 4.0))


def test_more_minutes_are_not_advised_before_the_end():
    assert told(Allowance(100, None), (10, 1.0, 9.0), (40, 4.0, 4.0)).endswith("(by 56% since half of this time)")
