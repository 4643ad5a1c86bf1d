"""Errors of a cook: one sentence on the node that says what is wrong and what it must be."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.houdini import fake_hou
from tests.houdini.kinefx import kinefx
from tests.support.characters.exact_arm import arm, exact_pose, in_scene, rest_of

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_houdini
from rigcast_houdini import Space


@pytest.fixture
def model(tmp_path):
    return arm(tmp_path / "arm.safetensors")


@pytest.fixture
def path(model, tmp_path):
    return str(tmp_path / "arm.safetensors")


def failed(path, node, **options):
    """The sentence of the error, and the points as they were."""
    before = None if node.geometry() is None else node.geometry().floats["P"].tobytes()
    with pytest.raises(fake_hou.NodeError) as caught:
        rigcast_houdini.cook(node, path, **options)
    assert before is None or node.geometry().floats["P"].tobytes() == before
    return str(caught.value)


def node_of(model, *, points=None, rest=None, pose=None):
    """A node with the arm in its first input and its skeletons behind."""
    mesh = fake_hou.Geometry(in_scene(model, model.rest_vertices) if points is None else points)
    rest = kinefx(model, rest_of(model)) if rest is None else rest
    return fake_hou.SopNode(mesh, rest, kinefx(model, exact_pose(model)) if pose is None else pose)


def test_both_numbers_are_said(model, path):
    said = failed(path, node_of(model, points=np.zeros((7, 3))))
    assert "7 points" in said
    assert "33 vertices" in said


def test_points_in_another_order(model, path):
    mixed = in_scene(model, model.rest_vertices)[np.random.default_rng(1).permutation(33)]
    assert "in another order" in failed(path, node_of(model, points=mixed))


def test_points_elsewhere(model, path):
    said = failed(path, node_of(model, points=in_scene(model, model.evaluate(exact_pose(model)))))
    assert "must be the mesh at rest" in said
    assert "the model has Z up" in said


def test_points_are_not_compared_if_nobody_wants_it(model, path):
    node = node_of(model, points=np.zeros((33, 3)))
    rigcast_houdini.cook(node, path, check=False)
    np.testing.assert_array_equal(node.geometry().floats["P"], in_scene(model, model.evaluate(exact_pose(model))))


def test_missing_joints_are_named(model, path):
    pose = kinefx(model, exact_pose(model), names=["root", "upperL", "lower.L", "hand.L"])
    said = failed(path, node_of(model, pose=pose))
    assert "1 of 4: 'upper.L' (did you mean 'upperL'?)" in said


def test_joints_of_one_name(model, path):
    pose = kinefx(model, exact_pose(model))
    pose.texts["name"] += ["root"]
    assert "2 joints called 'root'" in failed(path, node_of(model, pose=pose))


def test_no_skeleton(model, path):
    assert "connect a skeleton to the third input" in failed(path, fake_hou.SopNode(node_of(model).geometry()))
    pose = kinefx(model, exact_pose(model))
    del pose.texts["name"]
    assert "no attribute name" in failed(path, node_of(model, pose=pose))
    pose = kinefx(model, exact_pose(model))
    del pose.floats["transform"]
    assert "a Rig Doctor SOP adds them" in failed(path, node_of(model, pose=pose))


def test_a_collapsed_joint_is_named(model, path):
    pose = kinefx(model, exact_pose(model))
    pose.floats["transform"][1] = 0.0
    assert "'lower.L', or its parent, has collapsed" in failed(path, node_of(model, pose=pose))


def test_polylines_in_a_circle(model, path):
    pose = kinefx(model, exact_pose(model), local=True)
    pose.prims = fake_hou.Geometry([], faces=[(0, 1), (1, 2), (2, 0)]).prims
    assert "goes in a circle" in failed(path, node_of(model, pose=pose))


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ({"unit": 0.01}, "it is 100 times as large: is the unit another one?"),
        ({"up": "Z"}, "it lies as with another axis up"),
    ],
)
def test_a_skeleton_in_another_space_says_which_setting_is_meant(model, path, place, reason):
    said = failed(path, node_of(model, rest=kinefx(model, rest_of(model), **place)))
    assert "the skeleton at rest is not the model's: joint 'hand.L'" in said
    assert reason in said


def test_a_posed_skeleton_is_none_at_rest(model, path):
    said = failed(path, node_of(model, rest=kinefx(model, exact_pose(model, 2))))
    assert re.search(r"joint '[\w.]+' is \S+ of the model's units away", said)


def test_files(model, path, tmp_path):
    assert "nothing.safetensors is not there" in failed(str(tmp_path / "nothing.safetensors"), node_of(model))
    (tmp_path / "text.safetensors").write_text("no model")
    assert "text.safetensors" in failed(str(tmp_path / "text.safetensors"), node_of(model))
    assert "it has none" in failed(path, node_of(model), part="hand")


def test_a_node_without_geometry(model, path):
    with pytest.raises(fake_hou.NodeError, match="Python SOP that cooks"):
        rigcast_houdini.cook(fake_hou.ChopNode(), path)
    assert "no geometry" in failed(path, fake_hou.SopNode(None))


@pytest.mark.parametrize("given", [{"up_axis": "y"}, {"meters_per_unit": 0.0}, {"meters_per_unit": float("nan")}])
def test_a_space_is_checked(given):
    with pytest.raises(ValueError, match=f"Space: {next(iter(given))} is"):
        Space(**given)


def test_normals_that_stay_are_said(model, path):
    node = node_of(model)
    node.geometry().floats["N"] = np.zeros((33, 3), np.float32)
    rigcast_houdini.cook(node, path)
    assert any("normals N" in text for text in node.messages)
