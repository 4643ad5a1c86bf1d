"""The scripts that write the pages of learned bodies: their arithmetic and their rows, on tiny models."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from benchmarks.systems.body import instruction_sets, until

import rigcast as rc
from rigcast import _core
from rigcast.training._body.error_bound import bound_tensors
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import learned_looking_body


@pytest.mark.parametrize(
    ("points", "goal", "expected"),
    [
        ([(100, 4.0), (400, 1.0)], 2.0, 200.0),  # half the way in both logarithms
        ([(100, 4.0), (400, 1.0), (800, 0.5)], 1.0, 400.0),
        ([(50, 9.0), (100, 8.0), (800, 1.0)], 4.0, 200.0),  # a third
        ([(100, 4.0), (400, 1.0)], 5.0, 100.0),
    ],
)
def test_poses_needed_are_interpolated_by_logarithms(points, goal, expected, tolerance):
    assert until.needed(points, goal) == pytest.approx(expected, rel=tolerance["float64"])


def test_an_error_that_was_not_met_needs_no_number_of_poses():
    assert math.isnan(until.needed([(100, 4.0), (400, 1.0)], 0.1))


def test_poses_are_compared_at_the_smallest_error_that_both_reach(tolerance):
    better, worse = [(100, 4.0), (400, 0.5)], [(100, 4.0), (400, 1.0)]
    expected = until.needed(better, 1.0) / 400
    assert until.share_of_poses(better, worse) == pytest.approx(expected, rel=tolerance["float64"])
    assert until.share_of_poses(worse, better) == pytest.approx(1 / expected, rel=tolerance["float64"])
    assert expected < 0.7


def test_rounds_and_the_shares_of_all_seeds_are_told():
    ours, random = until.WAYS
    curves = {
        (way, seed): {key: [(1000, 4.0), (4000, 1.0)] for key in until.STATISTICS}
        for way in until.WAYS
        for seed in (1, 2)
    }
    curves[ours, 2] = {key: [(1000, 4.0), (2000, 1.0)] for key in until.STATISTICS}
    lines = until.curve_rows(curves)
    assert f"| {random} | 1 | 1,000 | 4 | 4 | 4 |" in lines
    assert f"| {random} | 1 | 4,000 | 1 | 1 | 1 |" in lines
    assert [line for line in lines if line.startswith("| p99")] == ["| p99 | 1.00, 0.50 | 0.75 |"]


@pytest.fixture(scope="module")
def small_set(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small") / "cylinder.rwdata"
    return rc.sampling.sample(CylinderRig(rings=6, sides=5), folder, count=40, seed=0, probe=0)


def test_a_bound_is_judged_by_coverage_and_width(small_set, tolerance):
    """A constant bound at a quantile of all errors holds for that share, and is as wide as that one constant."""
    plain = learned_looking_body(CylinderRig(rings=6, sides=5), bound={"false_alarm": 0.04, "miss": 0.125})
    errors = np.linalg.norm(plain.evaluate(small_set.poses) - small_set.vertices, axis=2)
    shape = bound_tensors([], [], errors.shape[1])
    shape["bound.vertex.scale"] *= np.float32(np.quantile(errors, 0.8))
    model = _core.model_from_tensors(plain.tensors() | shape, json.dumps(plain.metadata))
    header, rule, line, _, ideal, _, cost = until.bound_rows(model, {"random": small_set})
    assert header.count("|") == rule.count("|") == line.count("|") == 6
    count, coverage, width, apart, one = (cell.strip() for cell in line.strip("|").split("|"))
    assert count == "random: 40 of 40 in range"
    assert coverage == "80.0%"
    assert float(width) == pytest.approx(1000 * np.quantile(errors, 0.8), rel=tolerance["printed"])
    assert float(one.split()[0]) == pytest.approx(float(width), rel=1e-3)  # quantiles between two errors
    assert one.endswith("(1.00 x)")
    constant, ratio = re.fullmatch(r"([\d.]+) \(([\d.]+) x\)", apart).groups()
    apart_mean = 1000 * np.quantile(errors, 0.8, axis=0).mean()
    assert float(constant) == pytest.approx(apart_mean, rel=1e-3)  # quantiles between two errors
    assert float(ratio) == pytest.approx(float(width) / float(constant), abs=0.005)  # printed with two digits
    assert 0.0 < float(re.search(r"would be ([\d.]+) times as wide", ideal)[1]) < 1.0
    assert cost.startswith("Out of range: false alarms 4.0%, misses 12.5%. A pose's bounds take ")


def row(seconds, torch, onnx, **more):
    return {"seconds": seconds, "peers": {"PyTorch": torch, "ONNX Runtime": onnx}, **more}


FOUND = {
    "rows": [row(1e-3, 4e-3, 3e-3, variants={"16-bit": 5e-4}), row(0.1, 0.8, 0.65)],
    "reading": [
        {"variant": "rigcast", "threads": 2, "share": 0.11},
        {"variant": "16-bit", "threads": 2, "share": 0.12},
        {"variant": "rigcast", "threads": 1, "share": 0.81},
        {"variant": "16-bit", "threads": 1, "share": 0.72},
    ],
    "posing": [
        {"job": "session, knee moves", "whole": 6e-3, "seconds": 1e-3, "bytes": 1, "whole_bytes": 8},
        {"job": "session, arm moves", "whole": 4e-3, "seconds": 2e-3, "bytes": 3, "whole_bytes": 8},
    ],
    "versions": {"rigcast": "1", "torch": "2"},
    "machine": "a machine, AVX3",
    "model": {"sets": 6, "vertices": 2000, "bytes": 8_000_000},
    "load": 0.5,
}


def test_a_row_of_an_instruction_set_is_made_of_the_timings():
    assert instruction_sets.single_cells("AVX3", FOUND) == [
        "AVX3",
        "1.000",
        "4.0, 3.0",
        "81%",
        "0.500",
        "8.0, 6.0, 72%",
        "6.0 x (0.125)",
        "2.0 x (0.375)",
    ]
    assert instruction_sets.batch_cells("AVX3", FOUND) == ["AVX3", "100.0", "8.0, 6.5"]


def test_the_tables_have_a_row_per_instruction_set(monkeypatch):
    asked = []
    monkeypatch.setattr(instruction_sets, "sets_of_this_processor", lambda: ["AVX2", "AVX3"])
    monkeypatch.setattr(instruction_sets, "measured", lambda name, *rest: asked.append((name, *rest)) or FOUND)
    single, batches = instruction_sets.tables("body.safetensors", ["--runs", "10"])
    lines = batches.split("\n")
    assert asked == [(name, "body.safetensors", ["--runs", "10"]) for name in ("AVX2", "AVX3")]
    assert [line.split(" | ")[0] for line in single.split("\n")[2:]] == ["| AVX2", "| AVX3"]
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| AVX2", "| AVX3"]
    assert {line.count("|") for line in single.split("\n")} == {9}
    assert {line.count("|") for line in lines[:4]} == {4}
    assert lines[-1] == ("6 sets, 2,000 vertices, 8.0 MB. a machine; rigcast 1, torch 2. Load before the last row 0.5.")
