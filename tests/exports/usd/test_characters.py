"""A model as a stage: OpenUSD shows its linear skinning and its shapes, and finds nothing to complain of."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._hashing import file_hash
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast.exports import Playback, write_character, write_vertices
from tests.exports.usd.stages import (
    SAME,
    errors_of,
    geometry,
    hose,
    joined,
    learned_body,
    linear_skinning,
    meshes_of,
    posed,
    usd,
)
from tests.support.characters.surfaces import covered
from tests.support.made.blendshapes import random_rig
from tests.support.made.kinds import KINDS, MAKERS, poses_of
from tests.support.made.models import random_poses
from tests.support.made.skinning import bent


def rigid_poses(model, frames=4):
    """Random rotations and translations: UsdSkel's animation holds no shear."""
    count = model.skeleton.num_joints
    return random_poses(model.skeleton, frames, 3, numeric=len(model.control_names) - 12 * count, stretch=0.0)


SKINNED = {
    "delta mush, z up, in parts": hose,
    "a part of it": lambda: hose(rings=(13, 13)).restricted(range(3, 80)),
    "dual quaternions, y up": lambda: hose("Y", rc.DualQuaternionSkinning),
    "a learned body": lambda: learned_body(),
    "a learned body in parts": lambda: covered(learned_body()),
}


@pytest.mark.parametrize("name", SKINNED)
def test_usdskel_shows_the_linear_skinning_of_the_model(name, tmp_path):
    model = SKINNED[name]()
    poses = bent(model) if model.kind != "body" else rigid_poses(model)
    poses[:, 12 * model.skeleton.num_joints :] = 0.0
    notes = write_character(tmp_path / "hero.usda", model, poses=poses)
    local = poses[:, : 12 * model.skeleton.num_joints].reshape(len(poses), -1, 3, 4)
    truth = linear_skinning(model, poses)
    shown = posed(tmp_path / "hero.usda", local)
    np.testing.assert_allclose(shown, truth, atol=SAME * np.abs(truth).max())
    gaps = 1e3 * model.meters_per_unit * np.linalg.norm(model.evaluate(poses) - truth, axis=2)
    assert f"misses the model by {gaps.mean():.3g} mm on average, {gaps.max():.3g} mm at most, over" in notes[1]


def test_x_up_is_turned_to_y(tmp_path):
    model = hose("X")
    write_character(tmp_path / "hero.usdc", model)
    stage = usd.Stage.Open(str(tmp_path / "hero.usdc"))
    assert geometry.GetStageUpAxis(stage) == "Y"
    expected = model.rest_vertices @ turn_between("X", "Y").T
    # Rounding of points of a few units.
    np.testing.assert_allclose(joined(stage, "/a_hose", usd.TimeCode.Default()), expected, atol=1e-6)


def test_a_dial_of_a_body_is_a_blend_shape_that_is_exact_at_its_end(tmp_path):
    model = learned_body()
    poses = np.tile(np.append(model.skeleton.rest.reshape(-1), 0.0), (2, 1)).astype(np.float32)
    poses[1, -1] = 2.0
    write_character(tmp_path / "hero.usda", model)
    shown = posed(tmp_path / "hero.usda", weights={"fat": [0.0, 2.0]})
    moved = np.diff(model.evaluate(poses), axis=0)[0]
    np.testing.assert_allclose(shown[1] - shown[0], moved, atol=SAME * np.abs(shown).max())


FACES = {
    "the example": rc.faces.example,
    "random, with tents and wide bounds": lambda: random_rig(num_vertices=40),
}


@pytest.mark.parametrize("name", FACES)
def test_keyed_shapes_are_the_rig_with_in_betweens_inside_its_bounds(name, tmp_path):
    rig = FACES[name]()
    write_character(tmp_path / "face.usda", rig)
    low, high = rig.bounds.T
    weights = np.random.default_rng(1).uniform(low, high, (6, rig.num_shapes)).astype(np.float32)
    weights[0], weights[1] = low, high
    activations = rig.activations(weights)
    stage = usd.Stage.Open(str(tmp_path / "face.usda"))
    (mesh,) = meshes_of(stage, str(stage.GetDefaultPrim().GetPath()))
    names = [str(shape) for shape in mesh.GetPrim().GetAttribute("skel:blendShapes").Get()]
    tents = [column for column in rig.column_names if column not in names]
    assert all("@" in column for column in tents)
    keyed = {shape: activations[:, list(rig.column_names).index(shape)] for shape in names}
    truth = rig.evaluate(weights)
    shown = posed(tmp_path / "face.usda", weights=keyed)
    np.testing.assert_allclose(shown, truth, atol=2 * SAME * np.abs(truth).max())


def test_correctives_are_stated_with_their_products(tmp_path):
    rig = rc.faces.example()
    notes = write_character(tmp_path / "face.usda", rig)
    stage = usd.Stage.Open(str(tmp_path / "face.usda"))
    about = stage.GetDefaultPrim().GetCustomDataByKey("rigcast")
    assert "jawOpen * mouthPucker = jawOpen * mouthPucker" in about["correctiveWeights"]
    assert len(about["correctiveWeights"]) == 6
    weights = np.eye(rig.num_shapes, dtype=np.float32)[:2]
    weights[1, 3] = 1.0  # jawLeft alone, and with mouthPucker: no corrective of the example has both
    assert (
        "equals the model, up to rounding, over 2 given poses"
        in write_character(tmp_path / "face.usda", rig, poses=weights)[1]
    )
    weights[0, 3] = 1.0
    unkeyed = np.linalg.norm(rig.column(rig.num_shapes), axis=1).max() * 1e3 * rig.meters_per_unit
    again = write_character(tmp_path / "face.usda", rig, poses=weights)
    assert f"{unkeyed:.3g} mm at most" in again[1]
    assert any("correctives that rest unless they are keyed" in note for note in notes)


@pytest.mark.parametrize(("kind", "ending"), [*((kind, "usda") for kind in KINDS), ("body", "usdc"), ("body", "usd")])
def test_every_kind_of_model_makes_a_stage_without_complaint(kind, ending, tmp_path):
    model = covered(MAKERS[kind]())
    path = tmp_path / f"hero.{ending}"
    notes = write_character(path, model, poses=poses_of(model, 3))
    assert errors_of(path) == []
    assert notes[0].startswith(f"{path.name} shows ")
    assert "over 3 given poses" in notes[1]
    stage = usd.Stage.Open(str(path))
    root = stage.GetDefaultPrim()
    points = joined(stage, str(root.GetPath()), usd.TimeCode.Default())
    np.testing.assert_array_equal(points, model.rest_vertices)
    parts = [mesh.GetPrim().GetName() for mesh in meshes_of(stage, str(root.GetPath()))]
    assert {"one", "two", "three"} <= set(parts)
    materials = [prim.GetDisplayName() for prim in stage.Traverse() if prim.GetTypeName() == "Material"]
    assert materials == ["red", "blue"]


def test_validators_would_find_a_mistake(tmp_path):
    write_character(tmp_path / "hero.usda", hose())
    text = (tmp_path / "hero.usda").read_text()
    (tmp_path / "wrong.usda").write_text(text.replace('upAxis = "Z"', "").replace("hero.safetensors", "gone"))
    found = " ".join(errors_of(tmp_path / "wrong.usda"))
    assert "upAxis" in found
    assert "gone" in found


def test_the_stage_says_what_the_model_is(tmp_path):
    model = learned_body()
    notes = write_character(tmp_path / "hero.usda", model)
    stage = usd.Stage.Open(str(tmp_path / "hero.usda"))
    root = stage.GetDefaultPrim()
    about = root.GetCustomDataByKey("rigcast")
    assert root.GetAttribute("rigcast:model").Get().path == "./hero.safetensors"
    assert about["sha256"] == file_hash(tmp_path / "hero.safetensors")
    assert (about["kind"], about["version"], about["licence"]) == ("body", 1, "CC0-1.0")
    assert list(about["columns"]) == list(model.control_names)
    np.testing.assert_array_equal(about["columnRanges"], model.control_ranges)
    errors = about["errors"]
    assert (errors["model"]["mean"], errors["linear_skinning"]["max"]) == (0.002, 0.3)
    stated = "the model mean 2 mm, max 30 mm; linear skinning mean 20 mm, max 300 mm"
    for words in (root.GetDocumentation(), about["fallback"], " ".join(notes)):
        assert "shows linear skinning" in words
        assert stated in words
    assert stage.GetRootLayer().customLayerData["licence"] == "CC0-1.0"


def test_a_motion_of_joints_says_in_the_stage_what_it_misses(tmp_path):
    model = hose()
    (note,) = write_vertices(tmp_path / "a.usda", Playback(model, bent(model)), model.faces, meters_per_unit=0.01)
    stage = usd.Stage.Open(str(tmp_path / "a.usda"))
    said = stage.GetDefaultPrim().GetCustomDataByKey("rigcast")["fallback"]
    assert "misses the character's vertices by" in said
    assert said in note


def test_the_distance_of_random_channels_is_stored_in_the_unit_of_the_stage(tmp_path):
    rig = rc.faces.example()
    notes = write_character(tmp_path / "face.usda", rig, seed=3)
    stage = usd.Stage.Open(str(tmp_path / "face.usda"))
    about = stage.GetDefaultPrim().GetCustomDataByKey("rigcast")
    words = f"{1e3 * rig.meters_per_unit * about['fallbackMax']:.3g} mm at most, over 64 random poses"
    assert words in notes[1]
    assert write_character(tmp_path / "face.usda", rig, seed=3) == notes


@pytest.mark.parametrize(
    ("path", "model", "message"),
    [
        ("a.glb", rc.faces.example, "it must be a file that ends in .usd, .usda, .usdc"),
        ("a.usda", lambda: 7, "model is a int; it must be a model, or the path"),
        ("a.usda", lambda: "not_there.safetensors", "not_there.safetensors"),
    ],
)
def test_wrong_calls_are_refused(path, model, message, tmp_path):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        write_character(tmp_path / path, model())
