"""What stages hold comes back: the model by its asset path, faces, shots of several parts, through commands too."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._dispatch import main
from rigcast.exports import Playback, write_character, write_vertices
from tests.exports.usd.stages import geometry, hose, skel, usd
from tests.support.characters.surfaces import same_surface
from tests.support.made.blendshapes import random_rig
from tests.support.made.skinning import bent

FPS = 24.0


@pytest.mark.parametrize("below", ["", "stages/today"])
def test_a_stage_opens_as_its_model_from_any_folder(below, tmp_path, monkeypatch):
    model = hose()
    (tmp_path / "models").mkdir()
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    model.save(tmp_path / "models" / "hose.safetensors")
    stage = tmp_path / below / "hero.usdc"
    write_character(stage, tmp_path / "models" / "hose.safetensors")
    monkeypatch.chdir("/")
    back = rc.load(stage)
    poses = bent(model)
    np.testing.assert_array_equal(back.evaluate(poses), model.evaluate(poses))


def test_a_copied_model_lies_beside_the_stage(tmp_path):
    hose().save(tmp_path / "hose.safetensors")
    (tmp_path / "away").mkdir()
    write_character(tmp_path / "away" / "hero.usda", tmp_path / "hose.safetensors", copy=True)
    (tmp_path / "hose.safetensors").unlink()
    assert rc.load(tmp_path / "away" / "hero.usda").kind == "delta_mush"


def changed(folder):
    content = bytearray((folder / "hero.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "hero.safetensors").write_bytes(content)


def twice(folder):
    hose("Y").save(folder / "other.safetensors")
    text = (folder / "hero.usda").read_text()
    again = text.split("def SkelRoot", 1)[1].replace("a_hose", "b").replace("hero.safetensors", "other.safetensors")
    (folder / "hero.usda").write_text(text + "\ndef SkelRoot" + again)


DAMAGES = {
    "gone": (lambda folder: (folder / "hero.safetensors").unlink(), "hero.safetensors, which is not there"),
    "changed": (changed, "has changed since: SHA-256"),
    "a folder": (
        lambda folder: ((folder / "hero.safetensors").unlink(), (folder / "hero.safetensors").mkdir()),
        "is no file of its own",
    ),
    "two models": (twice, "several models: ./hero.safetensors, ./other.safetensors"),
    "none": (
        lambda folder: write_vertices(folder / "hero.usda", np.zeros((2, 3, 3)), [[0, 1, 2]]),
        "names no model",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_model_that_is_not_the_one_is_refused(damage, tmp_path):
    write_character(tmp_path / "hero.usda", hose())
    change, message = DAMAGES[damage]
    change(tmp_path)
    with pytest.raises(ValueError, match=message):
        rc.load(tmp_path / "hero.usda")


def test_a_cut_off_model_is_refused_as_the_file_itself_would_be(tmp_path):
    write_character(tmp_path / "hero.usda", hose())
    text, content = (tmp_path / "hero.usda").read_text(), (tmp_path / "hero.safetensors").read_bytes()
    (tmp_path / "hero.safetensors").write_bytes(content[: len(content) // 2])
    own = rc._hashing.file_hash(tmp_path / "hero.safetensors")
    stated = text.partition('string sha256 = "')[2][:64]
    (tmp_path / "hero.usda").write_text(text.replace(stated, own))
    with pytest.raises(ValueError, match=r"hero\.safetensors"):
        rc.load(tmp_path / "hero.usda")


def test_a_face_comes_back_from_its_shapes_alone(tmp_path):
    rig = rc.faces.example()
    write_character(tmp_path / "face.usda", rig)
    back = rc.sources.load_blendshapes(tmp_path / "face.usda", mesh="example_face")
    plain = [column for column in rig.column_names if "@" not in column]
    assert back.shape_names == plain
    weights = np.random.default_rng(0).uniform(0, 1, (5, rig.num_shapes)).astype(np.float32)
    keyed = rig.activations(weights)[:, [list(rig.column_names).index(name) for name in plain]]
    np.testing.assert_allclose(back.evaluate(keyed), rig.evaluate(weights), atol=1e-6)  # float32 deltas
    np.testing.assert_array_equal(back.faces, rig.faces)
    assert (back.meters_per_unit, back.up_axis) == (rig.meters_per_unit, rig.up_axis)


def test_a_face_comes_back_as_the_model_that_the_stage_names(tmp_path):
    rig = random_rig(num_vertices=40)
    write_character(tmp_path / "face.usda", rig)
    back = rc.sources.load_blendshapes(tmp_path / "face.usda")
    weights = np.random.default_rng(0).uniform(0, 1, (5, rig.num_shapes)).astype(np.float32)
    np.testing.assert_array_equal(back.evaluate(weights), rig.evaluate(weights))


def foreign_face(path, folder="/hero"):
    """Two meshes with a shape of one name, below a moved prim, as other programs write them; one has an in-between."""
    stage = usd.Stage.CreateNew(str(path))
    geometry.SetStageUpAxis(stage, "Z")
    geometry.SetStageMetersPerUnit(stage, 0.01)
    skel.Root.Define(stage, folder).AddTranslateOp().Set((0, 0, 10))
    for number, name in enumerate(("skin", "teeth")):
        mesh = geometry.Mesh.Define(stage, f"{folder}/{name}")
        mesh.CreatePointsAttr([(number, 0, 0), (number, 1, 0), (number, 0, 1)])
        mesh.CreateFaceVertexCountsAttr([3])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
        shape = skel.BlendShape.Define(stage, f"{folder}/{name}/open")
        shape.CreateOffsetsAttr([(0, 0, -1 - number)])
        shape.CreatePointIndicesAttr([2])
        if number == 0:
            between = shape.CreateInbetween("half")
            between.SetWeight(0.5)
            between.SetOffsets([(0, 0.25, -0.75)])
            far = shape.CreateInbetween("far")
            far.SetWeight(1.5)
            far.SetOffsets([(0, 0, -2)])
        binding = skel.BindingAPI.Apply(mesh.GetPrim())
        binding.CreateBlendShapesAttr(["jawOpen"])
        binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
    stage.GetRootLayer().Save()


def test_shapes_of_several_meshes_are_one_face_if_the_prim_above_is_named(tmp_path):
    foreign_face(tmp_path / "face.usda")
    with pytest.raises(ValueError, match="one of /hero/skin, /hero/teeth, or a prim above all"):
        rc.sources.load_blendshapes(tmp_path / "face.usda")
    with pytest.warns(rc.errors.InputWarning) as told:
        rig = rc.sources.load_blendshapes(tmp_path / "face.usda", mesh="/hero")
    words = " ".join(str(note.message) for note in told)
    assert "2 meshes below /hero are one, their points in this order: skin, teeth" in words
    assert "in-betweens outside of weights 0 to 1 are left out: jawOpen at 1.5" in words
    assert (rig.shape_names, rig.parts, rig.up_axis, rig.meters_per_unit) == (["jawOpen"], ["skin", "teeth"], "Z", 0.01)
    moved = rig.evaluate(np.float32([[0], [0.25], [0.5], [0.75], [1]]))[:, [2, 5]]
    expected = [[0, 11], [0.125, 10.625], [0.25, 10.25], [0.125, 10.125], [0, 10]]
    np.testing.assert_allclose(moved[:, 0, 1:], expected, atol=1e-6)  # float32
    np.testing.assert_allclose(moved[:, 1, 2], [11, 10.5, 10, 9.5, 9], atol=1e-6)  # float32


@pytest.mark.parametrize("damage", ["(0, 0, -1)", "[2]"])
def test_shapes_that_do_not_fit_their_mesh_are_refused(damage, tmp_path):
    foreign_face(tmp_path / "face.usda")
    text = (tmp_path / "face.usda").read_text()
    wrong = text.replace(damage, {"(0, 0, -1)": "(0, 0, -1), (0, 0, 0)", "[2]": "[7]"}[damage], 1)
    (tmp_path / "wrong.usda").write_text(wrong)
    with pytest.raises(ValueError, match=r"wrong\.usda: /hero/skin/open"):
        rc.sources.load_blendshapes(tmp_path / "wrong.usda", mesh="skin")


@pytest.mark.parametrize("as_vertices", [False, True])
def test_a_shot_of_several_parts_has_the_vertices_of_the_character(as_vertices, tmp_path):
    model = hose(make=rc.LinearBlendSkinning)
    poses, surface = bent(model), rc._rigs.surface.surface_of(model)
    options = {"meters_per_unit": 0.01, "up_axis": "Z"}
    options |= {"surface": surface, "name": "shot", "as_vertices": as_vertices}
    write_vertices(tmp_path / "shot.usda", Playback(model, poses), model.faces, fps=FPS, **options)
    shot = rc.sources.load_shot(tmp_path / "shot.usda")
    np.testing.assert_allclose(shot.vertices, model.evaluate(poses), atol=1e-5)  # float32 points
    corners = {tuple(sorted(face)) for face in np.asarray(shot.faces).tolist()}
    assert corners == {tuple(sorted(face)) for face in np.asarray(model.faces).tolist()}
    below = rc.sources.load_shot(tmp_path / "shot.usda", mesh="shot")
    np.testing.assert_array_equal(below.vertices, shot.vertices)
    assert same_surface(surface, rc._rigs.surface.surface_of(model))


def test_commands_open_stages(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rig = rc.faces.example()
    rig.save("face.safetensors")
    assert main(["export", "face.safetensors", "-o", "face.usda"]) == 0
    assert main(["export", "face.safetensors", "-o", "face.usda"]) == 2
    weights = np.zeros((4, rig.num_shapes), np.float32)
    weights[:, 0] = np.linspace(0, 1, 4)
    np.save("weights.npy", weights)
    assert main(["evaluate", "face.usda", "weights.npy", "--fps", "24", "-o", "shot.usdc"]) == 0
    assert main(["solve", "face.usda", "shot.usdc", "-o", "back.npz", "--alpha", "0"]) == 0
    solved = np.load("back.npz")["weights"]
    np.testing.assert_allclose(solved, weights, atol=1e-3)  # where the solve ends
    pytest.importorskip("websockets", reason="the extra viewer is not installed")
    assert main(["view", "face.usda", "--no-browser", "--seconds", "0.1"]) == 0
    assert main(["info", "face.usda", "--json"]) == 0
    assert '"kind": "blendshape"' in capsys.readouterr().out.splitlines()[-1]
    shutil.move("face.safetensors", "elsewhere.safetensors")
    assert main(["view", "face.usda", "--no-browser", "--seconds", "0.1"]) == 2
    assert "face.safetensors, which is not there" in capsys.readouterr().err
