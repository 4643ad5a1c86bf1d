"""Motion over a stage of another program: its rate, unit, axes, materials and subdivision stay, and points are ours."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._rigs.surface import surface_of
from rigcast.cli._dispatch import main
from rigcast.exports import Playback, write_character, write_on_stage
from tests.exports.usd.stages import errors_of, geometry, hose, joined, meshes_of, usd
from tests.support.made.skinning import bent

shade = pytest.importorskip("pxr.UsdShade", reason="usd-core is not installed")


def over(path, stage, model, poses, **options):
    about = {"meters_per_unit": model.meters_per_unit, "up_axis": model.up_axis, "surface": surface_of(model)}
    return write_on_stage(path, stage, Playback(model, poses), faces=model.faces, **(about | {"fps": 24.0} | options))


def foreign(
    path, model, *, unit=0.01, up="Z", rate=24.0, first=None, names=("left_half", "right"), place=None, world=False
):
    """The character as another program has it: a subdivided mesh per part below a group, with a material."""
    stage = usd.Stage.CreateNew(str(path))
    geometry.SetStageUpAxis(stage, up)
    geometry.SetStageMetersPerUnit(stage, unit)
    stage.SetTimeCodesPerSecond(rate)
    if first is not None:
        stage.SetStartTimeCode(first)
        stage.SetEndTimeCode(first + 5)
    root = geometry.Xform.Define(stage, "/set")
    stage.SetDefaultPrim(root.GetPrim())
    if place is not None:
        geometry.Xform.Define(stage, "/set/hero").AddTranslateOp().Set(place)
    gold = shade.Material.Define(stage, "/set/looks/gold")
    rest = model.rest_vertices * (model.meters_per_unit / unit) @ turn_between(model.up_axis, up).T
    surface = surface_of(model)
    for number, name in enumerate(names):
        own = np.flatnonzero(surface.vertex_parts == number)
        mesh = geometry.Mesh.Define(stage, f"/set/hero/{name}")
        points = rest[own] - (np.zeros(3) if not world else np.asarray(place))
        mesh.CreatePointsAttr([tuple(map(float, point)) for point in points])
        mesh.CreateFaceVertexCountsAttr([3])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
        mesh.CreateSubdivisionSchemeAttr("catmullClark")
        mesh.CreateNormalsAttr([(0, 0, 1)] * len(own))
        shade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(gold)
    stage.GetRootLayer().Save()


STAGES = {
    "as the model": ({}, 1.0, "Z"),
    "meters, y up": ({"unit": 1.0, "up": "Y"}, 0.01, "Y"),
    "another rate and start": ({"rate": 48.0, "first": 1001.0}, 1.0, "Z"),
}


@pytest.mark.parametrize("name", STAGES)
def test_time_samples_are_the_model_in_terms_of_the_stage(name, tmp_path):
    options, scale, up = STAGES[name]
    model = hose()
    poses, shot = bent(model), tmp_path / "shot.usdc"
    foreign(tmp_path / "stage.usda", model, **options)
    before = (tmp_path / "stage.usda").read_bytes()
    notes = over(shot, tmp_path / "stage.usda", model, poses)
    stage = usd.Stage.Open(str(shot))
    rate, first = options.get("rate", 24.0), options.get("first", 1.0)
    assert (stage.GetTimeCodesPerSecond(), geometry.GetStageUpAxis(stage)) == (rate, up)
    assert stage.GetStartTimeCode() == first
    assert geometry.GetStageMetersPerUnit(stage) == pytest.approx(0.01 / scale)
    truth = scale * model.evaluate(poses) @ turn_between("Z", up).T
    codes = [first + frame * rate / 24.0 for frame in range(len(poses))]
    assert meshes_of(stage, "/set")[0].GetPointsAttr().GetTimeSamples() == codes
    for frame, code in enumerate(codes):
        np.testing.assert_allclose(joined(stage, "/set", code), truth[frame], atol=1e-5 * scale)
    for mesh in meshes_of(stage, "/set"):
        assert mesh.GetSubdivisionSchemeAttr().Get() == "catmullClark"
        bound = shade.MaterialBindingAPI(mesh.GetPrim()).ComputeBoundMaterial()[0]
        assert str(bound.GetPath()) == "/set/looks/gold"
        assert not mesh.GetNormalsAttr().HasAuthoredValue()
        np.testing.assert_allclose(mesh.GetExtentAttr().Get(first)[1], np.max(mesh.GetPointsAttr().Get(first), axis=0))
    assert (tmp_path / "stage.usda").read_bytes() == before
    assert errors_of(shot) == []
    words = " ".join(notes)
    assert "left half on /set/hero/left_half (by name); right on /set/hero/right (by name)" in words
    assert "of the stage no longer counts: normals of left_half, right" in words
    assert ("brought from units of 0.01 m, z up, to the stage's units of 1 m, y up" in words) == (up == "Y")


def test_the_layer_names_its_stage_by_a_relative_path(tmp_path):
    model = hose()
    (tmp_path / "a" / "shots").mkdir(parents=True)
    foreign(tmp_path / "a" / "stage.usda", model)
    over(tmp_path / "a" / "shots" / "shot.usda", tmp_path / "a" / "stage.usda", model, bent(model))
    assert "@../stage.usda@" in (tmp_path / "a" / "shots" / "shot.usda").read_text()
    (tmp_path / "a").rename(tmp_path / "b")
    shot = rc.sources.load_shot(tmp_path / "b" / "shots" / "shot.usda")
    # Float32, to another unit and back.
    np.testing.assert_allclose(shot.vertices, model.evaluate(bent(model)), atol=1e-5)


PLACES = {"in the group's space": (False, (5, 0, 0)), "in the world": (True, (0, 0, 0))}


@pytest.mark.parametrize("name", PLACES)
def test_transforms_of_the_stage_place_the_character_or_are_undone(name, tmp_path):
    world, moved = PLACES[name]
    model = hose()
    foreign(tmp_path / "stage.usda", model, place=(5.0, 0.0, 0.0), world=world)
    notes = over(tmp_path / "shot.usda", tmp_path / "stage.usda", model, bent(model))
    shot = rc.sources.load_shot(tmp_path / "shot.usda")
    # Float32, to another unit and back, at tens of units.
    np.testing.assert_allclose(shot.vertices, model.evaluate(bent(model)) + np.array(moved), atol=1e-4)
    assert any("transforms above them are undone" in note for note in notes) == world


def test_a_stage_with_the_wrong_unit_is_followed_in_its_numbers(tmp_path):
    model = hose()
    foreign(tmp_path / "stage.usda", model)
    text = (tmp_path / "stage.usda").read_text().replace("metersPerUnit = 0.01", "metersPerUnit = 1")
    (tmp_path / "wrong.usda").write_text(text)
    notes = over(tmp_path / "shot.usda", tmp_path / "wrong.usda", model, bent(model))
    assert any("its points have the character's own numbers, which are kept" in note for note in notes)
    shot = rc.sources.load_shot(tmp_path / "shot.usda")
    # Float32, to another unit and back.
    np.testing.assert_allclose(shot.vertices, model.evaluate(bent(model)), atol=1e-5)


def test_skinning_of_the_stage_is_taken_away(tmp_path):
    model = hose()
    write_character(tmp_path / "stage.usda", model)
    notes = over(tmp_path / "shot.usda", tmp_path / "stage.usda", model, bent(model))
    assert any("no longer counts: skinning of left_half, right" in note for note in notes)
    shot = rc.sources.load_shot(tmp_path / "shot.usda")  # which lets UsdSkel skin what it can
    np.testing.assert_allclose(shot.vertices, model.evaluate(bent(model)), atol=1e-5)


def test_parts_of_other_names_are_found_by_their_number_of_points(tmp_path):
    model = hose()
    foreign(tmp_path / "stage.usda", model, names=("A", "B"))
    notes = over(tmp_path / "shot.usda", tmp_path / "stage.usda", model, bent(model))
    assert "left half on /set/hero/A (by number of points); right on /set/hero/B" in notes[0]
    assert "away from the character at rest" not in " ".join(notes)


WRONG = {
    "no such mesh": (
        {"names": ("left_half",)},
        {},
        r"without a mesh for 'right' of \d+ vertices; it has /set/hero/left",
    ),
    "several": ({"names": ("A", "B")}, {}, "several meshes for 'left half' of 72 vertices: /set/hero/A"),
    "elsewhere": ({}, {"under": "/set/looks"}, "below /set/looks without a mesh for 'left half'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_stages_that_do_not_fit_are_refused_naming_both_sides(name, tmp_path):
    of_stage, options, message = WRONG[name]
    model = hose(rings=(9, 9) if name == "several" else (13, 9))
    foreign(tmp_path / "stage.usda", model, **of_stage)
    with pytest.raises(ValueError, match=message):
        over(tmp_path / "shot.usda", tmp_path / "stage.usda", model, bent(model), **options)
    assert not (tmp_path / "shot.usda").exists()


def test_evaluate_resamples_to_the_rate_of_the_stage_and_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model = hose()
    model.save("hose.safetensors")
    foreign(tmp_path / "stage.usda", model, rate=48.0, first=101.0)
    np.savez("bent.npz", poses=bent(model), fps=24.0)
    command = ["evaluate", "hose.safetensors", "bent.npz", "-o", "shot.usdc", "--on", "stage.usda"]
    assert main([*command, "--start", "110"]) == 0
    said = capsys.readouterr().out
    assert "3 frames at 24 per second were resampled to 5 at 48 per second" in said
    assert "5 frames at time codes 110 to 114, 48 of which are a second" in said
    stage = usd.Stage.Open("shot.usdc")
    samples = [joined(stage, "/set", code) for code in (110, 112, 114)]
    np.testing.assert_allclose(samples, model.evaluate(bent(model)), atol=1e-5)  # float32, to another unit and back
    for wrong in (["--unit", "m"], ["--vertices"], ["-o", "shot.glb"]):
        assert main([*command, "--overwrite", *wrong]) == 2
    assert main(["evaluate", "hose.safetensors", "bent.npz", "-o", "b.usdc", "--under", "/set"]) == 2
