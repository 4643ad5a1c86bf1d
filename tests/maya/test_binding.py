"""A mesh bound: joints found and connected, the rest compared and kept, controls named; then deformed."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.maya import fake_maya
from tests.maya.test_deformer import matrices
from tests.support.characters.exact_arm import arm, exact_pose, rest_of
from tests.support.made.models import random_body

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_maya

NODE = "rigcastDeformer1"
PATHS = [
    "|hero:root|hero:upper.L|hero:lower.L|hero:hand.L",
    "|hero:root|hero:upper.L",
    "|hero:root|hero:upper.L|hero:lower.L",
]


@pytest.fixture
def model(tmp_path):
    return arm(tmp_path / "arm.safetensors", up="Y", unit=0.01)


@pytest.fixture
def scene(model, monkeypatch):
    """The joints of the arm at rest, in a namespace, listed in an order of their own."""
    made = fake_maya.Scene()
    monkeypatch.setattr(fake_maya.scene, "now", made)
    made.children["hero:root"] = PATHS
    pose_joints(made, matrices(model, rest_of(model)))
    return made


def pose_joints(scene, world):
    for joint, path in enumerate(["|hero:root", PATHS[1], PATHS[2], PATHS[0]]):
        scene.values[f"{path}.worldMatrix[0]"] = world[joint].T.reshape(-1).tolist()


def block(scene):
    """What the node gets of its plugs."""
    values = {"envelope": 1.0, "spaceMatrix": fake_maya.MMatrix(np.eye(4)), "control": {}}
    for plug, value in scene.values.items():
        if plug.startswith(f"{NODE}."):
            name, _, index = plug.removeprefix(f"{NODE}.").partition("[")
            if name.endswith("Matrix"):
                value = fake_maya.MMatrix(np.reshape(value, (4, 4)).T)
            values.setdefault(name, {}).update({int(index[:-1]): value}) if index else values.update({name: value})
    for plug, source in scene.connections.items():
        index = int(plug.partition("[")[2][:-1])
        values.setdefault("jointMatrix", {})[index] = fake_maya.MMatrix(np.reshape(scene.values[source], (4, 4)).T)
    return fake_maya.MDataBlock(values)


def test_a_bound_mesh_has_the_bytes_of_the_package(plugin, scene, model, tmp_path):
    assert rigcast_maya.bind("body", str(tmp_path / "arm.safetensors"), "hero:root") == NODE
    pose = exact_pose(model, 3)
    pose_joints(scene, matrices(model, pose))
    iterator = fake_maya.MItGeometry(model.rest_vertices)
    plugin[1]().deform(block(scene), iterator, fake_maya.MMatrix(np.eye(4)), 0)
    assert iterator.points.tobytes() == model.evaluate(pose).tobytes()


def test_joints_are_connected_in_the_order_of_the_model(scene, tmp_path):
    rigcast_maya.bind("body", str(tmp_path / "arm.safetensors"), "hero:root")
    paths = ["|hero:root", PATHS[1], PATHS[2], PATHS[0]]
    assert scene.connections == {f"{NODE}.jointMatrix[{i}]": f"{path}.worldMatrix[0]" for i, path in enumerate(paths)}


@pytest.mark.parametrize(
    ("root", "children", "words"),
    [
        ("", PATHS, "root is empty; it must be the topmost joint"),
        ("hero:root", PATHS[:2], "the skeleton lacks joints of the model, 1 of 4: 'lower.L'"),
        ("hero:root", [*PATHS, "|hero:root|upper.L"], "2 joints called 'upper.L'"),
        ("hero:root", None, "3 of 4"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_made(scene, tmp_path, root, children, words):
    scene.children["hero:root"] = children
    before = dict(scene.values)
    with pytest.raises(ValueError, match=words):
        rigcast_maya.bind("body", str(tmp_path / "arm.safetensors"), root)
    assert scene.values == before


def test_a_posed_skeleton_is_none_at_rest(scene, model, tmp_path):
    pose_joints(scene, matrices(model, exact_pose(model, 2)))
    with pytest.raises(ValueError, match="the skeleton at rest is not the model's"):
        rigcast_maya.bind("body", str(tmp_path / "arm.safetensors"), "hero:root")


def test_a_carried_character_is_bound_in_its_own_space(scene, model, tmp_path):
    carried = np.eye(4)
    carried[:3, 3] = (8.0, 0.0, -2.0)
    pose_joints(scene, carried @ matrices(model, rest_of(model)))
    scene.values["hero.worldMatrix[0]"] = carried.T.reshape(-1).tolist()
    rigcast_maya.bind("body", str(tmp_path / "arm.safetensors"), "hero:root", space="hero")
    assert scene.connections[f"{NODE}.spaceMatrix"] == "hero.worldMatrix[0]"
    kept = np.reshape(scene.values[f"{NODE}.restMatrix[3]"], (4, 4)).T
    np.testing.assert_array_equal(kept, matrices(model, rest_of(model))[3])


def test_controls_have_the_names_and_rests_of_the_models(monkeypatch, tmp_path):
    monkeypatch.setattr(fake_maya.scene, "now", fake_maya.Scene())
    rc.faces.example().save(tmp_path / "face.safetensors")
    names = rc.faces.example().shape_names
    rigcast_maya.bind("face", str(tmp_path / "face.safetensors"))
    scene = fake_maya.scene.now
    assert scene.aliases == {f"{NODE}.control[{place}]": name for place, name in enumerate(names)}
    assert scene.values[f"{NODE}.control[0]"] == 0.0
    assert scene.connections == {}


def test_controls_of_a_body_come_after_its_joints(monkeypatch, tmp_path):
    """Their values at rest are the model's, which need not be 0."""
    path = tmp_path / "body.safetensors"
    random_body(num_joints=4, num_vertices=50).save(path)
    model, scene = rc.load(path), fake_maya.Scene()
    monkeypatch.setattr(fake_maya.scene, "now", scene)
    world = matrices(model, rest_of(model))
    names = model.skeleton.names
    scene.children[names[0]] = [f"|{name}" for name in names[1:]]
    scene.values |= {
        f"|{name}.worldMatrix[0]": row.T.reshape(-1).tolist() for name, row in zip(names, world, strict=True)
    }
    rigcast_maya.bind("body", str(path), names[0])
    assert set(scene.aliases) == {f"{NODE}.control[0]", f"{NODE}.control[1]"}
