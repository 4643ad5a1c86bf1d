"""The cook of a Python SOP: the bytes of the package's own evaluation, whatever the skeleton's order, axes and unit."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES
from tests.houdini import FILES, fake_hou
from tests.houdini.kinefx import kinefx
from tests.support.characters.exact_arm import QUARTER, arm, exact_pose, in_scene, rest_of

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_houdini
from rigcast_houdini import Space

SAME = Space(1.0, "Z")


@pytest.fixture
def model(tmp_path):
    return arm(tmp_path / "arm.safetensors")


@pytest.fixture
def path(model, tmp_path):
    return str(tmp_path / "arm.safetensors")


def mesh(model, unit=1.0, up="Y", vertices=None):
    return fake_hou.Geometry(in_scene(model, model.rest_vertices if vertices is None else vertices, unit, up))


def cooked(model, path, pose, space, *, rest=True, check=True, **skeleton):
    """The node after a cook of a pose, with skeletons in a space."""
    place = {"unit": space.meters_per_unit, "up": space.up_axis, **skeleton}
    quiet = kinefx(model, rest_of(model), **place) if rest else None
    node = fake_hou.SopNode(mesh(model, place["unit"], place["up"]), quiet, kinefx(model, pose, **place))
    rigcast_houdini.cook(node, path, space=space, check=check)
    return node


def points(node):
    return node.geometry().floats["P"]


def same(one, other):
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_points_have_the_bytes_of_the_package(model, path, seed):
    pose = exact_pose(model, seed)
    node = cooked(model, path, pose, SAME)
    same(points(node), rc.load(path).evaluate(pose))
    assert np.abs(points(node) - model.rest_vertices).max() > 0.1


@pytest.mark.parametrize(
    "skeleton",
    [
        {"local": True},
        {"order": np.array([2, 0, 3, 1])},
        {"axes": np.array(QUARTER)},
        {"local": True, "order": [3, 1, 0, 2]},
    ],
    ids=["local transforms", "another order", "other axes", "local, another order"],
)
def test_a_skeleton_may_be_written_otherwise(model, path, skeleton):
    pose = exact_pose(model, 7)
    same(points(cooked(model, path, pose, SAME, **skeleton)), model.evaluate(pose))


@pytest.mark.parametrize("up", ["X", "Y", "Z"])
@pytest.mark.parametrize("unit", [1.0, 2.0**-7])
def test_unit_and_up_axis_are_converted_and_said(tmp_path, up, unit):
    path = str(tmp_path / "arm.safetensors")
    model = arm(path, up=up, unit=unit)
    pose = exact_pose(model, 3)
    node = cooked(model, path, pose, Space())
    same(points(node), in_scene(model, model.evaluate(pose)))
    said = [text for text in node.messages if "converted" in text]
    assert len(said) == (0 if (up, unit) == ("Y", 1.0) else 1)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_any_pose_is_that_of_the_package_up_to_the_rounding_of_the_skeleton(tmp_path, unit):
    path = str(tmp_path / "arm.safetensors")
    model = arm(path, unit=unit)
    rng = np.random.default_rng(5)
    pose = np.array(model.skeleton.rest, np.float32)
    for joint in range(4):
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        pose[joint, :, :3] = turned * np.sign(np.linalg.det(turned))
    pose = pose.reshape(-1)
    expected = in_scene(model, model.evaluate(pose))
    error = np.abs(points(cooked(model, path, pose, Space())) - expected).max()
    assert error < TOLERANCES["float32"] * np.abs(expected).max()


def test_a_frame_after_another_has_the_bytes_of_a_new_node(model, path):
    node = cooked(model, path, exact_pose(model, 1), SAME)
    for seed in range(2, 5):
        node.inputs = (node.inputs[0], kinefx(model, exact_pose(model, seed), up="Z"))
        node.geometry().floats["P"] = np.array(model.rest_vertices)  # Houdini copies the first input again
        rigcast_houdini.cook(node, path, space=SAME)
        same(points(node), model.evaluate(exact_pose(model, seed)))


def test_a_node_keeps_its_session_and_nodes_share_a_model(model, path):
    one, other = (cooked(model, path, exact_pose(model), SAME) for _ in range(2))
    before = one.cached["rigcast"]
    one.geometry().floats["P"] = np.array(model.rest_vertices)
    rigcast_houdini.cook(one, path, space=SAME)
    assert one.cached["rigcast"] is before
    assert one.cached["rigcast"].session is not other.cached["rigcast"].session
    assert one.cached["rigcast"].model is other.cached["rigcast"].model


def test_a_new_file_makes_a_new_session(model, path, tmp_path):
    node = cooked(model, path, exact_pose(model), SAME)
    before = node.cached["rigcast"]
    other = arm(tmp_path / "other.safetensors", unit=0.5)
    os.replace(tmp_path / "other.safetensors", path)
    os.utime(path, ns=(10**18, 10**18))
    node.geometry().floats["P"] = in_scene(other, other.rest_vertices, up="Z")
    node.inputs = tuple(kinefx(other, pose, up="Z") for pose in (rest_of(other), exact_pose(other, 2)))
    rigcast_houdini.cook(node, path, space=SAME)
    assert node.cached["rigcast"] is not before
    same(points(node), in_scene(other, other.evaluate(exact_pose(other, 2)), up="Z"))


def test_a_deleted_node_frees_its_session(model, path):
    node = cooked(model, path, exact_pose(model), SAME)
    session = weakref.ref(node.cached["rigcast"].session)
    del node
    gc.collect()
    assert session() is None


def test_a_file_that_is_gone_frees_the_session(model, path):
    node = cooked(model, path, exact_pose(model), SAME)
    os.remove(path)
    with pytest.raises(fake_hou.NodeError, match=r"arm\.safetensors is not there"):
        rigcast_houdini.cook(node, path, space=SAME)
    assert not node.cached


def test_without_a_skeleton_at_rest_a_message_says_what_is_assumed(model, path):
    pose = exact_pose(model, 4)
    node = cooked(model, path, pose, SAME, rest=False)
    same(points(node), model.evaluate(pose))
    assert any("taken for the model's" in text for text in node.messages)


def test_a_part_of_a_model_is_moved_alone(tmp_path):
    path = str(tmp_path / "arm.safetensors")
    model = arm(path, parts=True)
    hand = np.asarray(model.vertex_parts) == model.parts.index("hand")
    node = fake_hou.SopNode(mesh(model, up="Z", vertices=model.rest_vertices[hand]))
    node.inputs = tuple(kinefx(model, pose, up="Z") for pose in (rest_of(model), exact_pose(model)))
    with pytest.raises(
        fake_hou.NodeError, match=r"13 points, the model 33 vertices; its part 'hand' has as many: name this part"
    ):
        rigcast_houdini.cook(node, path, space=SAME)
    rigcast_houdini.cook(node, path, part="hand", space=SAME)
    same(points(node), model.evaluate(exact_pose(model))[hand])


def test_the_text_for_a_python_sop_cooks(model, path, tmp_path, monkeypatch):
    hero = arm(tmp_path / "hero.safetensors", up="Y")
    pose = exact_pose(hero, 6)
    node = fake_hou.SopNode(mesh(hero), *(kinefx(hero, row) for row in (rest_of(hero), pose)))
    monkeypatch.setattr(fake_hou.here, "node", node)
    monkeypatch.setattr(fake_hou, "HIP", str(tmp_path))
    text = (FILES / "rigcast" / "python_sop.py").read_text()
    exec(compile(text, "python_sop.py", "exec"), {})
    same(points(node), hero.evaluate(pose))
    assert node.messages == []
    assert len([line for line in text.splitlines() if line and not line.startswith("#")]) <= 6
