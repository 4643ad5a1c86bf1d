"""Numbers as a reader sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigcast._pages import words


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.00412, "0.00412"), (0.2137, "0.214"), (12.34, "12.3"), (1234.5, "1,234"), (float("nan"), "–")],
)
def test_figures_have_three_digits(value, text):
    assert words.figure(value) == text


@given(st.floats(1e-6, 1e6))
def test_a_figure_is_the_number(value):
    # Three digits: off by 0.005 in 1.00 at most, and small figures are zero.
    assert float(words.figure(value).replace(",", "")) == pytest.approx(value, rel=6e-3, abs=5e-7)


def test_sizes_plurals_and_ratios():
    assert words.size(7_812_345) == "7.81 MB"
    assert words.size(41_000) == "41.0 KB"
    assert [words.duration(value) for value in (0.31, 90.0, 180.0)] == ["0.31 seconds", "90 seconds", "3.00 minutes"]
    assert words.plural(1, "joint") == "1 joint"
    assert words.plural(13380, "vertex") == "13,380 vertices"
    assert words.title("demo-character") == "Demo character"
    assert words.ratio(10.0, 4.0) == "2.5 ×"
    assert words.ratio(100.0, 4.0) == "25 ×"
    assert words.ratio(1.0, 0.0) == "–"
    assert words.ratio(1.0, 50.0) == "0.02 ×"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 mm"),
        (3e-5, "less than 0.001 mm"),
        (0.0301, "0.03 mm"),
        (1.44, "1.4 mm"),
        (173.2, "173 mm"),
        (1812.0, "1.8 m"),
    ],
)
def test_lengths_are_said_with_two_digits(value, text):
    assert words.length(value) == text


def test_below_a_micrometer_a_length_is_as_good_as_none():
    assert [words.within(value) for value in (0.0, 3e-5, 0.2)] == ["0.001 mm", "0.001 mm", "0.2 mm"]
    assert [words.millimeters(value) for value in (0.0, 3e-5, 0.2137)] == ["0", "< 0.001", "0.214"]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50 %"),
        (0.999, "99.9 %"),
        (2e-5, "below 0.01 %"),
        (1 - 2e-5, "over 99.99 %"),
    ],
)
def test_shares_have_the_digits_that_matter(part, text):
    assert words.share(part) == text


def test_abbreviations_of_titles_are_capitals():
    assert words.title("face_ik") == "Face IK"
