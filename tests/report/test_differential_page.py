"""The section of a report on a model in a differential subspace."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.report._body.heldout import held_out
from rigcast.report._body.measure import in_millimeters
from rigcast.report._body.section import section_of
from rigcast.report._differential.measure import (
    anchor_displacements,
    coefficients,
    measure_subspace,
    placed,
    true_displacements,
)
from tests.support.made.differential import random_differential
from tests.support.made.models import linear_blend
from tests.training.differential_training import learn
from tests.training.small_face import SmallFace


@pytest.fixture(scope="module")
def face(tmp_path_factory):
    folder = tmp_path_factory.mktemp("face")
    training = rc.sampling.sample(SmallFace(), folder / "training.rwdata", count=60, seed=0, probe=1)
    model = learn(training, components=8, steps=5)
    model.save(folder / "face.safetensors")
    data = rc.sampling.sample(SmallFace(), folder / "held_out.rwdata", count=12, seed=1, probe=0)
    truth = held_out(data, "random poses")
    off = in_millimeters(model, model.evaluate(truth.poses)) - in_millimeters(model, truth.vertices)
    found = measure_subspace(model, truth, np.linalg.norm(off, axis=2).astype(np.float32))
    return SimpleNamespace(folder=folder, training=training, data=data, model=model, truth=truth, found=found)


@pytest.fixture(scope="module")
def written(face):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = face.folder / "report.html"
    numbers = rc.report.write_body(path, [face.folder / "face.safetensors"], face.data)
    html = path.read_text(encoding="utf-8")
    return SimpleNamespace(numbers=numbers, section=html.split('id="subspace"')[1].split("</section>")[0])


def mean_error(face, vertices):
    return 1e3 * face.model.meters_per_unit * np.linalg.norm(vertices - face.truth.vertices, axis=2).mean()


def test_steps_are_the_whole_model_and_smaller_ones(face, tolerance):
    poses = face.truth.poses
    expected = [face.model, face.model.reduced(4), face.model.reduced(2), face.model.stored("16-bit")]
    means = [mean_error(face, model.evaluate(poses)) for model in expected]
    assert [step.mean for step in face.found.steps] == pytest.approx(means, rel=tolerance["float32_sum"])


@pytest.mark.parametrize("joints", [0, 3])
def test_networks_in_numpy_give_the_vertices_of_the_engine(joints, tolerance):
    model = random_differential(joints=joints)
    tensors, poses = model.tensors(), np.zeros((2, len(model.control_names)), np.float32)
    if joints:
        poses[:, : 12 * joints] = model.skeleton.rest.ravel()
    poses += np.random.default_rng(0).uniform(0, 0.1, poses.shape).astype(np.float32)
    solver = rc.differential.Reconstructor(
        model.faces, len(model.rest_vertices), tensors["anchors.vertex"], tensors["anchors.weight"]
    )
    moved = solver.folded(tensors["delta.basis"], tensors["delta.mean"]).solve(
        coefficients(tensors, poses), anchor_displacements(tensors, poses)
    )
    vertices = model.evaluate(poses)
    np.testing.assert_allclose(placed(model, tensors, poses, moved), vertices, atol=100 * tolerance["float32_sum"])
    back = true_displacements(model, tensors, poses, vertices)
    np.testing.assert_allclose(back, moved, atol=100 * tolerance["float32_sum"])


def test_the_sources_end_with_the_error_of_the_model(face):
    assert [source.name for source in face.found.sources][::3] == ["the components leave out", "all together"]
    # one in NumPy, one in the engine, both through float32 solves
    assert face.found.sources[-1].mean == pytest.approx(face.found.steps[0].mean, rel=1e-3)


def test_what_the_components_leave_out_is_less_than_the_error(face):
    assert face.found.sources[0].mean < 0.5 * face.found.sources[-1].mean


def test_the_gain_is_small_at_the_anchors(face):
    gain = face.found.gain
    assert gain[face.found.anchors].max() < gain.max()


def test_the_page_shows_facts_pictures_and_controls(written):
    for words in (
        "components",
        "linear transforms",
        "Steps of quality",
        "Where the error comes from",
        "Error by control",
    ):
        assert words in written.section
    assert written.section.count('src="data:image/') == 3


def test_the_numbers_have_the_section(written):
    assert set(written.numbers["differential"]) == {"quality", "sources", "controls", "largest_gain"}


def test_another_kind_has_no_section():
    subject = SimpleNamespace(model=linear_blend())
    assert section_of(SimpleNamespace(subject=subject)) is None
