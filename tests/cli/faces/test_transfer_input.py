"""What ``rigcast transfer`` says of its input: what is refused, in one sentence, and what is noted."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.cli.command import json_of, rigcast_command
from tests.support.characters.second_face import first_face, second_neutral, second_truth, write_obj

Z_TO_Y = np.float32([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # what points up in z points up in y


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["other.obj", "-o", "w.fbx"], "w.fbx has a format that cannot be written; it must end in .glb"),
        (["short.npy", "-o", "w.npz"], "another topology needs landmarks"),
        (["short.npy", "-o", "w.npz", "--landmarks", "marks.csv"], "a mesh without faces"),
        (["nan.npy", "-o", "w.npz"], "nan.npy: not finite at vertex 0 (nan)"),
        (
            ["other.obj", "-o", "w.npz", "--examples-up-axis", "Z"],
            "--examples-up-axis is about --examples, of which there",
        ),
        (
            ["other.obj", "-o", "w.npz", "--examples-weights", "short.npy"],
            "--examples-weights and --estimate are about --examples",
        ),
        (
            ["other.obj", "-o", "w.npz", "--examples", "short.npy"],
            "(1, 50, 3); every mesh must have 117 vertices",
        ),
        (
            ["other.obj", "-o", "w.npz", "--examples", "scans", "--examples-weights", "two.npy"],
            "weights of shape (3, 2)",
        ),
        (
            ["other.obj", "-o", "w.npz", "--examples", "scans", "--examples-weights", "words.json"],
            "is no expression plan",
        ),
        (["other.obj", "-o", "w.npz", "--fixed", "words.json"], "not a vertex per line"),
        (
            ["other.obj", "-o", "w.npz", "--fixed", "far.txt"],
            "--fixed far.txt: 5000 in line 1; it must be vertices of the target, from 0 to 116",
        ),
        (
            ["other.obj", "-o", "w.npz", "--contacts", "far_pairs.txt"],
            "5000 in line 2; it must be vertices of the target",
        ),
        (["other.obj", "-o", "w.npz", "--contacts", "same.txt"], "vertex 4 with itself in line 2"),
        (["other.obj", "-o", "w.npz", "--unit", "stone"], "stone is no unit; it must be mm, cm, dm, m, in, ft, or its"),
        (["other.obj", "-o", "w.npz", "--unit", "-1"], "-1 is no unit"),
        (["other.obj", "-o", "w.npz", "--no-measure", "--report", "r.html"], "--report needs what --no-measure leaves"),
        (["broken.obj", "-o", "w.npz"], "broken.obj: no mesh ("),
        (["hole.npy", "-o", "w.npz"], "hole.npy: not finite at vertex 7 (inf)"),
        (["other.obj", "-o", "w.npz", "--contacts", "perhaps"], "'perhaps' is no file; it must be auto, off or a file"),
        (["other.obj", "-o", "w.npz", "--truth", "strange.safetensors"], "truth is a rig of other shapes"),
        (["words.json", "-o", "w.npz"], "words.json"),
        (["words.npz", "-o", "w.npz"], "words.npz: no zip archive"),
        (["other.obj"], "-o"),
    ],
)
def test_wrong_input_is_one_sentence_and_code_two(face_files, arguments, words, monkeypatch, capsys):
    np.save(face_files / "short.npy", second_neutral()[:50])
    np.save(face_files / "nan.npy", np.full((117, 3), np.nan, np.float32))
    np.save(face_files / "two.npy", np.zeros((3, 2)))
    for name in ("words.json", "words.npz"):
        (face_files / name).write_text("left eye")
    (face_files / "far.txt").write_text("5000\n")
    (face_files / "far_pairs.txt").write_text("1 2\n3 5000\n")
    (face_files / "same.txt").write_text("1 2\n4 4\n")
    (face_files / "broken.obj").write_text("v 1 2\n")
    hole = second_neutral()
    hole[7, 2] = np.inf
    np.save(face_files / "hole.npy", hole)
    (face_files / "marks.csv").write_text("1,1\n2,2\n40,40\n")
    rig = first_face()
    other = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[:1], names=["ear"], faces=rig.faces)
    other.save(face_files / "strange.safetensors")
    monkeypatch.chdir(face_files)
    assert dispatch.main(["transfer", "face.safetensors", *arguments, "--overwrite"]) == 2
    shown = capsys.readouterr()
    assert words in shown.err.splitlines()[-1]
    assert shown.out == ""
    assert not (face_files / "w.npz").exists()
    assert not (face_files / "w.npz.partial").exists(), "all arguments are looked at before any work"


def test_collapsed_faces_are_said_and_no_error(face_files):
    """Three corners of a face in one point: the rig is written, measured, and the face is named."""
    target, faces = second_neutral(), first_face().faces
    target[faces[40, 1:]] = target[faces[40, 0]]
    write_obj(face_files / "collapsed.obj", target, faces)
    arguments = ["transfer", "--overwrite", "face.safetensors", "collapsed.obj", "-o", "k.npz", "--contacts", "off"]
    told = json_of(*arguments, folder=face_files)
    count = len(rc.transfer.DeformationTransfer(target, target, faces).degenerate_faces)
    assert told["degenerate_faces"] == count > 0
    shown = rigcast_command(*arguments, folder=face_files)
    assert shown.returncode == 0, shown.stderr
    assert f"degenerate faces  {count}:" in shown.stdout
    assert np.isfinite(rc.sources.load_blendshapes(face_files / "k.npz").columns()).all()
    np.save(face_files / "point.npy", np.zeros((117, 3)))
    none = rigcast_command("transfer", "--overwrite", "face.safetensors", "point.npy", "-o", "w.npz", folder=face_files)
    assert none.returncode == 2
    assert "point.npy is a mesh with no area in any of its 96 faces; it must be a surface" in none.stderr


def test_the_unit_of_a_bare_target(face_files):
    """A mesh in meters for a rig in centimeters: said where nobody says it, right where somebody does."""
    np.save(face_files / "meters.npy", 0.01 * second_neutral())
    arguments = ["transfer", "--overwrite", "face.safetensors", "meters.npy", "--contacts", "off", "--no-measure"]
    guessed = json_of(*arguments, "-o", "u.npz", folder=face_files)
    assert len(guessed["notes"]) == 1
    assert "meters.npy is 0.01" in guessed["notes"][0]
    assert "With --unit m it is" in guessed["notes"][0]
    assert rc.sources.load_blendshapes(face_files / "u.npz").meters_per_unit == 0.01
    for given in ("m", "1.0"):
        told = json_of(*arguments, "-o", "u.npz", "--unit", given, folder=face_files)
        assert told["notes"] == []
        assert rc.sources.load_blendshapes(face_files / "u.npz").meters_per_unit == 1.0
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "u.npz", "--no-measure", folder=face_files
    )
    assert told["notes"] == []


@pytest.mark.parametrize(("option", "axis"), [([], "Y"), (["--up-axis", "Z"], "Z")])
def test_a_target_on_its_back(face_files, option, axis):
    write_obj(face_files / "lying.obj", second_neutral() @ Z_TO_Y, first_face().faces)
    given = ["face.safetensors", "lying.obj", "-o", "lying.npz", "--contacts", "off", "--no-measure", "--overwrite"]
    notes = json_of("transfer", *given, *option, folder=face_files)["notes"]
    said = "lying.obj lies as a mesh with z up would: with --up-axis Z it stands as the source does"
    assert notes == [said] * (not option)
    assert rc.sources.load_blendshapes(face_files / "lying.npz").up_axis == axis


@pytest.mark.parametrize(
    ("change", "option", "words"),
    [
        (lambda scans: scans, [], []),
        (lambda scans: 10 * scans, [], ["all scans are 10 times as large as the target"]),
        (lambda scans: scans * np.float32([-1, 1, 1]), [], ["all scans are mirrored"]),
        (lambda scans: scans[::-1], [], ["scans look to be in another order than their weights"]),
        (
            lambda scans: scans @ Z_TO_Y,
            [],
            ["a scan lies as one with z up would: with --examples-up-axis Z it stands as", "all scans are turned or"],
        ),
        (lambda scans: scans @ Z_TO_Y, ["--examples-up-axis", "Z"], []),
    ],
)
def test_scans_that_cannot_be_meant_are_noted(face_files, change, option, words):
    scans = second_neutral() + second_truth().columns()[:6]
    np.save(face_files / "six.npy", change(scans).astype(np.float32))
    np.save(face_files / "six_weights.npy", np.eye(6))
    given = ["face.safetensors", "other.obj", "-o", "six.npz", "--contacts", "off", "--no-measure", "--overwrite"]
    given += ["--examples", "six.npy", "--examples-weights", "six_weights.npy", *option]
    notes = json_of("transfer", *given, folder=face_files)["notes"]
    assert len(notes) == len(words)
    for note, text in zip(notes, words, strict=True):
        assert note.startswith(text)


def test_landmarks_counted_from_1_are_refused_in_a_sentence(face_files):
    rows = np.loadtxt(face_files / "landmarks.csv", delimiter=",", dtype=int)[:-1] + np.array([0, 1])
    np.savetxt(face_files / "from_1.csv", rows, fmt="%d", delimiter=",")
    given = ["face.safetensors", "other.obj", "-o", "w.npz", "--landmarks", "from_1.csv", "--contacts", "off"]
    done = rigcast_command("transfer", *given, folder=face_files)
    assert done.returncode == 2
    assert "counted from 1" in done.stderr.splitlines()[-1]
    assert not (face_files / "w.npz").exists()


def test_help_says_that_landmarks_count_from_0(face_files):
    assert "counted from 0" in " ".join(rigcast_command("transfer", "--help", folder=face_files).stdout.split())


def face_with_pupils(path) -> rc.BlendshapeRig:
    """The first face with an eye apart from it, which one shape dilates and a target without eyes cannot follow."""
    rig = first_face()
    count = len(rig.rest_vertices)
    eye = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) + np.float32([40, 40, -30])
    shapes = np.zeros((rig.num_shapes + 1, count + 4, 3), np.float32)
    shapes[:-1, :count] = rig.columns()[: rig.num_shapes]
    shapes[-1, count:] = eye - eye.mean(axis=0)
    made = rc.BlendshapeRig(
        np.concatenate([rig.rest_vertices, eye]),
        shapes,
        names=[*rig.shape_names, "PupilDilate"],
        faces=np.concatenate([rig.faces, np.int32([[count, count + 1, count + 2, count + 3]])]),
        metadata={"meters_per_unit": 0.01, "up_axis": "Y"},
    )
    made.save(path)
    return made


def test_shapes_that_end_up_empty_are_named(face_files):
    face_with_pupils(face_files / "pupils.safetensors")
    given = ["--overwrite", "pupils.safetensors", "other.obj", "-o", "e.npz", "--landmarks", "landmarks.csv"]
    given += ["--contacts", "off", "--no-measure"]
    told = json_of("transfer", *given, folder=face_files)
    assert told["empty"] == ["PupilDilate"]
    assert told["notes"][0].startswith("empty in the target: PupilDilate; what they move in the source has no")
    shown = rigcast_command("transfer", *given, folder=face_files).stdout
    assert "empty shapes  1: PupilDilate" in shown


def test_a_landmark_that_no_case_explains_is_named_in_millimeters(face_files):
    rows = np.loadtxt(face_files / "landmarks.csv", delimiter=",", dtype=int)
    rows[2, 1] = rows[-1, 1]
    np.savetxt(face_files / "one_wrong.csv", rows, fmt="%d", delimiter=",")
    given = ["face.safetensors", "other.obj", "-o", "o.npz", "--landmarks", "one_wrong.csv", "--contacts", "off"]
    told = json_of("transfer", *given, "--no-measure", "--overwrite", folder=face_files)
    doubt, note = told["notes"]
    assert doubt.startswith(f"{len(told['undecided_vertices'])} vertices of the target lie between places that are far")
    assert note.startswith("landmarks that miss each other when the faces are laid over each other: line ")
    assert f"line 3 (vertex {rows[2, 0]} to {rows[2, 1]}) by " in note
    assert " mm" in note


def test_texture_coordinates_of_an_obj_target_are_missed_by_name(face_files):
    write_obj(face_files / "painted.obj", second_neutral(), first_face().faces)
    with (face_files / "painted.obj").open("a") as stream:
        stream.write("mtllib skin.mtl\nvt 0 0\n")
    given = ["face.safetensors", "painted.obj", "-o", "p.npz", "--contacts", "off", "--no-measure", "--overwrite"]
    assert json_of("transfer", *given, folder=face_files)["notes"] == [
        "material libraries of painted.obj that p.npz does not have: skin.mtl; assign them again",
        "texture coordinates of painted.obj are not in p.npz: copy them from that mesh, whose vertices have the same "
        "order",
    ]
