"""The benchmark of baselines at a tiny size: the gate comes first, and a second run fits nothing again."""

from __future__ import annotations

import re

from benchmarks.systems.baselines.gate import gates
from benchmarks.systems.baselines.layout import GLANCE, TRAINING, Row, at_a_glance, table
from benchmarks.systems.baselines.sets import Subject
from benchmarks.systems.baselines.table import METHODS, Bench

import rigcast as rc


def test_every_baseline_stands_in_the_table_under_the_gate(tmp_path, cylinder_rig):
    train = rc.sampling.sample(cylinder_rig, tmp_path / "train.rwdata", count=30, seed=0, probe=0)
    judged = rc.sampling.sample(cylinder_rig, tmp_path / "judged.rwdata", count=12, seed=1, probe=0)
    found = Subject("A cylinder", {"random poses": train}, {"other poses": judged}, ["constructed"])
    out = tmp_path / "out"
    out.mkdir()
    printed = []
    for _ in range(2):
        rows = Bench(found, out, small=True).run(METHODS, {})
        printed.append(table(found, gates(found, out), rows, []))
        kept = {path: path.stat().st_mtime_ns for path in out.glob("**/*.safetensors")}
    verdict = re.search("(Beats|Loses to|As good as) [^:]*ridge", printed[0])
    assert verdict is not None
    assert verdict.start() < printed[0].index("SSDR")
    assert {method.name for method in METHODS} <= {row.name for row in rows}
    assert kept
    assert printed[0] == printed[1]


def test_a_character_s_rows_at_a_glance_leave_those_of_others(tmp_path, cylinder_rig):
    train = rc.sampling.sample(cylinder_rig, tmp_path / "train.rwdata", count=30, seed=0, probe=0)
    judged = rc.sampling.sample(cylinder_rig, tmp_path / "judged.rwdata", count=12, seed=1, probe=0)
    found = Subject("A cylinder", {"random poses": train}, {"other poses": judged}, ["constructed"])
    gate = gates(found, tmp_path)
    models = [("a network", 0.5, True), ("a worse network", 0.6, True), ("skinning", 2.0, False)]
    rows = [
        Row(name, TRAINING, {"other poses": {"mean": mean, "max": 9.0}}, 1.0, 1.0, 1.0, learned)
        for name, mean, learned in models
    ]
    page = "\n".join([*GLANCE, "| A cylinder, other poses | old |", "| A sphere, walk | kept |"])
    lines = at_a_glance(found, gate, rows, page).splitlines()
    assert lines[:2] == list(GLANCE)
    assert lines[2].startswith("| A cylinder, other poses | a network | 0.500 | 9.00 | ")
    assert lines[2].endswith(" | skinning: 2.000 |")
    assert lines[3:] == ["| A sphere, walk | kept |"]
