"""Shots solved and keyed: the bytes of the runtime."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES
from tests.houdini import fake_hou
from tests.support.characters.exact_arm import arm, in_scene

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_houdini
from rigcast_houdini import Space

import rigcast_runtime as rr

CENTIMETERS = Space(0.01)  # those of the face
FRAMES = [1.0, 2.0, 3.0]


@pytest.fixture(scope="module")
def face(tmp_path_factory):
    path = tmp_path_factory.mktemp("face") / "face.safetensors"
    rc.faces.example().save(path)
    return rr.load(path), str(path)


@pytest.fixture(scope="module")
def shot(face):
    """Weights (T, K), and the vertices (T, V, 3) of them."""
    weights = np.random.default_rng(2).uniform(0.0, 1.0, (len(FRAMES), face[0].num_shapes)) ** 3
    return weights, face[0].evaluate(weights)


def test_a_frame_is_solved_into_detail_attributes(face, shot):
    model, path = face
    node = fake_hou.SopNode(fake_hou.Geometry(shot[1][1]))
    found = rigcast_houdini.solve(node, path, space=CENTIMETERS, alpha=0.01)
    expected = rr.solve(model, shot[1][1], 0.01)
    assert found.weights.tobytes() == expected.weights.tobytes()
    details = node.geometry().details
    assert [details[name] for name in model.shape_names] == expected.weights[0].tolist()
    assert details["rigcast_error_mm"] == 10.0 * float(expected.rmse[0])


def test_solved_weights_move_the_face_again(face, shot):
    """The node behind reads the detail attributes."""
    model, path = face
    solved = fake_hou.SopNode(fake_hou.Geometry(shot[1][2]))
    found = rigcast_houdini.solve(solved, path, space=CENTIMETERS)
    node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices), solved.geometry())
    rigcast_houdini.cook(node, path, pose=node.inputGeometry(1), space=CENTIMETERS)
    assert node.geometry().floats["P"].tobytes() == model.evaluate(found.weights[0]).tobytes()
    assert np.abs(node.geometry().floats["P"] - shot[1][2]).max() < TOLERANCES["printed"]


def test_a_shot_in_meters_is_solved_in_the_units_of_the_model(face, shot):
    model, path = face
    node = fake_hou.SopNode(fake_hou.Geometry(in_scene(model, shot[1][0])))
    found = rigcast_houdini.solve(node, path)
    assert np.abs(model.evaluate(found.weights[0]) - shot[1][0]).max() < TOLERANCES["printed"]  # centimeters
    assert any("converted" in text for text in node.messages)


def test_a_shot_is_solved_at_once(face, shot):
    model, path = face
    moving = {frame: fake_hou.Geometry(vertices) for frame, vertices in zip(FRAMES, shot[1], strict=True)}
    source = fake_hou.SopNode(frames=moving)
    found = rigcast_houdini.solve_shot(source, path, FRAMES, smoothness=0.5, space=CENTIMETERS)
    expected = rr.solve(model, shot[1], 0.0, 0.5)
    assert found.weights.tobytes() == expected.weights.tobytes()
    shown = fake_hou.InterruptableOperation.last.shown
    assert shown == sorted(shown)
    assert shown[-1] == 1.0


def test_esc_ends_a_solve(face, shot, monkeypatch):
    moving = {frame: fake_hou.Geometry(vertices) for frame, vertices in zip(FRAMES, shot[1], strict=True)}
    monkeypatch.setattr(fake_hou.InterruptableOperation, "escape_after", 3)
    with pytest.raises(fake_hou.OperationInterrupted):
        rigcast_houdini.solve_shot(fake_hou.SopNode(frames=moving), face[1], FRAMES, space=CENTIMETERS)


def test_what_cannot_be_solved_is_said(face, shot, tmp_path):
    arm(tmp_path / "arm.safetensors")
    short = fake_hou.SopNode(fake_hou.Geometry(shot[1][0][:9]), frames={1.0: fake_hou.Geometry(shot[1][0][:9])})
    with pytest.raises(fake_hou.NodeError, match="the geometry has 9 points, the model 2536 vertices"):
        rigcast_houdini.solve(short, face[1])
    with pytest.raises(fake_hou.NodeError, match="/obj/SopNode in frame 1 has 9 points"):
        rigcast_houdini.solve_shot(short, face[1], [1.0])
    with pytest.raises(fake_hou.NodeError, match="no geometry in frame 2"):
        rigcast_houdini.solve_shot(short, face[1], [2.0])
    with pytest.raises(fake_hou.NodeError, match="frames is empty"):
        rigcast_houdini.solve_shot(short, face[1], [])
    with pytest.raises(fake_hou.NodeError, match="kind linear_blend; only the weights of a blendshape rig"):
        rigcast_houdini.solve(short, str(tmp_path / "arm.safetensors"))
    with pytest.raises(fake_hou.NodeError, match="alpha is"):
        rigcast_houdini.solve(fake_hou.SopNode(fake_hou.Geometry(shot[1][0])), face[1], alpha=-1.0)


def test_keys_have_the_weights_of_the_frames(face, shot, monkeypatch):
    model, path = face
    null = fake_hou.OpNode(jawOpen=0.5)
    added = rigcast_houdini.key_weights(null, model.shape_names, FRAMES, shot[0])
    assert added == [name for name in model.shape_names if name != "jawOpen"]
    for place, frame in enumerate(FRAMES):
        monkeypatch.setattr(fake_hou.here, "frame", frame)
        node = fake_hou.SopNode(fake_hou.Geometry(model.rest_vertices))
        rigcast_houdini.cook(node, path, pose=null, space=CENTIMETERS)
        assert node.geometry().floats["P"].tobytes() == shot[1][place].tobytes()


@pytest.mark.parametrize(
    ("names", "weights", "words"),
    [
        (["a.b", "a b"], np.zeros((3, 2)), "two of the shapes would be the parameter a_b"),
        (["a"], np.zeros((2, 1)), r"weights are \(2, 1\); they must be \(3, 1\)"),
    ],
)
def test_keys_that_do_not_fit(names, weights, words):
    with pytest.raises(fake_hou.NodeError, match=words):
        rigcast_houdini.key_weights(fake_hou.OpNode(), names, FRAMES, weights)


def test_further_names_join_the_folder_that_is_there():
    null = fake_hou.OpNode()
    for names in (["a"], ["a", "b", "c"]):
        rigcast_houdini.key_weights(null, names, FRAMES, np.zeros((3, len(names))))
    (folder,) = null.parmTemplateGroup()
    assert (folder.label, list(folder)) == ("Rigcast", ["a", "b", "c"])
