"""The page of a solved shot: its words, its pictures, and that a browser shows it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast import inverse, report
from rigcast._pages.words import figure
from rigcast.report._shot.rivals import compared_frames
from tests.cli.sheet import SIDE
from tests.report.test_page import CHROMIUM, Collector, probed
from tests.support.characters.moving_head import FACES, face_curves, head_turns, moved, moving_face

pytestmark = pytest.mark.usefixtures("timed_once")
METHODS = ["descent", "mm", "cet"]


@pytest.fixture(scope="module")
def page(solved, timed_once, tmp_path_factory):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = tmp_path_factory.mktemp("shot") / "shot.html"
    numbers = report.write_shot(
        path,
        solved.rig,
        solved.shot,
        solution=solved.solution,
        truth=solved.truth,
        methods=METHODS,
        fps=25.0,
        name="take_7",
    )
    text = path.read_text(encoding="utf-8")
    collector = Collector()
    collector.feed(text)
    return SimpleNamespace(path=path, numbers=numbers, html=text, text=collector.text, addresses=collector.addresses)


def test_a_page_of_a_bounded_solve_shows_its_own_figures(solved, tmp_path, tolerance):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    solution = inverse.solve(solved.rig, solved.shot, alpha=0.1, bounds=(0.0, 0.3))
    solution.save(tmp_path / "w.npz")
    loaded = inverse.Solution.load(tmp_path / "w.npz")
    numbers = report.write_shot(tmp_path / "b.html", solved.rig, solved.shot, solution=loaded, methods=["descent"])
    frames = compared_frames(24)
    assert numbers["methods"]["descent"]["rmse_mm"] == pytest.approx(
        10 * solution.rmse[frames].mean(), rel=tolerance["float32_scaled"]
    )


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
    assert "3 shapes and combinations of this rig are constructed, not sculpted" in text
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
    meters = rc.BlendshapeRig(
        0.01 * solved.rig.rest_vertices, 0.01 * solved.rig.columns()[:count], faces=solved.rig.faces, metadata=about
    )
    shot = 0.01 * solved.shot
    solution = inverse.solve(meters, shot, alpha=1e-5, smoothness=2e-4)
    report.write_shot(tmp_path / "m.html", meters, shot, solution=solution, methods=["descent"])
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "α = 0.1 cm²" in text
    assert "0.1 cm², 2 cm²" in text
    assert re.search(r"from 0 to 100 cm²\.", text)
    assert "1e-05" not in text


@pytest.fixture(scope="module")
def turning(timed_once, tmp_path_factory):
    """The page of a noisy shot whose head turns, as the command shows it by default."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    rig, truth, turns = moving_face(faces=FACES), face_curves(60), head_turns(60)
    shot = rig.evaluate(truth.astype(np.float32)) + np.random.default_rng(0).normal(0, 0.05, (60, 468, 3))
    solution = inverse.solve(rig, moved(shot, turns), alpha=0.01, rigid="auto")
    path = tmp_path_factory.mktemp("turning") / "turning.html"
    numbers = report.write_shot(path, rig, moved(shot, turns), solution=solution, truth=truth)
    error = np.abs(solution.weights - truth)
    return SimpleNamespace(html=path.read_text(encoding="utf-8"), numbers=numbers, error=error, names=rig.shape_names)


def test_a_page_for_an_animator_has_the_heads_motion_and_no_race(turning):
    assert '<section id="head">' in turning.html
    assert 'id="methods"' not in turning.html
    assert 'id="alpha"' not in turning.html
    assert "largest turn of the head" in turning.html


def test_the_heads_chart_is_one_of_turns_beside_one_of_ways(turning):
    assert re.findall(r'id="head-motion-(axes_\d+)"', turning.html) == ["axes_1", "axes_2"]


def test_the_weight_that_is_farthest_off_is_named(turning):
    frame, shape = np.unravel_index(turning.error.argmax(), turning.error.shape)
    assert turning.numbers["worst_weight"] == (turning.names[shape], frame, turning.error.max())
    assert f"{turning.names[shape]} in frame {frame}" in turning.html


def test_a_residual_of_noise_is_called_noise(turning):
    # An estimate.
    assert turning.numbers["noise_mm"] == pytest.approx(0.5, rel=0.03)
    assert "looks like noise of the shot" in turning.html


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
    numbers = report.write_shot(tmp_path / "a.html", solved.rig, shot, solution=solution, vertices=markers, methods=[])
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "40 markers" in text
    assert "no target" in text
    assert "methods" not in numbers
    assert 'id="methods"' not in text


def test_an_exact_solution_makes_a_page(solved, tmp_path):
    """Nothing to draw on logarithmic scales, nothing to divide by."""
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    shot = np.repeat(solved.rig.rest_vertices[None], 3, axis=0)
    report.write_shot(
        tmp_path / "a.html", solved.rig, shot, solution=inverse.solve(solved.rig, shot), methods=["descent", "mm"]
    )


def test_wrong_input_is_named(solved, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    with pytest.raises(ValueError, match="report: targets is of shape"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot[:, :9], solution=solved.solution)
    with pytest.raises(ValueError, match="report: weights is of shape"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot[:3], solution=solved.solution)
    with pytest.raises(ValueError, match="report: methods is 'magic'"):
        report.write_shot(tmp_path / "a.html", solved.rig, solved.shot, solution=solved.solution, methods=["magic"])
    assert not (tmp_path / "a.html").exists()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_a_browser_shows_it_without_a_complaint(page, tmp_path):
    seen = probed(page.html, tmp_path)
    assert seen == {"broken": "0", "images": str(page.html.count("<img ")), "charts": "4"}
