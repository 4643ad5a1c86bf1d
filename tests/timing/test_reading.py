"""How near a pose comes to the rate of memory: arithmetic with constructed times. No times of this machine here."""

from __future__ import annotations

import re

import pytest

from rigcast._timing.engine import subject_of
from rigcast._timing.reading import Reading, reading_line
from tests.support.made.models import random_body

# 8 MB read in 0.25 ms, 32 GB/s; the pose takes 0.4 ms.
READING = Reading("rigcast", 1, 8_000_000, seconds=4e-4, read_seconds=2.5e-4)


def test_rate_and_share_are_bytes_over_seconds(tolerance):
    assert READING.rate == pytest.approx(32e9, rel=tolerance["float64"])
    assert READING.reached == pytest.approx(20e9, rel=tolerance["float64"])
    assert READING.share == pytest.approx(0.625, rel=tolerance["float64"])


def test_every_variant_is_read_on_one_and_on_all_threads(monkeypatch):
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 2)
    model = random_body()
    found = subject_of(model, None, None, runs=10, batch=1, seed=0).reading(1)
    assert [(row["variant"], row["threads"]) for row in found] == [
        ("rigcast", 1),
        ("16-bit", 1),
        ("rigcast", 2),
        ("16-bit", 2),
    ]
    assert [row["bytes"] for row in found[:2]] == [model.num_bytes, model.stored("16-bit").num_bytes]


def test_on_one_processor_a_variant_is_read_once(monkeypatch):
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 1)
    found = subject_of(random_body(), None, None, runs=10, batch=1, seed=0).reading(1)
    assert [(row["variant"], row["threads"]) for row in found] == [("rigcast", 1), ("16-bit", 1)]


LINE = re.compile(
    r"one pose reads (?P<megabytes>[\d.]+) MB \((?P<what>.*), (?P<threads>\d+ threads?)\) at (?P<reached>[\d.]+) GB/s, "
    r"(?P<share>\d+)% of the (?P<rate>[\d.]+) GB/s of a plain read"
)


def test_the_printed_line_has_bytes_rate_and_share():
    """The line of the constructed reading: 8 MB at 20 of 32 GB/s."""
    assert LINE.fullmatch(reading_line(READING.figures())).groupdict() == {
        "megabytes": "8.0",
        "what": "weights as in the file",
        "threads": "1 thread",
        "reached": "20.0",
        "share": "62",
        "rate": "32.0",
    }


def test_every_printed_line_of_a_timed_body_agrees_with_itself(monkeypatch):
    """Also of its 16-bit weights."""
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 2)
    model = random_body(num_vertices=2000, num_sets=6)
    rows = subject_of(model, None, None, runs=10, batch=1, seed=0).reading(1)
    lines = [LINE.fullmatch(reading_line(row)).groupdict() for row in rows]
    assert [line["what"] for line in lines] == ["weights as in the file", "16-bit weights"] * 2
    assert [line["threads"] for line in lines] == ["1 thread"] * 2 + ["2 threads"] * 2
    for line, row in zip(lines, rows, strict=True):
        assert float(line["megabytes"]) == pytest.approx(row["bytes"] / 1e6, abs=0.05)  # as printed
        assert float(line["reached"]) == pytest.approx(row["bytes"] / row["seconds"] / 1e9, abs=0.05)  # as printed
        assert float(line["rate"]) == pytest.approx(row["bytes"] / row["read_seconds"] / 1e9, abs=0.05)  # as printed
        assert float(line["share"]) == pytest.approx(100 * row["read_seconds"] / row["seconds"], abs=0.5)  # as printed
