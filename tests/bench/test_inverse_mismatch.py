"""The benchmark of the inverse rig under mismatch, on a rig that takes no time: every row, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")

FRAMES, SHAPES, VERTICES = 9, 5, 40


@pytest.fixture
def scene():
    from benchmarks.inverse.mismatched.scene import Scene

    rng = np.random.default_rng(0)
    neutral = rng.normal(size=(VERTICES, 3)) * 5
    mixed = [((0, 1), 1.0), ((2, rc.Tent(3, 0, 0.5, 1)), 0.5), ((0, 2, 4), 0.8)]
    rig = rc.BlendshapeRig(
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
def bench(scene, tmp_path, monkeypatch):
    from benchmarks.inverse.mismatched import methods
    from benchmarks.inverse.mismatched.kept import Kept
    from benchmarks.inverse.mismatched.methods import Bench

    monkeypatch.setattr(methods, "RUNS", 1)
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
        *(("linear", method) for method in ("mm", "mm_cet", "descent")),
        *(("pairs", method) for method in ("mm", "mm_cet", "descent")),
        ("full", "descent"),
    ]
    assert all(len(cells(row)) == len(HEAD) for row in rows)
    ours = {row["model"]: row for row in rows if row["method"] == "descent"}
    assert ours["full"]["p95"] < ours["pairs"]["p95"] < ours["linear"]["p95"] < rows[0]["p95"]
    posed = bench.scene.posed(bench.solve("linear", "descent", bench.scene.targets, ours["linear"]["alpha"]))
    apart = np.linalg.norm(posed - bench.scene.targets, axis=2)
    assert ours["linear"]["p95"] == pytest.approx(np.percentile(apart, 95, axis=1).mean())


def test_the_interior_point_stands_beside_others_on_the_same_frames(bench):
    from benchmarks.inverse.mismatched.methods import HEAD, cells

    rows = bench.interior_rows()
    assert [(row["model"], row["method"]) for row in rows] == [
        ("none", "every weight 0"),
        *(("shapes alone", method) for method in ("cet", "seol")),
        *(("linear", method) for method in ("mm_cet", "descent", "sqp", "SciPy's defaults")),
        *(("pairs", method) for method in ("mm_cet", "descent", "sqp", "SciPy's defaults")),
        *(("full", method) for method in ("descent", "sqp", "SciPy's defaults")),
    ]
    assert all(len(cells(row)) == len(HEAD) for row in rows)
    assert {row["frames"] for row in rows} == {2}
    alphas = {(row["model"], row["method"]): row["alpha"] for row in rows}
    for model in ("linear", "pairs", "full"):
        assert {alphas[model, method] for method in ("sqp", "SciPy's defaults")} == {alphas[model, "descent"]}
        assert alphas[model, "descent"] == bench.made(model, "descent")["alpha"]
    solved = bench.solve("pairs", "descent", bench.scene.targets[1:3], alphas["pairs", "descent"])
    ours = next(row for row in rows if (row["model"], row["method"]) == ("pairs", "descent"))
    assert ours["weights"] == pytest.approx(np.abs(solved - bench.scene.judged[1:3]).mean())


def test_smoothness_is_the_papers_sum_within_each_shot(bench):
    """Equation 22 of a weight is a sum over the frames; frames 4 and 5 are of different shots."""
    weights = np.random.default_rng(1).random((FRAMES, SHAPES))
    meshes = np.zeros((FRAMES, 1, 3))
    shots = [rc.metrics.weight_error(weights[s], meshes[s], meshes[s]).smoothness for s in (slice(0, 5), slice(5, 9))]
    assert bench.judged(weights)["smoothness"] == pytest.approx(np.mean(shots[0] + shots[1]))
    assert bench.judged(weights[3:8], slice(3, 8))["smoothness"] == pytest.approx(
        np.square(weights[5] - 2 * weights[6] + weights[7]).mean()
    )
    assert np.isnan(bench.judged(weights[1:3], slice(1, 3))["smoothness"])


def test_the_papers_figures_stand_beside_ours():
    from benchmarks.inverse.mismatched import published

    names = ("p95", "cardinality", "l1", "smoothness", "seconds")

    def rows(frames, ours, mm, others):
        made = [("pairs", "descent", ours), ("pairs", "mm_cet", mm), ("pairs", "SciPy's defaults", others)]
        made += [("shapes alone", method, others) for method in ("cet", "seol")]
        first = {"model": "none", "method": "every weight 0", "frames": frames}
        return [first, *({"model": m, "method": n} | dict.fromkeys(names, float(v)) for m, n, v in made)]

    beside = published.Beside(rows(9, 2, 4, 8), rows(2, 3, 4, 24), num_weights=16)
    figures, ratios = beside.figures(), beside.ratios()
    assert {len(line) for line in figures} == {len(published.HEAD)}
    assert {len(line) for line in ratios} == {len(published.RATIOS_HEAD)}
    assert figures[0] == ["MM", "Omar", "0.0898", "85.2", "66%", "9.1", "0.0034", "11.29"]  # table 1
    assert figures[1][2:5] == ["0.0556 to 0.1031", "28.3 to 85.2", "46% to 66%"]
    assert figures[2] == ["", "ICT, 9 frames", "4.00", "4.0", "25%", "4.00", "4.00", "4.00"]
    assert figures[5] == ["", "ICT, 2 frames", "24.0", "24.0", "150%", "24.0", "24.0", "24.0"]
    assert figures[-1][:3] == ["ours", "ICT, 9 frames", "2.00"]
    assert ratios[0] == ["SQP", "Omar", "0.36", "1.53", "1.36", "5.91"]
    assert ratios[1][2] == "0.36 to 1.46"
    assert [line[:3] for line in (*ratios[2:9:3], *ratios[9:])] == [
        ["", "ICT, 2 frames", "6.00"],
        ["", "ICT, 9 frames", "2.00"],
        ["", "ICT, 9 frames", "2.00"],
        ["ours", "ICT, 9 frames", "0.50"],
        ["ours", "ICT, 2 frames", "0.75"],
    ]


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
    other = rc.BlendshapeRig(
        scene.rig.rest_vertices, 1.1 * scene.rig.columns()[:SHAPES], metadata={"meters_per_unit": 0.01}
    )
    own = identities.truncated(scene.rig, "linear")
    identity = identities.Identity(
        "other", own, {"own": own, "copied": other}, scene.vertices, scene.judged, scene.training, ("cet", "descent")
    )
    found = identity.rows(Kept(tmp_path / "identities", {}))
    assert {len(identities.cells(row)) for row in found} == {len(identities.HEAD)}
    assert found[1]["weights"] < found[3]["weights"]
