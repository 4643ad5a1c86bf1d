"""The benchmark of baselines at a tiny size: the gate comes first, and a second run fits nothing again."""

from __future__ import annotations

from benchmarks.systems.baselines.gate import gates
from benchmarks.systems.baselines.layout import table
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
    assert "the best simple method" in printed[0]
    assert printed[0].index("the best simple method") < printed[0].index("SSDR")
    assert {method.name for method in METHODS} <= {row.name for row in rows}
    assert kept
    assert printed[0] == printed[1]
