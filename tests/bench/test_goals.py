"""Goals stand beside figures, with met or missed."""

from __future__ import annotations

import pytest
from benchmarks.systems.body import posing
from benchmarks.systems.transfer import speed


@pytest.mark.parametrize(
    ("job", "whole", "read", "words"),
    [
        ("session, knee: 1 joints", 5.0, 50, "5.0 x: met"),
        ("session, knee: 1 joints", 4.9, 50, "5.0 x: missed"),
        ("session, arm: 26 joints", 1.81, 500, "1.8 x: met"),  # 90 % of 1000 / 500
        ("session, leg: 19 joints", 1.79, 500, "1.8 x: missed"),
        ("session, root: 1 joints", 1.0, 0, ""),
        ("60 landmarks, head", 50.0, 50, ""),
    ],
)
def test_goals_of_sessions(job, whole, read, words):
    entry = {"job": job, "seconds": 1.0, "whole": whole, "bytes": read, "whole_bytes": 1000}
    assert posing.goal(entry) == words
    head, _, line = posing.table([entry]).splitlines()[:3]
    assert line.count("|") == head.count("|")
    assert f"| {words} |" in line


def test_goals_of_transfers():
    assert speed.row("job", 2.0, "peer", 40.0, 0.0, 20.0) == [
        "job",
        "2.000 s",
        "peer",
        "40.000 s",
        "20.0 x",
        "20 x: met",
        "0",
    ]
    assert speed.row("job", 2.0, "peer", 39.0, 0.0, 20.0)[5] == "20 x: missed"
    assert speed.row("job", 2.0, "peer", 1.0, 0.0)[5] == ""
    assert len(speed.row("job", 2.0)) == len(speed.HEAD)
