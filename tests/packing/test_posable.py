"""Shapes that nobody can pose alone are left out of a plan, and said so."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.cli.command import json_of, rigcast_command
from tests.support.characters.plain_face import plain_face


def called(names: list[str]) -> rc.BlendshapeRig:
    return rc.BlendshapeRig(np.eye(3), np.ones((len(names), 3, 3)), names=names)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["PupilDilate_L", "pupil.R", "smile"], {"PupilDilate_L": "a pupil", "pupil.R": "a pupil"}),
        (["jawOpen", "mouthClose"], {"mouthClose": "corrects jawOpen"}),
        (["mouth_close", "smile"], {}),
        (["a", "b", "a * b", "a at 0.5"], {"a * b": "corrects a with b", "a at 0.5": "corrects a"}),
        (["a", "b", "a@0.5", "b@home"], {"a@0.5": "corrects a"}),
        (["jawOpen", "smile_L", "jawOpen_smile_L"], {"jawOpen_smile_L": "corrects jawOpen with smile_L"}),
        (
            ["ears_up", "earUp_L", "smile", "tear_L"],
            dict.fromkeys(["ears_up", "earUp_L"], "an ear, which few can move"),
        ),
        (["smile", "elbow_corrective"], {"elbow_corrective": "a corrective by its name"}),
        (["smile", "smile_L", "smile_R", "fixate"], {}),
        (["eyeLookUp_L", "mouthLeft", "mouthRight", "eyeBlink_L", "eyeWide_L"], {}),
    ],
)
def test_shapes_are_found_by_their_names(names, expected):
    assert rc.transfer.unposable_shapes(called(names)) == expected


def test_of_a_published_face_only_pupils_and_the_mouths_corrective_are_left_out(data_path):
    names = [str(name) for name in np.load(data_path("ict_facekit", "expressions.npz"))["names"]]
    assert set(rc.transfer.unposable_shapes(called(names))) == {"PupilDilate_L", "PupilDilate_R", "mouthClose"}


@pytest.fixture
def folder(tmp_path):
    """The constructed face with a shape that corrects two others and one of a pupil."""
    rig = plain_face()
    names = ["left_smile", "right_smile", "left_brow", "right_brow", "left_brow_right_brow", "PupilDilate"]
    rc.BlendshapeRig(rig.rest_vertices, rig.columns(), faces=rig.faces, names=names).save(tmp_path / "f.safetensors")
    return tmp_path


def posed(told: dict) -> set[str]:
    return {name for expression in told["expressions"] for name in expression}


def test_they_stand_in_no_expression_and_are_named(folder):
    told = json_of("pack", "f.safetensors", "-o", "plan.json", folder=folder)
    assert posed(told) == {"left_smile", "right_smile", "left_brow", "right_brow"}
    assert told["left_out"] == {"left_brow_right_brow": "corrects left_brow with right_brow", "PupilDilate": "a pupil"}
    shown = rigcast_command("pack", "f.safetensors", "-o", "shown.json", folder=folder).stdout
    assert "left out, nobody poses them alone: left_brow_right_brow (corrects left_brow with right_brow)" in shown


@pytest.mark.parametrize(("names", "left"), [("all", set()), ("PupilDilate", {"left_brow_right_brow"})])
def test_with_brings_them_back(folder, names, left):
    told = json_of("pack", "f.safetensors", "-o", "plan.json", "--with", names, folder=folder)
    assert set(told["left_out"]) == left
    assert len(posed(told)) == 6 - len(left)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--with", "chin"], "--with: the rig has no shape 'chin'"),
        (["--with", "PupilDilat"], "did you mean PupilDilate?"),
        (["--with", "PupilDilate", "--without", "PupilDilate"], "both name PupilDilate"),
    ],
)
def test_with_is_checked(folder, arguments, words):
    done = rigcast_command("pack", "f.safetensors", "-o", "plan.json", *arguments, folder=folder)
    assert done.returncode == 2
    assert words in done.stderr
