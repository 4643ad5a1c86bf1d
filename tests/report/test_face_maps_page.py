"""The section of a report on a face on deformation maps."""

from __future__ import annotations

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.report._body.heldout import held_out
from rigcast.report._body.measure import in_millimeters
from rigcast.report._face_maps.measure import measure_maps, was_mended
from tests.support.characters.mapped_face import clip_data, random_data
from tests.support.made.mapped_models import mapped_model


@pytest.fixture(scope="module")
def face(tmp_path_factory):
    folder = tmp_path_factory.mktemp("face")
    training = clip_data(folder / "training.rwdata", frames=20, count=3)
    model = mapped_model(training)
    model.save(folder / "head.safetensors")
    data = random_data(folder / "held_out.rwdata", 12)
    truth = held_out(data, "random poses")
    off = in_millimeters(model, model.evaluate(truth.poses)) - in_millimeters(model, truth.vertices)
    mapped = measure_maps(model, truth, np.linalg.norm(off, axis=2).astype(np.float32))
    return SimpleNamespace(folder=folder, training=training, data=data, model=model, truth=truth, mapped=mapped)


@pytest.fixture(scope="module")
def written(face):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = face.folder / "report.html"
    numbers = rc.report.write_body(path, [face.folder / "head.safetensors"], face.data, training=face.training)
    html = path.read_text(encoding="utf-8")
    return SimpleNamespace(numbers=numbers, html=html, section=html.split('id="maps"')[1].split("</section>")[0])


def errors(face, vertices):
    return 1e3 * np.linalg.norm(vertices - face.truth.vertices, axis=2).mean()


def test_the_coarse_step_is_the_model_without_detail(face, tolerance):
    step = face.mapped.steps[0]
    expected = errors(face, face.model.evaluate_detail(face.truth.poses, [0.0]))
    assert (step.name, step.mean) == ("coarse", pytest.approx(expected, rel=tolerance["float32_sum"]))


def test_the_refined_step_is_the_whole_model(face, tolerance):
    step = face.mapped.steps[1]
    expected = errors(face, face.model.evaluate(face.truth.poses))
    assert (step.name, step.mean) == ("refined", pytest.approx(expected, rel=tolerance["float32_sum"]))


def test_the_last_step_has_16_bit_weights(face, tolerance):
    expected = errors(face, face.model.stored("16-bit").evaluate(face.truth.poses))
    assert face.mapped.steps[2].mean == pytest.approx(expected, rel=tolerance["float32_sum"])


def test_segments_have_errors_on_their_own_vertices(face, tolerance):
    row = face.mapped.segments[1]
    off = np.linalg.norm(face.model.evaluate(face.truth.poses) - face.truth.vertices, axis=2)
    expected = 1e3 * off[:, row.segment.vertices].mean()
    assert row.refined[0] == pytest.approx(expected, rel=tolerance["float32_sum"])


def test_no_coarse_segment_is_below_its_floor(face):
    rows = [row for row in face.mapped.segments if row.segment.level == 0]
    assert all(row.floor[0] < row.coarse[0] for row in rows)


def test_refinement_squares_have_no_floor(face):
    assert np.isnan(face.mapped.segments[-1].floor).all()


def test_rigid_parts_name_the_segments_that_they_follow(face):
    (part,) = face.mapped.parts
    assert (part.name, part.vertices, part.followers, part.fit) == ("tooth", 8, "10 of mouth", 0.0125)


def test_the_maps_shown_are_those_of_the_largest_motion(face):
    offsets = face.truth.vertices - face.model.rest_vertices
    assert face.mapped.row == face.truth.rows[np.square(offsets).sum(axis=(1, 2)).argmax()]


def test_a_model_without_refinement_has_two_steps(face):
    model = mapped_model(face.training, refined=False)
    off = np.ones(face.truth.vertices.shape[:2], np.float32)
    names = [step.name for step in measure_maps(model, face.truth, off).steps]
    assert names == ["coarse, there is no refinement", "16-bit weights"]


def test_the_page_shows_layouts_and_maps(written):
    assert written.section.count('<img class="chart" src="data:image/jpeg') == 3


@pytest.mark.parametrize("words", ["brow 1", "10 of mouth", "multiply-adds", "trained for", "Error by control"])
def test_the_page_says(written, words):
    assert words in written.section


def test_notes_of_the_training_are_folded(written):
    folded = r'<details class="notes"><summary>(\d+) notes? of the training</summary>(.*?)</details>'
    notes = re.findall(folded, written.section, re.DOTALL)
    assert [int(count) for count, _ in notes] == [text.count("<li>") for _, text in notes]
    assert len(notes) == 1


FLOOR = rc.training.Floors("brow", 32, (0.2, 0.5), (0.2, 0.5), 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("change", "mended"),
    [
        ({}, False),
        ({"after": (0.20001, 0.5)}, False),  # rounded away
        ({"after": (0.1, 0.5)}, True),
        ({"folded_before": 3}, True),
        ({"before": (np.nan, np.nan), "folded_before": 3}, False),
    ],
)
def test_texture_coordinates_that_were_good_are_no_row(change, mended):
    assert was_mended(dataclasses.replace(FLOOR, **change)) == mended


def test_the_gate_stands_above_a_face(written):
    assert '<p class="verdict">Random poses: ' in written.html


def test_a_face_without_joints_is_driven_by_its_dials_alone(written):
    assert "177 vertices driven by 5 dials," in written.html


def test_numbers_of_the_section_are_returned(written):
    found = written.numbers["face_maps"]
    assert set(found) == {"quality", "segments", "rigid_parts", "controls"}


def test_other_kinds_have_no_such_section(face):
    path, model = face.folder / "linear.safetensors", rc.baselines.pca_regression(face.training, 4)
    model.save(path)
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    numbers = rc.report.write_body(face.folder / "linear.html", [path], face.data, at_most=2)
    assert "face_maps" not in numbers
