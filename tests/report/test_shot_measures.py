"""What is measured of a solved shot: distances, methods at equal objective, the residual."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast import inverse
from rigcast.inverse import Solver
from rigcast.plot._colors import heat
from rigcast.report._shot import charts, gallery
from rigcast.report._shot.page import notes, residual
from rigcast.report._shot.rivals import ALPHAS, Rival, Run, compare, compared_frames
from rigcast.report._shot.solved import solved_shot
from tests.cli.sheet import SIDE

pytestmark = pytest.mark.usefixtures("timed_once")
METHODS = ["descent", "mm", "cet"]


def test_distances_are_those_of_the_vertices(solved, tolerance):
    shot = solved_shot(solved.rig, solved.shot, solved.solution, truth=solved.truth)
    off = 10 * np.linalg.norm(solved.rig.evaluate(solved.solution.weights) - solved.shot, axis=2)
    np.testing.assert_allclose(shot.rmse, np.sqrt((off**2).mean(axis=1)), rtol=tolerance["float32_character"])
    np.testing.assert_allclose(shot.rmse, 10 * solved.solution.rmse, rtol=tolerance["float32_character"])
    np.testing.assert_allclose(shot.largest, off.max(axis=1), rtol=tolerance["float32_character"])
    np.testing.assert_allclose(shot.p95, np.percentile(off, 95, axis=1), rtol=tolerance["float32_character"])
    np.testing.assert_allclose(shot.mean, off.mean(axis=0), rtol=tolerance["float32_character"])
    np.testing.assert_allclose(shot.distances(3), off[3], rtol=tolerance["float32_character"])
    assert shot.weight_error == pytest.approx(np.abs(solved.solution.weights - solved.truth).mean())
    assert (np.diff(shot.rmse[shot.order()]) >= 0).all()


def test_markers_alone_are_measured_alone(solved):
    markers = np.arange(0, SIDE * SIDE, 3)
    solution = inverse.solve(solved.rig, solved.shot, alpha=0.1, vertices=markers)
    given = solved_shot(solved.rig, solved.shot[:, markers], solution, vertices=markers)
    whole = solved_shot(solved.rig, solved.shot, solution, vertices=markers)
    np.testing.assert_array_equal(given.rmse, whole.rmse)
    assert not given.is_whole
    assert np.isnan(given.mean).sum() == SIDE * SIDE - len(markers)


def test_methods_race_on_the_problem_that_was_solved(solved, tolerance):
    """Weights of vertices, bounds, pins, priors, equal weights: each rival's problem is the solution's."""
    rng = np.random.default_rng(1)
    rig, count, some = solved.rig, solved.rig.num_shapes, np.arange(0, SIDE * SIDE, 3)
    pins = np.full((24, count), np.nan)
    pins[:, 2] = np.linspace(0.1, 0.4, 24)
    omega = rng.uniform(0.1, 5.0, len(some))
    given = {"bounds": (0.0, 0.5), "fixed": pins, "priors": (rng.uniform(size=(24, count)), 0.3), "symmetric": [(0, 1)]}
    solution = inverse.solve(rig, solved.shot, alpha=0.1, vertices=some, vertex_weights=omega, **given)
    shot = solved_shot(rig, solved.shot, solution)
    np.testing.assert_array_equal(shot.vertices, some)
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=tolerance["float32_character"])
    solver = Solver(rig, vertices=shot.vertices, vertex_weights=solution.vertex_weights)
    found = compare(solver, shot.targets, ["descent", "cet"], 0.1, 10.0, lambda progress: None, solution)
    own = solution.objective[found.frames]
    np.testing.assert_allclose(found.rivals[0].race[-1].objective, own, rtol=tolerance["float64_converged"])
    assert (found.rivals[1].race[-1].objective >= own * (1 - 1e-9)).all()
    with pytest.raises(ValueError, match="report: vertices is 66 vertices other than the 66 that were solved for"):
        solved_shot(rig, solved.shot, solution, vertices=some + 1)


def test_head_motion_is_taken_out_before_measuring(solved, tolerance):
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    moved = solved.shot @ turn.T + [1.0, 2.0, 3.0]
    solution = inverse.solve(solved.rig, moved, alpha=0.1, rigid=np.arange(0, SIDE * SIDE, 7))
    shot = solved_shot(solved.rig, moved, solution)
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=tolerance["printed"])


def test_methods_run_on_the_same_frames(solved, tolerance):
    comparison = compare(Solver(solved.rig), solved.shot, METHODS, 0.1, 10.0, lambda progress: None)
    frames = compared_frames(24)
    assert comparison.frames == frames.tolist() == [0, 12, 23]
    ours, mm, cet = comparison.rivals
    best = inverse.solve(solved.rig, solved.shot[frames], alpha=0.1)
    np.testing.assert_allclose(ours.race[-1].objective, best.objective, rtol=tolerance["gram"])
    assert ours.excess(comparison.best, comparison.floor)[-1] < 1e-6
    assert ours.reached(comparison.best, comparison.floor) > 0
    assert (np.diff(mm.excess(comparison.best, comparison.floor)) < 1e-9).all(), "more iterations, lower objective"
    assert cet.excess(comparison.best, comparison.floor)[-1] > 1e-6
    assert np.isnan(cet.reached(comparison.best, comparison.floor))
    sparse = [run.cardinality for _, run in ours.curve]
    assert sparse[-1] < sparse[0]
    assert [alpha for alpha, _ in ours.curve] == [0.0, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0]


def test_the_trade_off_is_drawn_on_what_the_elbow_is_chosen_on(solved, monkeypatch, tolerance):
    """The 95th percentile over the vertices, which exceeds the root mean square of noise."""
    markers, frames = np.arange(0, SIDE * SIDE, 3), compared_frames(24)
    solver, drawn = Solver(solved.rig, vertices=markers), []
    monkeypatch.setattr(charts, "svg", lambda canvas, name: drawn.append(canvas.axes[0]) or "")
    found = compare(solver, solved.shot[:, markers], ["descent", "cet"], 0.1, 10.0, lambda progress: None)
    charts.trade_off(found, 1.0)
    expected = rc.inverse.trade_off(
        solved.rig, solved.shot[frames], ["descent", "cet"], count=len(frames), gap=1, vertices=markers
    )
    lines = {line.get_label(): line.get_ydata() for line in drawn[0].lines}
    for method, error in zip(expected.methods, expected.rmse_p95, strict=True):
        np.testing.assert_allclose(lines[method], 10 * error, rtol=tolerance["float32_character"])
    ring = next(line for line in drawn[0].lines if line.get_markersize() == 14)
    own = 10 * expected.rmse_p95[0][ALPHAS.index(0.1)]
    assert ring.get_ydata()[0] == pytest.approx(own, rel=tolerance["float32_character"])
    told = found.figures()["descent"]
    assert told["rmse_p95_mm"] == pytest.approx(own, rel=tolerance["float32_character"])
    assert [error for _, error, _ in told["curve"]] == lines["descent"].tolist()
    assert told["rmse_mm"] < 0.9 * told["rmse_p95_mm"]


def test_alphas_are_areas_whatever_the_unit(solved, tolerance):
    scaled = rc.BlendshapeRig(
        0.01 * solved.rig.rest_vertices,
        0.01 * solved.rig.columns()[: solved.rig.num_shapes],
        [(f, 0.01 * solved.rig.column(solved.rig.num_shapes + c)) for c, f in enumerate(solved.rig.combinations)],
    )
    pairs = ((solved.rig, solved.shot, 10.0, 1.0), (scaled, 0.01 * solved.shot, 1000.0, 1e-4))
    curves = []
    for rig, shot, millimeters, square_centimeter in pairs:
        (rival,) = compare(
            Solver(rig), shot, ["descent"], 0.1 * square_centimeter, millimeters, lambda progress: None
        ).rivals
        curves.append(rival.curve)
        np.testing.assert_allclose([a for a, _ in rival.curve], square_centimeter * np.array(ALPHAS))
    for (_, own), (_, other) in zip(*curves, strict=True):
        assert own.rmse == pytest.approx(other.rmse, rel=tolerance["printed"])
        assert own.total == pytest.approx(other.total, rel=tolerance["printed"])


def test_what_a_method_makes_once_is_in_no_time(solved):
    """Masks by geodesic distances, bounds of the corrections: neither is a frame's."""
    solver, made = Solver(solved.rig), []

    def solve(targets, method, **options):
        made.append((len(targets), set(solver.gram.prepared)))
        return Solver.solve(solver, targets, method, **options)

    bench = SimpleNamespace(solve=solve, gram=solver.gram)
    compare(bench, solved.shot, ["cet_loc"], 0.1, 10.0, lambda progress: None)
    assert made[0] == (1, set())
    assert all(before for _, before in made[1:])


def test_the_first_equal_run_counts():
    runs = [Run(s, np.array([o]), 0.0, 0.0, 0.0, 0.0) for s, o in ((0.1, 3.0), (0.2, 2.0 + 1e-6), (0.5, 2.0))]
    rival = Rival("mm", "#000000", runs, [])
    assert rival.reached(np.array([2.0]), 0.0) == 0.2
    np.testing.assert_allclose(rival.excess(np.array([2.0]), 0.0), [0.5, 5e-7, 0.0])


def test_a_frames_heat_is_its_distances_on_the_scale_beside_it(solved, monkeypatch):
    far, drawn = solved.shot.copy(), []
    far[:, 7] += 0.5  # the scale goes to 10 mm
    shot = solved_shot(solved.rig, far, solved.solution)

    def picture(vertices, view, colors):
        drawn.append(colors)
        return np.zeros((8, 8, 3), np.uint8)

    monkeypatch.setattr(
        gallery,
        "Studio",
        lambda *mesh, **size: contextlib.nullcontext(SimpleNamespace(picture=picture, cutout=picture)),
    )
    rows = gallery.shot_gallery(shot, lambda progress: None).poses
    frames = gallery.marked_frames(shot).values()
    for row, frame, colors in zip(rows, frames, np.array(drawn[2:], object).reshape(3, 4), strict=True):
        assert colors[0] is colors[1] is None
        for half in colors[2:]:
            np.testing.assert_array_equal(half, heat(shot.distances(frame) / row.top))


def test_frames_are_apart():
    assert compared_frames(1).tolist() == [0]
    assert compared_frames(10).tolist() == [0]
    assert (np.diff(compared_frames(300)) >= 10).all()


def test_a_residual_that_the_rig_has_no_shape_for_is_not(solved):
    shot = solved.shot.copy()
    shot[:, 30] += [0.0, 0.0, 3.0]
    assert "more than noise" in residual(solved_shot(solved.rig, shot, inverse.solve(solved.rig, shot, alpha=0.1)))


def test_weights_that_all_rest_are_noted(solved):
    shot = np.repeat(solved.rig.rest_vertices[None], 3, axis=0)
    resting = solved_shot(solved.rig, shot, inverse.solve(solved.rig, shot, alpha=0.1))
    assert "Every weight rests in every frame." in notes(resting)


def test_a_scaled_head_is_taken_out_before_measuring(solved, tolerance):
    larger = 1.25 * solved.shot
    solution = inverse.solve(solved.rig, larger, alpha=0.1, rigid="auto", rigid_scale=True)
    shot = solved_shot(solved.rig, larger, solution)
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=tolerance["printed"])


def test_nothing_is_said_of_a_residual_of_less_than_a_micrometer(solved):
    exact = solved.rig.evaluate(solved.truth.astype(np.float32))
    noise = np.random.default_rng(0).normal(0, 2e-5, exact.shape).astype(np.float32)  # of a centimeter
    shot = solved_shot(solved.rig, exact + noise, inverse.solve(solved.rig, exact + noise, alpha=3e-3))
    assert 0.0 < 1.1 * shot.noise_rmse < shot.rmse.mean() < 0.001
    assert residual(shot) == ""
