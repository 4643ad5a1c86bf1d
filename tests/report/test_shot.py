"""The page of a solved shot: its numbers, its pictures, and that a browser shows it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import rigwright as rw
from rigwright import inverse, report
from rigwright.inverse._solve import Solver
from rigwright.report._kit.words import figure
from rigwright.report._shot.page import notes, residual
from rigwright.report._shot.rivals import ALPHAS, Rival, Run, compare, compared_frames
from rigwright.report._shot.solved import solved_shot
from tests.report.test_page import CHROMIUM, Collector, chromium
from tests.support.moving_head import FACES, face_curves, head_turns, moved, moving_face
from tests.support.sheet import SIDE, sheet_curves, sheet_rig

METHODS = ["descent", "mm", "cet"]


@pytest.fixture(scope="module", autouse=True)
def timed_once():
    """Short calls are not repeated to be timed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rigwright.report._shot.rivals.REPEATED", 0.0)
        yield


@pytest.fixture(scope="module")
def solved():
    """A shot with a little noise, its solution, and the weights that made it."""
    rig, truth = sheet_rig(), sheet_curves(24)
    noise = np.random.default_rng(0).normal(0, 0.02, (24, SIDE * SIDE, 3))
    shot = (rig.evaluate(truth) + noise).astype(np.float32)
    return SimpleNamespace(rig=rig, truth=truth, shot=shot, solution=inverse.solve(rig, shot, alpha=0.1))


@pytest.fixture(scope="module")
def page(solved, tmp_path_factory):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = tmp_path_factory.mktemp("shot") / "shot.html"
    numbers = report.write_shot(
        path, solved.rig, solved.shot, solved.solution, truth=solved.truth, methods=METHODS, fps=25.0, name="take_7"
    )
    text = path.read_text(encoding="utf-8")
    collector = Collector()
    collector.feed(text)
    return SimpleNamespace(path=path, numbers=numbers, html=text, text=collector.text, addresses=collector.addresses)


def test_distances_are_those_of_the_vertices(solved):
    shot = solved_shot(solved.rig, solved.shot, solved.solution, truth=solved.truth)
    off = 10 * np.linalg.norm(solved.rig.evaluate(solved.solution.weights) - solved.shot, axis=2)
    np.testing.assert_allclose(shot.rmse, np.sqrt((off**2).mean(axis=1)), rtol=1e-4)
    np.testing.assert_allclose(shot.rmse, 10 * solved.solution.rmse, rtol=1e-4)
    np.testing.assert_allclose(shot.largest, off.max(axis=1), rtol=1e-4)
    np.testing.assert_allclose(shot.p95, np.percentile(off, 95, axis=1), rtol=1e-4)
    np.testing.assert_allclose(shot.mean, off.mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(shot.distances(3), off[3], rtol=1e-4)
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


def test_methods_race_on_the_problem_that_was_solved(solved):
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
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=1e-4)
    solver = Solver(rig, vertices=shot.vertices, vertex_weights=solution.vertex_weights)
    found = compare(solver, shot.targets, ["descent", "cet"], 0.1, 10.0, lambda progress: None, solution)
    own = solution.objective[found.frames]
    np.testing.assert_allclose(found.rivals[0].race[-1].objective, own, rtol=1e-6)
    assert (found.rivals[1].race[-1].objective >= own * (1 - 1e-9)).all()
    with pytest.raises(ValueError, match="report: vertices is 66 vertices other than the 66 that were solved for"):
        solved_shot(rig, solved.shot, solution, vertices=some + 1)


def test_a_page_of_a_bounded_solve_shows_its_own_figures(solved, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    solution = inverse.solve(solved.rig, solved.shot, alpha=0.1, bounds=(0.0, 0.3))
    solution.save(tmp_path / "w.npz")
    loaded = inverse.Solution.load(tmp_path / "w.npz")
    numbers = report.write_shot(tmp_path / "b.html", solved.rig, solved.shot, loaded, methods=["descent"])
    frames = compared_frames(24)
    assert numbers["methods"]["descent"]["rmse_mm"] == pytest.approx(10 * solution.rmse[frames].mean(), rel=1e-5)


def test_head_motion_is_taken_out_before_measuring(solved):
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    moved = solved.shot @ turn.T + [1.0, 2.0, 3.0]
    solution = inverse.solve(solved.rig, moved, alpha=0.1, rigid=np.arange(0, SIDE * SIDE, 7))
    shot = solved_shot(solved.rig, moved, solution)
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=1e-3)


def test_methods_run_on_the_same_frames(solved):
    comparison = compare(Solver(solved.rig), solved.shot, METHODS, 0.1, 10.0, lambda progress: None)
    frames = compared_frames(24)
    assert comparison.frames == frames.tolist() == [0, 12, 23]
    ours, mm, cet = comparison.rivals
    best = inverse.solve(solved.rig, solved.shot[frames], alpha=0.1)
    np.testing.assert_allclose(ours.race[-1].objective, best.objective, rtol=1e-9)
    assert ours.excess(comparison.best, comparison.floor)[-1] < 1e-6
    assert ours.reached(comparison.best, comparison.floor) > 0
    assert (np.diff(mm.excess(comparison.best, comparison.floor)) < 1e-9).all(), "more iterations, lower objective"
    assert cet.excess(comparison.best, comparison.floor)[-1] > 1e-6
    assert np.isnan(cet.reached(comparison.best, comparison.floor))
    sparse = [run.cardinality for _, run in ours.curve]
    assert sparse[-1] < sparse[0]
    assert [alpha for alpha, _ in ours.curve] == [0.0, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0]


def test_alphas_are_areas_whatever_the_unit(solved):
    scaled = rw.BlendshapeRig(
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
        assert own.rmse == pytest.approx(other.rmse, rel=1e-3)
        assert own.total == pytest.approx(other.total, rel=1e-3)


def test_what_a_method_makes_once_is_in_no_time(solved):
    """Masks by geodesic distances, bounds of the corrections: neither is a frame's."""
    solver, made = Solver(solved.rig), []

    def solve(targets, method, alpha, **options):
        made.append((len(targets), set(solver.gram.prepared)))
        return Solver.solve(solver, targets, method, alpha, **options)

    bench = SimpleNamespace(solve=solve, gram=solver.gram)
    compare(bench, solved.shot, ["cet_loc"], 0.1, 10.0, lambda progress: None)
    assert made[0] == (1, set())
    assert all(before for _, before in made[1:])


def test_the_first_equal_run_counts():
    runs = [Run(s, np.array([o]), 0.0, 0.0, 0.0) for s, o in ((0.1, 3.0), (0.2, 2.0 + 1e-6), (0.5, 2.0))]
    rival = Rival("mm", "#000000", runs, [])
    assert rival.reached(np.array([2.0]), 0.0) == 0.2
    np.testing.assert_allclose(rival.excess(np.array([2.0]), 0.0), [0.5, 5e-7, 0.0])


def test_frames_are_apart():
    assert compared_frames(1).tolist() == [0]
    assert compared_frames(10).tolist() == [0]
    assert (np.diff(compared_frames(300)) >= 10).all()


def test_every_part_is_there(page, solved):
    for part in ("overview", "errors", "frames", "weights", "alpha", "methods", "provenance"):
        assert f'<section id="{part}">' in page.html
    text = " ".join(page.text)
    for words in (
        "Take 7",
        "Best frame",
        "Median frame",
        "Worst frame",
        "target",
        "solved",
        "difference",
        "25 per second",
    ):
        assert words in text
    assert figure(page.numbers["rmse_mm"]) in text
    assert figure(page.numbers["weight_error"]) in text
    for method in METHODS:
        assert f"</i>{method}</td>" in page.html


def test_constructed_shapes_and_warnings_are_named(page, solved):
    text = " ".join(page.text)
    assert "3 shapes of this rig are constructed, not sculpted" in text
    for name in solved.rig.constructed:
        assert name in text
    assert any("nothing" in warning for warning in solved.solution.warnings)
    for warning in solved.solution.warnings:
        assert warning[1:] in text
    assert page.numbers["constructed"] == list(solved.rig.constructed)


def test_alpha_has_one_unit_on_the_page(solved, tmp_path):
    """A rig in meters: the solve's alpha, the chart's labels and the captions are square centimeters."""
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    count, about = solved.rig.num_shapes, {"name": "meters"}
    meters = rw.BlendshapeRig(
        0.01 * solved.rig.rest_vertices, 0.01 * solved.rig.columns()[:count], faces=solved.rig.faces, metadata=about
    )
    shot = 0.01 * solved.shot
    solution = inverse.solve(meters, shot, alpha=1e-5, smoothness=2e-4)
    report.write_shot(tmp_path / "m.html", meters, shot, solution, methods=["descent"])
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "α = 0.1 cm²" in text
    assert "0.1 cm², 2 cm²" in text
    assert re.search(r"from 0 to 100 cm²\.", text)
    assert "1e-05" not in text


@pytest.fixture(scope="module")
def turning(tmp_path_factory):
    """The page of a noisy shot whose head turns, as the command shows it by default."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    rig, truth, turns = moving_face(faces=FACES), face_curves(60), head_turns(60)
    shot = rig.evaluate(truth.astype(np.float32)) + np.random.default_rng(0).normal(0, 0.05, (60, 468, 3))
    solution = inverse.solve(rig, moved(shot, turns), alpha=0.01, rigid="auto")
    path = tmp_path_factory.mktemp("turning") / "turning.html"
    numbers = report.write_shot(path, rig, moved(shot, turns), solution, truth=truth)
    error = np.abs(solution.weights - truth)
    return SimpleNamespace(html=path.read_text(encoding="utf-8"), numbers=numbers, error=error, names=rig.shape_names)


def test_a_page_for_an_animator_has_the_heads_motion_and_no_race(turning):
    assert '<section id="head">' in turning.html
    assert 'id="methods"' not in turning.html
    assert 'id="alpha"' not in turning.html
    assert "largest turn of the head" in turning.html


def test_the_weight_that_is_farthest_off_is_named(turning):
    frame, shape = np.unravel_index(turning.error.argmax(), turning.error.shape)
    assert turning.numbers["worst_weight"] == (turning.names[shape], frame, turning.error.max())
    assert f"{turning.names[shape]} in frame {frame}" in turning.html


def test_a_residual_of_noise_is_called_noise(turning):
    assert turning.numbers["noise_mm"] == pytest.approx(0.5, rel=0.03)
    assert "looks like noise of the shot" in turning.html


def test_a_residual_that_the_rig_has_no_shape_for_is_not(solved):
    shot = solved.shot.copy()
    shot[:, 30] += [0.0, 0.0, 3.0]
    assert "more than noise" in residual(solved_shot(solved.rig, shot, inverse.solve(solved.rig, shot, alpha=0.1)))


def test_nothing_is_said_of_a_residual_of_less_than_a_micrometer(solved):
    exact = solved.rig.evaluate(solved.truth.astype(np.float32))
    noise = np.random.default_rng(0).normal(0, 2e-5, exact.shape).astype(np.float32)  # of a centimeter
    shot = solved_shot(solved.rig, exact + noise, inverse.solve(solved.rig, exact + noise, alpha=3e-3))
    assert 0.0 < 1.1 * shot.noise_rmse < shot.rmse.mean() < 0.001
    assert residual(shot) == ""


def test_weights_that_all_rest_are_noted(solved):
    shot = np.repeat(solved.rig.rest_vertices[None], 3, axis=0)
    resting = solved_shot(solved.rig, shot, inverse.solve(solved.rig, shot, alpha=0.1))
    assert "Every weight rests in every frame." in notes(resting)


def test_a_scaled_head_is_taken_out_before_measuring(solved):
    larger = 1.25 * solved.shot
    solution = inverse.solve(solved.rig, larger, alpha=0.1, rigid="auto", rigid_scale=True)
    shot = solved_shot(solved.rig, larger, solution)
    np.testing.assert_allclose(shot.rmse, 10 * solution.rmse, rtol=1e-3)


def test_nothing_is_loaded_from_elsewhere(page):
    assert [address for address in page.addresses if not address.startswith(("data:", "#"))] == []
    assert not re.search(r"url\((?!#)", page.html)
    ids = re.findall(r'\sid="([^"]+)"', page.html)
    assert len(ids) == len(set(ids))


def test_markers_and_no_methods_make_a_page(solved, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    markers = np.arange(0, SIDE * SIDE, 5)
    solution = inverse.solve(solved.rig, solved.shot[:1], alpha=0.1, vertices=markers)
    shot = solved.shot[:1, markers]
    numbers = report.write_shot(tmp_path / "a.html", solved.rig, shot, solution, vertices=markers, methods=[])
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "40 markers" in text
    assert "no target" in text
    assert "methods" not in numbers
    assert 'id="methods"' not in text


def test_an_exact_solution_makes_a_page(solved, tmp_path, recwarn):
    """Nothing to draw on logarithmic scales, nothing to divide by."""
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    shot = np.repeat(solved.rig.rest_vertices[None], 3, axis=0)
    report.write_shot(tmp_path / "a.html", solved.rig, shot, inverse.solve(solved.rig, shot), methods=["descent", "mm"])
    assert not [str(w.message) for w in recwarn if issubclass(w.category, RuntimeWarning | UserWarning)]


def test_wrong_input_is_named(solved, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    with pytest.raises(ValueError, match="report: targets is of shape"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot[:, :9], solved.solution)
    with pytest.raises(ValueError, match="report: weights is of shape"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot[:3], solved.solution)
    with pytest.raises(ValueError, match="report: methods is 'magic'"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot, solved.solution, methods=["magic"])
    assert not (tmp_path / "a.html").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_browser_shows_it_without_a_complaint(page, tmp_path):
    probe = """<script>addEventListener('load', () => { const images = [...document.images];
      document.body.dataset.broken = images.filter(i => !i.complete || i.naturalWidth < 50).length;
      document.body.dataset.images = images.length;
      const charts = [...document.querySelectorAll('svg.chart')].filter(s => s.querySelectorAll('path').length > 8);
      document.body.dataset.charts = charts.filter(s => s.getBoundingClientRect().height > 50).length; });
      </script></body>"""
    copy = tmp_path / "probed.html"
    copy.write_text(page.html.replace("</body>", probe), encoding="utf-8")
    done = chromium("--enable-logging=stderr", "--v=0", "--dump-dom", copy.as_uri(), folder=tmp_path)
    assert b"CONSOLE" not in done.stderr, done.stderr.decode(errors="replace")
    seen = dict(re.findall(r'data-(broken|images|charts)="(\d+)"', done.stdout.decode()))
    assert seen == {"broken": "0", "images": str(page.html.count("<img ")), "charts": "4"}
