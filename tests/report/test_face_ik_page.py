"""The report of learned inverse kinematics: constructed configurations, judged on the rig."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.report._face_ik.configurations import COUNT, constructed
from rigcast.report._face_ik.measure import measure
from tests.cli.command import json_of

pytest.importorskip("torch", reason="PyTorch is not installed")

FACE = rc.faces.example()
POINTS = np.arange(0, len(FACE.rest_vertices), 35)
MILLIMETERS = 1000.0 * FACE.meters_per_unit


def moving_less(share):
    """A model of the face that moves less far than the face itself."""
    columns = share * FACE.columns()[: FACE.num_shapes]
    about = {"meters_per_unit": FACE.meters_per_unit, "up_axis": FACE.up_axis}
    return rc.BlendshapeRig(FACE.rest_vertices, columns, faces=FACE.faces, names=FACE.shape_names, metadata=about)


@pytest.fixture(scope="module")
def learned():
    settings = rc.training.FaceIkSettings(hidden=32, rows=1000, batch=64, bins=1, noise=1e-3)
    model = moving_less(0.6)
    ik = rc.training.face_ik(model, POINTS, steps=40, threads=1, settings=settings)
    return SimpleNamespace(ik=ik, model=model, found=measure(ik, model, FACE))


def test_configurations_are_expressions_with_some_points_pulled_away(learned):
    solver = rc.ik.Solver(learned.model, POINTS)
    for configuration in constructed(learned.model, learned.ik):
        left = solver.solve(configuration.goals[None], max_iterations=60).error[0] * MILLIMETERS
        others = np.delete(np.arange(len(POINTS)), configuration.pulled)
        assert 1 <= len(configuration.pulled) <= 4
        assert left[configuration.pulled].mean() > left[others].mean()


def test_configurations_depend_on_the_seed_alone(learned):
    first, again, other = (constructed(learned.model, learned.ik, seed) for seed in (3, 3, 4))
    assert len(first) == COUNT
    assert all(np.array_equal(a.goals, b.goals) for a, b in zip(first, again, strict=True))
    assert not any(np.array_equal(a.goals, b.goals) for a, b in zip(first, other, strict=True))


def test_answers_are_judged_on_the_rig_and_not_on_the_model(learned):
    found = learned.found
    goals = np.stack([configuration.goals for configuration in found.configurations])
    answers = learned.ik.solve(goals)
    of_rig = FACE.evaluate(answers.poses)
    expected = np.linalg.norm(of_rig[:, POINTS].astype(float) - goals, axis=2) * MILLIMETERS
    assert found.answers[0].on_rig == pytest.approx(expected)
    assert found.answers[0].on_rig.mean() > 1.02 * found.answers[0].on_model.mean()
    off = np.linalg.norm(of_rig.astype(float) - learned.model.evaluate(answers.poses), axis=2) * MILLIMETERS
    assert found.apart == pytest.approx(off)
    assert found.normals.shape == (COUNT,)


def test_a_rig_with_channels_in_another_order_gives_the_same(learned):
    order = np.arange(FACE.num_shapes)[::-1]
    names = [FACE.shape_names[k] for k in order]
    rig = SimpleNamespace(channel_names=names, sample=lambda rows: (None, FACE.evaluate(rows[:, order])))
    assert measure(learned.ik, learned.model, rig).answers[0].on_rig == pytest.approx(learned.found.answers[0].on_rig)


def test_without_a_rig_the_model_is_judged(learned):
    found = measure(learned.ik, learned.model, None)
    assert found.apart is None
    assert np.array_equal(found.answers[0].judged, found.answers[0].on_model)


def test_a_model_of_other_parameters_is_named(learned):
    other = rc.BlendshapeRig(FACE.rest_vertices, FACE.columns()[:3], faces=FACE.faces)
    with pytest.raises(ValueError, match="report: model is of other parameters"):
        measure(learned.ik, other, None)


def test_a_rig_of_other_channels_is_named(learned):
    rig = SimpleNamespace(channel_names=["jaw"], sample=None)
    with pytest.raises(ValueError, match="report: rig is of other channels"):
        measure(learned.ik, learned.model, rig)


def test_the_command_writes_a_page_with_all_configurations(learned, tmp_path):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    learned.ik.save(tmp_path / "ik.safetensors")
    learned.model.save(tmp_path / "model.safetensors")
    FACE.save(tmp_path / "rig.safetensors")
    page = tmp_path / "page.html"
    files = [str(tmp_path / f"{name}.safetensors") for name in ("ik", "model", "rig")]
    numbers = json_of("report", *files[:2], "--rig", files[2], "-o", page, folder=tmp_path)
    html = page.read_text(encoding="utf-8")
    assert "25 configurations, constructed" in html
    assert html.count('src="data:image/') == 2, "three answers, and below all of them"
    assert html.count("<td title=") == COUNT
    assert numbers["points_mm"]["networks alone"]["on_the_rig"] == pytest.approx(learned.found.answers[0].on_rig.mean())
