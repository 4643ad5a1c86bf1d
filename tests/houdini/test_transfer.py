"""Shapes transferred by a process of rigcast: the bytes of the command, and what it says if it fails."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import rigcast as rc
from tests.cli.command import rigcast_command
from tests.houdini import fake_hou
from tests.support.characters.exact_arm import in_scene

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

import rigcast_houdini
from rigcast_houdini import process

CORNERS = {"landmark_a": 0, "landmark_b": -1, "landmark_c": 4, "other": 2}


def patch(side, height=1.0):
    """A bulging square of side x side vertices, and its faces, counterclockwise seen from z."""
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    vertices = np.stack([x, y, height * (2 - x * x - y * y) / 4], axis=2).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    return vertices, np.stack([corner, corner + 1, corner + side + 1, corner + side], axis=1).astype(np.int32)


def in_houdini(model, vertices, faces=(), marks=()):
    """A mesh in meters, whose polygons run clockwise, with point groups of one point each."""
    groups = {name: [place % len(vertices)] for name, place in dict(marks).items()}
    return fake_hou.Geometry(in_scene(model, vertices), faces=[row[::-1] for row in faces], groups=groups)


@pytest.fixture(scope="module")
def face(tmp_path_factory):
    """A face of 81 vertices in centimeters, and its file."""
    path = tmp_path_factory.mktemp("face") / "face.safetensors"
    vertices, faces = patch(9)
    deltas = np.zeros((2, 81, 3), np.float32)
    deltas[0, :, 2] = np.exp(-4 * (vertices[:, 0] ** 2 + vertices[:, 1] ** 2))
    deltas[1, :, 1] = np.maximum(0.0, vertices[:, 1]) * 0.25
    facts = {"up_axis": "Y", "meters_per_unit": 0.01}
    rc.BlendshapeRig(vertices, deltas, names=["bulge", "rise"], faces=faces, metadata=facts).save(path)
    return rc.load(path), str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A program ``rigcast`` as one that is installed elsewhere."""
    path = tmp_path_factory.mktemp("program") / "rigcast"
    package = os.path.dirname(os.path.dirname(rc.__file__))
    path.write_text(f'#!/bin/sh\nOMP_NUM_THREADS=1 PYTHONPATH={package} exec {sys.executable} -m rigcast "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def higher(face):
    return patch(9, 1.5)[0]


@pytest.fixture(scope="module")
def made(face, higher, program, tmp_path_factory):
    """A model of the higher face."""
    path = tmp_path_factory.mktemp("made") / "made.safetensors"
    assert rigcast_houdini.transfer(face[1], in_houdini(face[0], higher), str(path), program=program) == []
    return path


def test_a_transfer_has_the_bytes_of_the_command(face, higher, made, tmp_path):
    model, path = face
    lines = ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in in_scene(model, higher).tolist()]
    lines += ["f " + " ".join(str(corner + 1) for corner in row) for row in model.faces.tolist()]
    (tmp_path / "target.obj").write_text("\n".join(lines))
    words = ["--unit", "1.0", "--up-axis", "Y", "--no-measure"]
    done = rigcast_command("transfer", path, "target.obj", "-o", "own.safetensors", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert made.read_bytes() == (tmp_path / "own.safetensors").read_bytes()


def test_a_transferred_face_cooks_in_the_scene_of_its_target(face, higher, made):
    points = in_scene(face[0], higher)
    node = fake_hou.SopNode(fake_hou.Geometry(points))
    rigcast_houdini.cook(node, str(made), pose={"bulge": 0.5, "rise": 0.0})
    model = rc.load(made)
    assert node.geometry().floats["P"].tobytes() == in_scene(model, model.evaluate([0.5, 0.0])).tobytes()
    assert np.abs(node.geometry().floats["P"] - points).max() > 0.004


def test_landmarks_lead_to_another_topology(face, program, tmp_path):
    model, path = face
    vertices, faces = patch(11, 1.25)
    target = in_houdini(model, vertices, faces, {"landmark_a": 0, "landmark_b": -1, "landmark_c": 5, "landmark_d": 9})
    source = in_houdini(model, model.rest_vertices, marks=CORNERS)
    rigcast_houdini.transfer(path, target, str(tmp_path / "made.safetensors"), source=source, program=program)
    made = rc.load(tmp_path / "made.safetensors")
    np.testing.assert_array_equal(made.faces, faces)
    middle = int(np.abs(made.evaluate([1.0, 0.0]) - made.rest_vertices).max(axis=1).argmax())
    assert np.linalg.norm(vertices[middle, :2]) < 0.2  # shares of the side: the bulge came to the middle


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"landmark_a": [1]}, "3 or more point groups .* 1 are there"),
        ({"landmark_a": [1, 2]}, "point group landmark_a has 2 points; a landmark is one"),
    ],
)
def test_landmarks_that_do_not_suffice(face, program, tmp_path, marks, words):
    model, path = face
    one, other = (in_houdini(model, vertices, patch(9)[1]) for vertices in (model.rest_vertices, patch(9, 2.0)[0]))
    one.groups = other.groups = marks
    with pytest.raises(fake_hou.NodeError, match=words):
        rigcast_houdini.transfer(path, other, str(tmp_path / "made.safetensors"), source=one, program=program)


def test_a_target_of_another_topology_asks_for_landmarks(face, program, tmp_path):
    model, path = face
    target = in_houdini(model, patch(11)[0])
    with pytest.raises(fake_hou.NodeError, match="has 121 points, the model 81 vertices: for another topology"):
        rigcast_houdini.transfer(path, target, str(tmp_path / "made.safetensors"), program=program)


def test_without_the_whole_package_it_says_how_to_get_it(face, higher, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    target, out = in_houdini(face[0], higher), str(tmp_path / "made.safetensors")
    with pytest.raises(
        fake_hou.NodeError, match=r"no program rigcast on the PATH: .* pip install rigcast into a Python"
    ):
        rigcast_houdini.transfer(face[1], target, out)
    monkeypatch.setenv("RIGCAST_PROGRAM", "/nowhere/rigcast")
    with pytest.raises(fake_hou.NodeError, match="/nowhere/rigcast is no program"):
        rigcast_houdini.transfer(face[1], target, out)


def test_a_python_that_has_the_package_is_a_program():
    assert process.command(sys.executable) == [sys.executable, "-m", "rigcast"]


def test_the_sentence_of_the_command_is_that_of_the_error(face, higher, program, tmp_path):
    with pytest.raises(fake_hou.NodeError, match=r"made\.nothing"):
        rigcast_houdini.transfer(face[1], in_houdini(face[0], higher), str(tmp_path / "made.nothing"), program=program)


def test_esc_ends_the_process_and_leaves_nothing(face, higher, tmp_path, monkeypatch):
    """The program waits for the end of its stdin, and says that it came."""
    waiting = tmp_path / "rigcast"
    waiting.write_text(f"#!/bin/sh\ncat > /dev/null\necho ended > {tmp_path}/ended\nexit 1\n")
    waiting.chmod(0o755)
    monkeypatch.setattr(fake_hou.InterruptableOperation, "escape_after", 2)
    with pytest.raises(fake_hou.OperationInterrupted):
        rigcast_houdini.transfer(face[1], in_houdini(face[0], higher), str(tmp_path / "made"), program=str(waiting))
    assert (tmp_path / "ended").read_text() == "ended\n"
    assert not (tmp_path / "made").exists()


def test_progress_is_that_of_the_last_whole_line(tmp_path):
    told = tmp_path / "rigcast.log"
    for text, share in (("", -1.0), ('{"stage": "a", "done": 1, "total": 4}\n{"sta', 0.25), ('{"stage": "b"}\n', -1.0)):
        told.write_text(text)
        assert process._fraction(told) == share
