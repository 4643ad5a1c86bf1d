"""Poses of numbers: channels of a CHOP, parameters, detail attributes and mappings, by names."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rigcast as rc
from tests.houdini import FILES, fake_hou
from tests.houdini.kinefx import kinefx
from tests.support.characters.exact_arm import arm, exact_pose, in_scene

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_houdini

import rigcast_runtime as rr
from tests.rig.channels import model_of, random_rows, with_followers
from tests.support.made.kinds import KINDS, MAKERS, poses_of
from tests.support.made.models import random_body


def legal(values):
    """The numbers by names that channels may have."""
    return {re.sub(r"\W", "_", name): value for name, value in values.items()}


@pytest.fixture
def face(tmp_path):
    """Six vertices and two shapes, one of a name that no parameter may have."""
    rng = np.random.default_rng(0)
    rest, deltas = rng.normal(size=(6, 3)), rng.normal(size=(2, 6, 3))
    facts = {"up_axis": "Y", "meters_per_unit": 1.0}
    model = rc.BlendshapeRig(rest.astype(np.float32), deltas, names=["jaw", "1 wide.L"], metadata=facts)
    model.save(tmp_path / "face.safetensors")
    return rc.load(tmp_path / "face.safetensors"), str(tmp_path / "face.safetensors")


SOURCES = {
    "a CHOP": lambda: fake_hou.ChopNode(jaw=0.25, _1_wide_L=0.75, other=9.0),
    "parameters": lambda: fake_hou.OpNode(jaw=0.25, _1_wide_L=0.75),
    "a mapping": lambda: {"jaw": 0.25, "1 wide.L": 0.75},
    "detail attributes": lambda: fake_hou.Geometry([], details={"jaw": 0.25, "_1_wide_L": 0.75}),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_face_follows_numbers_of_its_names(face, source):
    model, path = face
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
    rigcast_houdini.cook(node, path, pose=SOURCES[source]())
    assert node.geometry().floats["P"].tobytes() == model.evaluate([0.25, 0.75]).tobytes()


def test_a_chop_is_read_at_the_present_frame(face, monkeypatch):
    model, path = face
    monkeypatch.setattr(fake_hou.here, "frame", 2.0)
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
    rigcast_houdini.cook(node, path, pose=SOURCES["a CHOP"]())
    assert node.geometry().floats["P"].tobytes() == model.evaluate([0.5, 1.5]).tobytes()


def test_the_text_for_a_face_cooks(face, tmp_path, monkeypatch):
    model, _ = face
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
    monkeypatch.setattr(fake_hou.here, "node", node)
    monkeypatch.setattr(fake_hou.here, "nodes", {"/obj/chopnet1/OUT": SOURCES["a CHOP"]()})
    monkeypatch.setattr(fake_hou, "HIP", str(tmp_path))
    exec((FILES / "rigcast" / "python_sop_face.py").read_text(), {})
    assert node.geometry().floats["P"].tobytes() == model.evaluate([0.25, 0.75]).tobytes()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (lambda: fake_hou.ChopNode(jam=1.0), "/obj/ChopNode has no controls of the model, 2 of 2: 'jaw' .*'jam'"),
        (lambda: {"jaw": 0.25}, "the mapping has no controls of the model, 1 of 2: '1 wide.L'"),
        (lambda: fake_hou.Geometry([], details={}), "the detail of the geometry has no controls"),
        (lambda: {"jaw": "open", "1 wide.L": 1.0}, "jaw is 'open'; it must be one number"),
        (lambda: 3.0, "they are a float"),
    ],
)
def test_missing_names_and_wrong_values_are_named(face, source, words):
    model, path = face
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
    with pytest.raises(fake_hou.NodeError, match=words):
        rigcast_houdini.cook(node, path, pose=source())


def test_channels_of_a_rig_with_joints_make_its_pose(tmp_path):
    """By kinematics of the model, as ``poses_from_channels`` does it."""
    model = model_of(with_followers())
    model.save(tmp_path / "model.safetensors")
    row = random_rows(model)[3]
    values = {channel.name: float(value) for channel, value in zip(model.channels, row, strict=True)}
    node = fake_hou.SopNode(fake_hou.Geometry(in_scene(model, model.rest_vertices)))
    rigcast_houdini.cook(node, str(tmp_path / "model.safetensors"), pose=fake_hou.ChopNode(**legal(values)))
    expected = in_scene(model, model.evaluate(model.poses_from_channels(row)))
    assert node.geometry().floats["P"].tobytes() == expected.tobytes()


@pytest.mark.parametrize("controls", ["given", "of the skeleton", "missing"])
def test_controls_beside_a_skeleton(tmp_path, controls):
    """A learned body with two of them."""
    path = tmp_path / "body.safetensors"
    random_body(num_joints=4, num_vertices=50).save(path)
    model = rc.load(path)
    pose = np.concatenate([exact_pose(model, 2), np.float32([0.25, 0.5])])
    dials = dict(zip(model.control_names[-2:], (0.25, 0.5), strict=True))
    skeleton = kinefx(model, pose[:48])
    node = fake_hou.SopNode(fake_hou.Geometry(in_scene(model, model.rest_vertices)), None, skeleton)
    skeleton.details = dials if controls == "of the skeleton" else {}
    if controls == "missing":
        with pytest.raises(fake_hou.NodeError, match="has no controls of the model, 2 of 2"):
            rigcast_houdini.cook(node, str(path))
        return
    rigcast_houdini.cook(node, str(path), controls=dials if controls == "given" else None)
    assert node.geometry().floats["P"].tobytes() == in_scene(model, model.evaluate(pose)).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_cooks(kind, tmp_path):
    path = tmp_path / "model.safetensors"
    MAKERS[kind]().save(path)
    model = rc.load(path)
    row = poses_of(model, 3)[2]
    node = fake_hou.SopNode(fake_hou.Geometry(in_scene(model, model.rest_vertices)))
    rigcast_houdini.cook(node, str(path), pose=dict(zip(model.control_names, row.tolist(), strict=True)))
    assert node.geometry().floats["P"].tobytes() == in_scene(model, model.evaluate(row)).tobytes()


def test_columns_come_before_channels(tmp_path):
    path = str(tmp_path / "arm.safetensors")
    model = arm(path, up="Y")
    names, row = rr.load(path).control_names, exact_pose(model)
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
    rigcast_houdini.cook(node, path, pose=dict(zip(names, row.tolist(), strict=True)))
    assert node.geometry().floats["P"].tobytes() == model.evaluate(row).tobytes()
