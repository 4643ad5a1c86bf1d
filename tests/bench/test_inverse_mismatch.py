"""The benchmark of the inverse rig under mismatch, on a rig that takes no time: every row, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

import rigwright as rw

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")

FRAMES, SHAPES, VERTICES = 9, 5, 40


@pytest.fixture
def scene():
    from benchmarks.inverse.mismatched.scene import Scene

    rng = np.random.default_rng(0)
    neutral = rng.normal(size=(VERTICES, 3)) * 5
    mixed = [((0, 1), 1.0), ((2, rw.Tent(3, 0, 0.5, 1)), 0.5), ((0, 2, 4), 0.8)]
    rig = rw.BlendshapeRig(
        neutral,
        rng.normal(size=(SHAPES, VERTICES, 3)),
        [(factors, size * rng.normal(size=(VERTICES, 3))) for factors, size in mixed],
        faces=np.arange(VERTICES - 1)[:-1, None] + np.arange(3),
        metadata={"meters_per_unit": 0.01},
    )
    weights = rng.uniform(0, 1, (FRAMES + 6, SHAPES)) * (rng.random((FRAMES + 6, SHAPES)) < 0.7)
    chosen = np.arange(0, VERTICES, 2)
    return Scene(rig, chosen, weights[:FRAMES], 5, weights[FRAMES:])


@pytest.fixture
def bench(scene, tmp_path):
    from benchmarks.inverse.mismatched.kept import Kept
    from benchmarks.inverse.mismatched.methods import Bench

    kept = (Kept(tmp_path / name, {"frames": FRAMES}) for name in ("methods", "interior"))
    return Bench(scene, slice(1, 3), *kept, {})


def test_truncations_keep_what_they_say(scene):
    from benchmarks.inverse.mismatched.scene import truncated

    assert [len(truncated(scene.rig, model).combinations) for model in ("linear", "pairs", "full")] == [0, 1, 3]
    whole = truncated(scene.rig, "full").evaluate(scene.judged.astype(np.float32))
    np.testing.assert_array_equal(whole, scene.rig.evaluate(scene.judged.astype(np.float32)))


def test_all_methods_are_judged_in_the_whole_rig(bench):
    from benchmarks.inverse.mismatched.methods import HEAD, cells

    rows = bench.rows()
    assert [(row["model"], row["method"]) for row in rows] == [
        ("none", "every weight 0"),
        *(("shapes alone", method) for method in ("cet", "cet_loc", "seol")),
        *(("linear", method) for method in ("mm", "mm_cet", "sqp", "SciPy's defaults", "descent")),
        *(("pairs", method) for method in ("mm", "mm_cet", "sqp", "SciPy's defaults", "descent")),
        *(("full", method) for method in ("sqp", "SciPy's defaults", "descent")),
    ]
    assert all(len(cells(row)) == len(HEAD) for row in rows)
    ours = {row["model"]: row for row in rows if row["method"] == "descent"}
    assert ours["full"]["p95"] < ours["pairs"]["p95"] < ours["linear"]["p95"] < rows[0]["p95"]
    posed = bench.scene.posed(bench.solve("linear", "descent", bench.scene.targets, ours["linear"]["alpha"]))
    apart = np.linalg.norm(posed - bench.scene.targets, axis=2)
    assert ours["linear"]["p95"] == pytest.approx(np.percentile(apart, 95, axis=1).mean())
    assert [row["frames"] for row in rows if row["method"] == "sqp"] == [2, 2, 2]


def test_rows_are_made_once_for_the_same_settings(tmp_path):
    from benchmarks.inverse.mismatched.kept import Kept

    made = []

    def make():
        made.append(1)
        return {"value": 0.5}

    for settings in ({"frames": 1}, {"frames": 1}, {"frames": 2}):
        assert Kept(tmp_path / "rows", settings).row("a row, 1", make) == {"value": 0.5}
    assert len(made) == 2


def test_solvers_that_converge_share_a_minimizer(bench, tmp_path):
    from benchmarks.inverse.mismatched import sparsity
    from benchmarks.inverse.mismatched.kept import Kept

    rows = sparsity.rows(bench, Kept(tmp_path / "sparsity", {}), 1.0, 3)
    lines = sparsity.cells(rows)
    assert {len(line) for line in lines} == {len(sparsity.HEAD)}
    weights = {row["name"]: np.array(row["weights"]) for row in rows}
    np.testing.assert_allclose(weights["L-BFGS-B from zero, to rounding"], weights["ours"], atol=1e-3)  # flat valleys
    assert (weights["interior point as SciPy leaves it"] > 0).sum() > (weights["ours"] > 0).sum()


def test_damage_is_what_it_says(scene):
    from benchmarks.inverse.mismatched import scans

    frames = np.arange(5)
    quiet = scans.damaged(scene, frames, ()) - scene.targets[frames]
    assert np.std(quiet) == pytest.approx(scans.NOISE, rel=0.2)  # of 300 draws
    far = scans.damaged(scene, frames, ("outliers",)) - scene.targets[frames]
    assert 0 < (np.abs(far).max(axis=2) > 10 * scans.NOISE).mean() < 0.2
    holes = scans.damaged(scene, frames, ("holes",)) - scene.judge.rest_vertices
    assert (np.abs(holes).max(axis=2) < 6 * scans.NOISE).any(axis=1).all()


def test_scans_and_identities_have_a_line_per_row(scene, tmp_path):
    from benchmarks.inverse.mismatched import identities, scans
    from benchmarks.inverse.mismatched.kept import Kept

    shots = scans.Scans(scene, 4, 0.1, Kept(tmp_path / "scans", {}))
    rows = [shots._maker(name, kinds, "", "Tukey", {"loss": "tukey"})() for name, kinds in scans.DAMAGE.items()]
    assert {len(scans.cells(row, 1.0)) for row in rows} == {len(scans.HEAD)}
    other = rw.BlendshapeRig(
        scene.rig.rest_vertices, 1.1 * scene.rig.columns()[:SHAPES], metadata={"meters_per_unit": 0.01}
    )
    own = identities.truncated(scene.rig, "linear")
    identity = identities.Identity(
        "other", own, {"own": own, "copied": other}, scene.vertices, scene.judged, scene.training, ("cet", "descent")
    )
    found = identity.rows(Kept(tmp_path / "identities", {}))
    assert {len(identities.cells(row)) for row in found} == {len(identities.HEAD)}
    assert found[1]["weights"] < found[3]["weights"]
