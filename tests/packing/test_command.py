"""``rigcast pack`` and its contact sheet."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rigcast as rc
from rigcast.report import write_contact_sheet
from tests.cli.command import broken_off, json_of, rigcast_command
from tests.support.characters.plain_face import plain_face
from tests.support.characters.second_face import write_obj


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pack")
    plain_face().save(place / "face.safetensors")
    return place


def test_the_command_writes_the_plan_of_the_function(folder):
    told = json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", "--at-most", "2", folder=folder)
    rig = plain_face()
    shapes = rig.rest_vertices + rig.columns()
    plan = rc.transfer.pack_expressions(rig.rest_vertices, shapes, rig.faces, names=rig.shape_names, limit=2)
    written = rc.transfer.ExpressionPlan.load(folder / "plan.json")
    assert written.as_dict() == plan.as_dict()
    assert told["expressions"] == [[rig.shape_names[k] for k in entry] for entry in plan.expressions]
    assert told["covered"] == [plan.covered(1), plan.covered(2)] == [5, 6]


def test_the_sheet_has_a_picture_and_the_names_of_every_expression(folder):
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    told = json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", "--sheet", "sheet.html", folder=folder)
    page = (folder / told["outputs"][1]).read_text(encoding="utf-8")
    assert len(re.findall(r'<img src="data:image/jpeg', page)) == len(told["expressions"]) + 1
    assert not re.findall(r'(?:src|href)="https?:', page)
    for name in plain_face().shape_names:
        assert re.search(rf"\b{name}\b", page)


def test_an_interrupted_sheet_goes_on_where_it_stopped(tmp_path):
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    rig = plain_face()
    plan = rc.transfer.pack_expressions(rig.rest_vertices, rig.rest_vertices + rig.columns(), rig.faces)
    write_contact_sheet(tmp_path / "whole.html", plan, rig)

    def stop(state):
        if state.stage == "drawing expressions" and state.done == 1:
            raise KeyboardInterrupt

    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        write_contact_sheet(tmp_path / "sheet.html", plan, rig, kept=kept, progress=stop)
    before = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(before) == 2
    write_contact_sheet(tmp_path / "sheet.html", plan, rig, kept=kept)
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())
    assert len(list(kept.iterdir())) == len(plan.expressions) + 1
    assert (tmp_path / "sheet.html").read_bytes() == (tmp_path / "whole.html").read_bytes()


def test_a_sheet_of_another_rig_is_refused(tmp_path):
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    rig = plain_face()
    plan = rc.transfer.pack_expressions(rig.rest_vertices, rig.rest_vertices + rig.columns(), rig.faces)
    other = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[:2], faces=rig.faces)
    with pytest.raises(ValueError, match=r"write_contact_sheet: plan is of 6 x 117; it must be a plan of 2 shapes"):
        write_contact_sheet(tmp_path / "sheet.html", plan, other)


def test_refused_shapes_and_painted_areas_reach_the_plan(folder):
    rig = plain_face()
    moved = [np.flatnonzero(np.abs(column).sum(axis=1) > 0.3).tolist() for column in rig.columns()]
    (folder / "areas.json").write_text(json.dumps([[moved[4], moved[5]]]))
    first = json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", folder=folder)["expressions"][0]
    arguments = ["--reject", ",".join(first), "--areas", "areas.json", "--no-symmetry", "--minimize"]
    told = json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", *arguments, folder=folder)
    assert not any(set(first) <= set(entry) for entry in told["expressions"])
    assert told["mirrored_vertices"] is None
    assert told["proven_minimal"]


def test_refused_numbers_and_shapes_left_out_reach_the_plan(folder):
    first = json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", folder=folder)["expressions"][0]
    told = json_of(
        "pack", "--overwrite", "face.safetensors", "-o", "plan.json", "--reject", f"1:{first[0]}", folder=folder
    )
    assert first[0] not in told["expressions"][0]
    assert any(first[0] in entry for entry in told["expressions"][1:])
    told = json_of(
        "pack", "--overwrite", "face.safetensors", "-o", "plan.json", "--without", ",".join(first[:2]), folder=folder
    )
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
        (["face.safetensors", "-o", "p.json", "--sheet", "sheet.pdf"], "must end in .html or .htm"),
        (["face.safetensors", "-o", "p.json", "--threshold", "2"], "threshold is 2.0"),
        (["face.safetensors", "-o", "p.json", "--overlap", "0.1"], "overlap is 0.1"),
        (["face.safetensors", "-o", "p.json", "--areas", "face.safetensors"], "face.safetensors"),
        (["face.safetensors", "-o", "p.json", "--target", "short.npy"], "short.npy: 5 vertices where the rig has 117"),
        (["face.safetensors", "-o", "p.json", "--target", "nan.npy"], "nan.npy: not finite at vertex 2 (nan)"),
        (["face.safetensors"], "-o"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(folder, arguments, words):
    np.save(folder / "short.npy", np.zeros((5, 3)))
    broken = plain_face().rest_vertices.copy()
    broken[2, 1] = np.nan
    np.save(folder / "nan.npy", broken)
    done = rigcast_command("pack", *arguments, folder=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (folder / "p.json").exists()


def test_a_neutral_of_any_kind_is_a_target(folder, tolerance):
    """The character to scan for has no shapes yet; alpha counts with it, and is said to do nothing without."""
    rig = plain_face()
    x, y, z = rig.rest_vertices.T
    other = np.stack([x * (1 + 0.3 * (y > 5)), y, z], axis=1)
    np.save(folder / "other.npy", other)
    write_obj(folder / "other.obj", other, rig.faces)
    about = {"meters_per_unit": 1.0, "up_axis": "Y"}
    meters = rc.BlendshapeRig(0.01 * other, rig.columns(), faces=rig.faces, metadata=about)
    meters.save(folder / "other.safetensors")
    centimeters = rig.metadata | {"meters_per_unit": 0.01, "up_axis": "Y"}
    rc.BlendshapeRig(
        rig.rest_vertices, rig.columns(), names=rig.shape_names, faces=rig.faces, metadata=centimeters
    ).save(folder / "metric.safetensors")
    expected = rc.transfer.pack_expressions(
        rig.rest_vertices,
        rig.rest_vertices + rig.columns(),
        rig.faces,
        target_neutral=other,
        alpha=0.0,
        names=rig.shape_names,
    )
    for target in ("other.npy", "other.obj", "other.safetensors"):
        arguments = ["--target", target, "--displacement", "0"]
        told = json_of("pack", "--overwrite", "metric.safetensors", "-o", "aimed.json", *arguments, folder=folder)
        assert told["notes"] == []
        plan = rc.transfer.ExpressionPlan.load(folder / "aimed.json")
        np.testing.assert_allclose(plan.importance, expected.importance, atol=tolerance["float32_character"])
        assert plan.expressions == expected.expressions
    plain = json_of("pack", "--overwrite", "face.safetensors", "-o", "plain.json", "--displacement", "0", folder=folder)
    assert plain["notes"] == ["--displacement weighs distortion, which is known of a --target only: it changes nothing"]
    np.save(folder / "small.npy", 0.01 * other)
    told = json_of(
        "pack", "--overwrite", "metric.safetensors", "-o", "aimed.json", "--target", "small.npy", folder=folder
    )
    assert "0.01" in told["notes"][0]
    assert "is its unit another one?" in told["notes"][0]


def test_ctrl_c_ends_a_search_and_promises_nothing(tmp_path):
    """A search of millions of nodes tells where it is, and ends there."""
    rng = np.random.default_rng(0)
    offsets = rng.random((300, 400, 1)) * (rng.random((300, 400, 1)) < 0.02) * np.ones(3)
    offsets[np.arange(300), rng.integers(0, 400, 300)] = 1.0
    faces = np.arange(399)[:, None] * [1, 1, 1] + [0, 1, 0]
    rc.BlendshapeRig(rng.random((400, 3)), offsets, faces=faces).save(tmp_path / "many.safetensors")
    arguments = ["pack", "many.safetensors", "-o", "plan.json", "--no-symmetry"]
    stopped = broken_off(*arguments, folder=tmp_path, when="'choices tried' in progress.message")
    assert (stopped.returncode, stopped.stderr) == (130, "rigcast pack: interrupted\n")
    assert not (tmp_path / "plan.json").exists()
