"""``rigwright pack`` and its contact sheet."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rigwright as rw
from rigwright.report import contact_sheet
from tests.cli.command import json_of, rigwright_command
from tests.support.plain_face import plain_face


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pack")
    plain_face().save(place / "face.safetensors")
    return place


def test_the_command_writes_the_plan_of_the_function(folder):
    told = json_of("pack", "face.safetensors", "-o", "plan.json", "--limit", "2", folder=folder)
    rig = plain_face()
    shapes = rig.rest_vertices + rig.columns()
    plan = rw.transfer.pack_expressions(rig.rest_vertices, shapes, rig.faces, names=rig.shape_names, limit=2)
    written = rw.transfer.Plan.load(folder / "plan.json")
    assert written.as_dict() == plan.as_dict()
    assert told["expressions"] == [[rig.shape_names[k] for k in entry] for entry in plan.expressions]
    assert told["covered"] == [plan.covered(1), plan.covered(2)] == [5, 6]


def test_the_sheet_has_a_picture_and_the_names_of_every_expression(folder):
    pytest.importorskip("pyvista")
    pytest.importorskip("jinja2")
    told = json_of("pack", "face.safetensors", "-o", "plan.json", "--sheet", "sheet.html", folder=folder)
    page = (folder / told["sheet"]).read_text(encoding="utf-8")
    assert len(re.findall(r'<img src="data:image/jpeg', page)) == len(told["expressions"]) + 1
    assert not re.findall(r'(?:src|href)="https?:', page)
    for name in plain_face().shape_names:
        assert re.search(rf"\b{name}\b", page)


def test_an_interrupted_sheet_goes_on_where_it_stopped(tmp_path):
    pytest.importorskip("pyvista")
    pytest.importorskip("jinja2")
    rig = plain_face()
    plan = rw.transfer.pack_expressions(rig.rest_vertices, rig.rest_vertices + rig.columns(), rig.faces)
    contact_sheet(tmp_path / "whole.html", plan, rig)

    def stop(state):
        if state.stage == "drawing expressions" and state.done == 1:
            raise KeyboardInterrupt

    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        contact_sheet(tmp_path / "sheet.html", plan, rig, kept=kept, progress=stop)
    before = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(before) == 2
    contact_sheet(tmp_path / "sheet.html", plan, rig, kept=kept)
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())
    assert len(list(kept.iterdir())) == len(plan.expressions) + 1
    assert (tmp_path / "sheet.html").read_bytes() == (tmp_path / "whole.html").read_bytes()


def test_a_sheet_of_another_rig_is_refused(tmp_path):
    pytest.importorskip("pyvista")
    pytest.importorskip("jinja2")
    rig = plain_face()
    plan = rw.transfer.pack_expressions(rig.rest_vertices, rig.rest_vertices + rig.columns(), rig.faces)
    other = rw.BlendshapeRig(rig.rest_vertices, rig.columns()[:2], faces=rig.faces)
    with pytest.raises(ValueError, match=r"contact_sheet: plan is of 6 x 117; it must be a plan of 2 shapes"):
        contact_sheet(tmp_path / "sheet.html", plan, other)


def test_refused_shapes_and_painted_areas_reach_the_plan(folder):
    rig = plain_face()
    moved = [np.flatnonzero(np.abs(column).sum(axis=1) > 0.3).tolist() for column in rig.columns()]
    (folder / "areas.json").write_text(json.dumps([[moved[4], moved[5]]]))
    first = json_of("pack", "face.safetensors", "-o", "plan.json", folder=folder)["expressions"][0]
    arguments = ["--reject", ",".join(first), "--areas", "areas.json", "--no-symmetry", "--minimise"]
    told = json_of("pack", "face.safetensors", "-o", "plan.json", *arguments, folder=folder)
    assert not any(set(first) <= set(entry) for entry in told["expressions"])
    assert told["mirrored_vertices"] is None
    assert told["proven_minimal"]


def test_refused_numbers_and_shapes_left_out_reach_the_plan(folder):
    first = json_of("pack", "face.safetensors", "-o", "plan.json", folder=folder)["expressions"][0]
    told = json_of("pack", "face.safetensors", "-o", "plan.json", "--reject", f"1:{first[0]}", folder=folder)
    assert first[0] not in told["expressions"][0]
    assert any(first[0] in entry for entry in told["expressions"][1:])
    told = json_of("pack", "face.safetensors", "-o", "plan.json", "--without", ",".join(first[:2]), folder=folder)
    assert not any(set(first[:2]) & set(entry) for entry in told["expressions"])
    assert set(told["uncovered"]) == set(first[:2])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.safetensors", "-o", "p.json"], "does not exist"),
        (["face.safetensors", "-o", "p.json", "--reject", "chin"], "no shape 'chin'"),
        (["face.safetensors", "-o", "p.json", "--reject", "brow_up"], "leaves brow_up without any expression"),
        (["face.safetensors", "-o", "p.json", "--reject", "0:brow_up"], "count from 1"),
        (["face.safetensors", "-o", "p.json", "--without", "chin"], "no shape 'chin'"),
        (["face.safetensors", "-o", "p.json", "--sheet", "sheet.pdf"], "must end in .html"),
        (["face.safetensors", "-o", "p.json", "--threshold", "2"], "threshold is 2.0"),
        (["face.safetensors", "-o", "p.json", "--overlap", "0.1"], "overlap is 0.1"),
        (["face.safetensors", "-o", "p.json", "--areas", "face.safetensors"], "face.safetensors"),
        (["face.safetensors"], "-o"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(folder, arguments, words):
    done = rigwright_command("pack", *arguments, folder=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (folder / "p.json").exists()
