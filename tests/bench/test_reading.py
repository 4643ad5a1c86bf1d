"""How near a pose comes to the rate of memory: arithmetic with constructed times. No times of this machine here."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from rigcast._bench.reading import Reading, reading_figures
from rigcast.cli._commands import bench as command
from rigcast.cli._console import Console
from tests.support.models import random_body, random_poses

# 8 MB read in 0.25 ms, 32 GB/s; the pose takes 0.4 ms.
READING = Reading("rigcast", 1, 8_000_000, seconds=4e-4, read_seconds=2.5e-4)


def test_rate_and_share_are_bytes_over_seconds(tolerance):
    assert READING.rate == pytest.approx(32e9, rel=tolerance["float64"])
    assert READING.reached == pytest.approx(20e9, rel=tolerance["float64"])
    assert READING.share == pytest.approx(0.625, rel=tolerance["float64"])


def test_the_cap_is_the_ratio_to_a_peer_at_the_full_rate(tolerance):
    """Of a peer that takes 1.2 ms: 3 x now; at the full rate 1.2 / 0.25."""
    assert READING.cap(1.2e-3) == pytest.approx(4.8, rel=tolerance["float64"])
    assert READING.cap(1.2e-3) == pytest.approx(1.2e-3 / 4e-4 / READING.share, rel=tolerance["float64"])


def test_half_the_bytes_double_the_cap(tolerance):
    narrow = Reading("16-bit", 1, 4_000_000, seconds=3e-4, read_seconds=1.25e-4)
    assert narrow.rate == pytest.approx(READING.rate, rel=tolerance["float64"])
    assert narrow.cap(1.2e-3) == pytest.approx(2 * READING.cap(1.2e-3), rel=tolerance["float64"])


def test_a_peer_that_reads_the_same_bytes_at_the_full_rate_cannot_be_beaten(tolerance):
    assert READING.cap(READING.num_bytes / READING.rate) == pytest.approx(1.0, rel=tolerance["float64"])


def test_figures_have_a_cap_per_peer():
    figures = READING.figures({"PyTorch": 1.2e-3, "ONNX Runtime": 1e-3})
    assert set(figures["caps"]) == {"PyTorch", "ONNX Runtime"}
    assert (figures["bytes"], figures["threads"], figures["variant"]) == (8_000_000, 1, "rigcast")


def test_every_variant_is_read_on_one_and_on_all_threads(monkeypatch):
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 2)
    model = random_body()
    variants = {"rigcast": model, "16-bit": model.stored("16-bit")}
    found = reading_figures(variants, random_poses(model.skeleton, 1, numeric=2)[0], {"PyTorch": 1.0}, 1)
    assert [(row["variant"], row["threads"]) for row in found] == [
        ("rigcast", 1),
        ("16-bit", 1),
        ("rigcast", 2),
        ("16-bit", 2),
    ]
    assert [row["bytes"] for row in found[:2]] == [model.num_bytes, variants["16-bit"].num_bytes]
    assert [bool(row["caps"]) for row in found] == [True, True, False, False]


LINE = re.compile(
    r"one pose reads (?P<megabytes>[\d.]+) MB \((?P<what>.*), (?P<threads>\d+ threads?)\) at (?P<reached>[\d.]+) GB/s, "
    r"(?P<share>\d+)% of the (?P<rate>[\d.]+) GB/s of a plain read"
    r"(?:; at all of that it would be (?P<torch>[\d.]+) x PyTorch, (?P<onnx>[\d.]+) x ONNX Runtime)?"
)


def printed(report):
    console = Console()
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        command._print(report, console)
    return [LINE.fullmatch(line).groupdict() for line in shown.getvalue().splitlines() if line.startswith("one pose")]


def test_the_printed_line_has_bytes_rate_share_and_caps():
    """The line of the constructed reading: 8 MB at 20 of 32 GB/s; peers of 1.2 ms and 1 ms."""
    rows = [READING.figures({"PyTorch": 1.2e-3, "ONNX Runtime": 1e-3})]
    (line,) = printed({"rows": [], "reading": rows, "versions": {}, "machine": "here"})
    assert line == {
        "megabytes": "8.0",
        "what": "weights as in the file",
        "threads": "1 thread",
        "reached": "20.0",
        "share": "62",
        "rate": "32.0",
        "torch": "4.8",
        "onnx": "4.0",
    }


def test_every_printed_line_of_a_benched_body_agrees_with_itself(monkeypatch):
    """Also of its 16-bit weights, with caps of their own."""
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 2)
    model = random_body(num_vertices=2000, num_sets=6)
    variants, peers = {"rigcast": model, "16-bit": model.stored("16-bit")}, {"PyTorch": 1e-3, "ONNX Runtime": 2e-3}
    rows = reading_figures(variants, random_poses(model.skeleton, 1, numeric=2)[0], peers, 1)
    lines = printed({"rows": [], "reading": rows, "versions": {}, "machine": "here"})
    assert [line["what"] for line in lines] == ["weights as in the file", "16-bit weights"] * 2
    assert [line["threads"] for line in lines] == ["1 thread"] * 2 + ["2 threads"] * 2
    for line, row in zip(lines, rows, strict=True):
        assert float(line["megabytes"]) == pytest.approx(row["bytes"] / 1e6, abs=0.05)  # as printed
        assert float(line["reached"]) == pytest.approx(row["bytes"] / row["seconds"] / 1e9, abs=0.05)  # as printed
        assert float(line["rate"]) == pytest.approx(row["bytes"] / row["read_seconds"] / 1e9, abs=0.05)  # as printed
        assert float(line["share"]) == pytest.approx(100 * row["read_seconds"] / row["seconds"], abs=0.5)  # as printed
    for line, row in zip(lines[:2], rows[:2], strict=True):
        assert float(line["torch"]) == pytest.approx(peers["PyTorch"] / row["read_seconds"], abs=0.05)  # as printed
        assert float(line["onnx"]) == pytest.approx(peers["ONNX Runtime"] / row["read_seconds"], abs=0.05)  # as printed
    assert [line["torch"] for line in lines[2:]] == [None, None]
