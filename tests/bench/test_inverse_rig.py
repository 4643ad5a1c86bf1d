"""The benchmark of the inverse rig at a tiny size: peers solve what we solve, rows say what was measured. No times."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

pytest.importorskip("scipy", reason="SciPy is not installed")

ALPHA, SMOOTHNESS = 0.3, 5.0


@pytest.fixture
def scene():
    from benchmarks.systems.inverse.scenes import paper_size

    return paper_size(60, 8, 10, 12)


@pytest.fixture
def higher_rig():
    """Products of up to four factors, tents among them."""
    rng = np.random.default_rng(3)
    combinations = [(0, 1), (rc.Tent(2, 0.0, 0.5, 1.0),), (0, rc.Tent(1, 0.1, 0.6, 1.0), 3), (1, 2, 3, 4)]
    columns = rng.normal(size=(len(combinations), 30, 3)) * (rng.random((len(combinations), 30, 1)) < 0.3)
    pairs = list(zip(combinations, columns, strict=True))
    return rc.BlendshapeRig(rng.normal(size=(30, 3)), rng.normal(size=(5, 30, 3)), pairs)


def test_vertex_space_is_the_rig(higher_rig, tolerance):
    from benchmarks.systems.inverse.peers import VertexSpace

    space, rng = VertexSpace(higher_rig), np.random.default_rng(0)
    w = rng.uniform(0.02, 0.48, 5)
    mesh = np.asarray(higher_rig.evaluate(w[None].astype(np.float32))[0], np.float64).ravel()
    residual = space.residual(space.activations(w)[0], mesh - space.neutral)
    assert np.abs(residual).max() <= tolerance["float32_sum"] * np.abs(mesh).max()
    target, along, h = rng.normal(size=90), rng.normal(size=5), 1e-6
    value, gradient = space.value_and_gradient(w, target, ALPHA)
    assert value == space.value(w, target, ALPHA)
    up, down = (space.value_and_gradient(w + s * h * along, target, ALPHA) for s in (1, -1))
    np.testing.assert_allclose((up[0] - down[0]) / (2 * h), gradient @ along, rtol=tolerance["float64_converged"])
    np.testing.assert_allclose(
        (up[1] - down[1]) / (2 * h),
        space.hessian(w, target) @ along,
        rtol=tolerance["float32_scaled"],
        atol=tolerance["float32_scaled"],
    )


def test_published_mm_descends_to_ours(scene, tolerance):
    from benchmarks.systems.inverse.peers import VertexSpace
    from benchmarks.systems.inverse.published_mm import PublishedMM
    from benchmarks.systems.inverse.trace import Trace

    space, mesh = VertexSpace(scene.rig), scene.targets(scene.truth[:1])
    ours = rc.inverse.solve(scene.rig, mesh, alpha=ALPHA).weights[0]
    target = mesh[0].astype(np.float64).ravel() - space.neutral
    best = space.value(ours, target, ALPHA)
    peer = PublishedMM(space.columns[:8], space.member, space.columns[8:])
    for lengthened in (False, True):
        trace = Trace(best * (1 + 1e-6), 5.0)
        w = peer.solve(target, ALPHA, np.zeros(8), trace, lengthened=lengthened)
        assert trace.best <= trace.goal
        assert space.value(w, target, ALPHA) == pytest.approx(trace.best, rel=tolerance["float64"])


def test_published_smooth_formulations_descend_to_ours(scene, tolerance):
    from benchmarks.systems.inverse.peers import VertexSpace
    from benchmarks.systems.inverse.published_smooth import PublishedSmooth, ReleasedSmooth
    from benchmarks.systems.inverse.trace import Trace

    space, meshes = VertexSpace(scene.rig), scene.targets(scene.truth)
    ours = rc.inverse.solve(scene.rig, meshes, alpha=ALPHA, smoothness=SMOOTHNESS).shot_objective
    targets = meshes.reshape(len(meshes), -1).astype(np.float64) - space.neutral
    for kind in (PublishedSmooth, ReleasedSmooth):
        peer = kind(space.columns[:8], space.member, space.columns[8:])
        trace, start = Trace(ours * (1 + 1e-5), 5.0), np.zeros((len(meshes), 8))
        w = peer.solve(targets, start, trace, alpha=ALPHA, smoothness=SMOOTHNESS)
        assert trace.best <= trace.goal
        value = peer.objective(w, peer.residual(w, targets), ALPHA, SMOOTHNESS)
        assert value == pytest.approx(trace.best, rel=tolerance["gram"])
        assert (np.diff(trace.objectives) <= 0).all()


def test_curves_in_the_box_are_minimizers(tolerance):
    from benchmarks.systems.inverse.published_smooth import _bends, _in_box, _product

    rng = np.random.default_rng(5)
    for _ in range(20):
        square, coupling, right = rng.random(9), 2.0 * _bends(9), rng.normal(size=9)
        x = _in_box(square, coupling, right, np.full(9, 0.5))
        bands = coupling.copy()
        bands[2] += square
        second = np.diff(np.eye(9), n=2, axis=0)
        np.testing.assert_allclose(
            _product(bands, x), (np.diag(square) + 2.0 * second.T @ second) @ x, atol=tolerance["float64"]
        )
        slope = _product(bands, x) - right
        assert (slope[x > 0] <= 1e-9).all()
        assert (slope[x < 1] >= -1e-9).all()


def test_rows_and_accuracy(scene):
    from benchmarks.systems.inverse.accuracy import compare, recover
    from benchmarks.systems.inverse.rows import OneFrame, Settings, joint_rows

    settings = Settings(
        runs=1,
        peer_frames=1,
        limit=0.5,
        joint_limit=0.5,
        smoothness=SMOOTHNESS,
        smooth_frames=(6,),
        released_frames=5,
    )
    rows = OneFrame(scene, ALPHA, settings).rows()
    assert len(rows) == 13
    for row in [*rows, *joint_rows(scene, ALPHA, settings)]:
        assert row.seconds > 0
        assert row.difference > -1e-6
        assert row.cells(2).count("|") == 7
    found, back = compare(scene, ALPHA, 4), recover(scene)
    assert found.frames == 4
    assert found.above == 0
    assert (back.frames, back.identifiable, back.shapes) == (12, 8, 8)
    assert back.mean < 0.005


def test_goals_are_told_beside_what_was_found(scene):
    from benchmarks.systems.inverse.rows import OneFrame, Settings, goal, joint_rows

    assert goal(200.0, 150.0, " x") == "200 x: missed"
    assert goal(200.0, 150.0, " x", is_least=True) == "200 x: not known"
    assert goal(5000.0, 5000.0, " per second") == "5,000 per second: met"
    settings = Settings(
        runs=1, peer_frames=1, limit=0.1, joint_limit=0.1, smoothness=SMOOTHNESS, smooth_frames=(6,), released_frames=5
    )
    told = {row.job: row.goal.split(":")[0] for row in OneFrame(scene, ALPHA, settings).rows()}
    goals = {
        "trust-constr, exact Hessian, on the vertices": "1,000 x",
        "L-BFGS-B, analytic gradient, on the vertices": "300 x",
        "published MM from zero": "10,000 x",
        "our `mm`, 10,000 steps": "",
    }
    assert {job: told[job] for job in goals} == goals
    assert next(text for job, text in told.items() if job.startswith("ours, in a shot")) == "5,000 per second"
    joint = {row.job: row.goal.split(":")[0] for row in joint_rows(scene, ALPHA, settings)}
    assert [job for job, text in joint.items() if text == "200 x"] == [
        "published formulation at its best, 6 frames jointly, to 1e-06"
    ]


def test_trace_ends_at_its_goal():
    from benchmarks.systems.inverse.trace import Trace

    trace = Trace(goal=2.0)
    assert [trace.add(f) for f in (5.0, 7.0, 2.0)] == [False, False, True]
    assert trace.objectives == [5.0, 5.0, 2.0]
    assert trace.reached(5.0) == trace.seconds[0]
    assert trace.reached(1.0) is None


def test_tables_go_between_the_marks(tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # the module sets what is not set
    from benchmarks import marks
    from benchmarks.systems.inverse import rig as inverse_rig
    from benchmarks.systems.inverse.rows import Row, goal

    page = tmp_path / "page.md"
    monkeypatch.setattr(marks, "PAGES", [page])
    begin, end = "<!-- a table: written by benchmarks/x.py -->", "<!-- end of a table -->"
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n", encoding="utf-8")
    rows = [
        Row("ours", 2e-3, 0.0),
        Row("peer", 4.0, 0.25, reached=False, ratios=[2000.0], goal=goal(1000.0, 2000.0, " x", is_least=True)),
    ]
    marks.write_between_marks("a table", inverse_rig.table(["job", "time", "faster", "objective", "goal"], rows))
    assert page.read_text(encoding="utf-8").splitlines() == [
        "before",
        begin,
        "| job | time | faster | objective | goal |",
        "| --- | --- | --- | --- | --- |",
        "| ours | 2 ms |  | equal |  |",
        "| peer | 4,000 ms | > 2,000 x | +2.5e-01 | 1,000 x: met |",
        end,
        "after",
    ]
    with pytest.raises(AssertionError, match="no page has a place named another"):
        marks.write_between_marks("another", "text")
