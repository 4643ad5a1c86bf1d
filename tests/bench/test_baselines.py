"""The benchmark of baselines at a tiny size: the gate comes first, and a second run fits nothing again."""

from __future__ import annotations

import rigwright as rw


def test_every_baseline_stands_in_the_table_under_the_gate(tmp_path, cylinder_rig, capsys):
    from benchmarks.baselines import table as baselines

    train, judged = tmp_path / "train.rwdata", tmp_path / "judged.rwdata"
    rw.sampling.sample(cylinder_rig, train, count=30, seed=0, workers=1, probe=0)
    rw.sampling.sample(cylinder_rig, judged, count=12, seed=1, workers=1, probe=0)
    command = [str(train), str(judged), "--small", "--out", str(tmp_path / "out")]
    baselines.main(command)
    first = capsys.readouterr().out.splitlines()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*.safetensors")}
    baselines.main(command)
    second = capsys.readouterr().out.splitlines()
    assert "the best simple method" in first[0]
    assert first[1].startswith("Gate: ")
    names = [line[:34].strip() for line in first[8:]]
    assert {"SSDR, 4 bones", "PCA + linear regression", "KPSA, 8 points", "KPSA, 8 points given"} <= set(names)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert [line[:82] for line in first] == [line[:82] for line in second]
