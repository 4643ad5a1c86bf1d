"""``rigwright transfer`` in processes of its own: results, examples, interruptions, wrong input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import rigwright as rw
from rigwright.cli import _dispatch as dispatch
from tests.cli.command import environment, json_of, rigwright_command
from tests.support.glb import Gltf
from tests.support.second_face import first_face, second_neutral, second_truth, write_obj


def test_the_command_is_the_function(face_files):
    """Every kind of target, every format of the result: the rig of ``transfer_rig``."""
    np.save(face_files / "other.npy", second_neutral())
    np.savez(face_files / "other.npz", vertices=second_neutral()[None], faces=first_face().faces)
    expected = rw.transfer.transfer_rig(first_face(), second_neutral())
    for target, output in (
        ("other.obj", "a.safetensors"),
        ("other.npy", "b.npz"),
        ("other.npz", "c.npz"),
        ("truth.safetensors", "d.npz"),
    ):
        told = json_of(
            "transfer", "--overwrite", "face.safetensors", target, "-o", output, "--contacts", "off", folder=face_files
        )
        assert (told["shapes"], told["combinations"], told["vertices"]) == (6, 2, 117)
        made = rw.sources.load_blendshapes(face_files / output)
        np.testing.assert_allclose(made.columns(), expected.columns(), atol=2e-5)
        assert made.combinations == expected.combinations
        assert made.metadata["meters_per_unit"] == 0.01
    assert not list(face_files.glob("*.partial"))


def one_mesh_glb(path, vertices, faces, morphs: bool) -> None:
    g = Gltf()
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    primitive = {"attributes": {"POSITION": g.add(vertices)}, "indices": g.add(triangles.reshape(-1), "u2")}
    if morphs:
        primitive["targets"] = [{"POSITION": g.add(np.ones_like(vertices))}]
    g.json |= {"meshes": [{"primitives": [primitive]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}
    g.write(path)


def test_a_mesh_without_shapes_is_a_target_in_gltf_too(face_files):
    """Meters, y up: units of the target, so that millimeters are right."""
    rig = first_face()
    for name, morphs in (("still.glb", False), ("moving.glb", True)):
        one_mesh_glb(face_files / name, 0.01 * second_neutral(), rig.faces, morphs)
        told = json_of(
            "transfer", "--overwrite", "face.safetensors", name, "-o", "g.npz", "--contacts", "off", folder=face_files
        )
        assert told["vertices"] == 117
        made = rw.sources.load_blendshapes(face_files / "g.npz")
        assert (made.metadata["meters_per_unit"], made.metadata["up_axis"]) == (1.0, "Y")
        expected = rw.transfer.transfer_rig(rig, 0.01 * second_neutral())
        np.testing.assert_allclose(made.columns(), expected.columns(), atol=2e-7)


def test_errors_are_told_beside_those_of_plain_copies(face_files):
    arguments = ["--truth", "truth.safetensors", "--contacts", "off"]
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "t.npz", *arguments, folder=face_files
    )
    rig, truth = first_face(), second_truth()
    made = rw.transfer.transfer_rig(rig, second_neutral())
    for name, columns in (("mean_error_mm", made.columns()), ("copy_mean_error_mm", rig.columns())):
        apart = 10.0 * np.linalg.norm(columns[:6] - truth.columns()[:6], axis=2)
        moved = rig.columns()[:6].any(axis=2) | truth.columns()[:6].any(axis=2)
        expected = np.mean([row[inside].mean() for row, inside in zip(apart, moved, strict=True)])
        assert told[name] == pytest.approx(expected, rel=1e-3)
    assert set(told["errors_mm"]) == set(rig.shape_names)
    shown = rigwright_command(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "t.npz", *arguments, folder=face_files
    )
    assert "from the truth" in shown.stdout


def face_at_rest_below() -> tuple[rw.BlendshapeRig, np.ndarray]:
    """The first face with small offsets cut off, and what then moves in none of its columns."""
    rig = first_face()
    columns = np.where(np.linalg.norm(rig.columns(), axis=2, keepdims=True) < 0.02, 0, rig.columns())
    shapes, combinations = columns[: rig.num_shapes], columns[rig.num_shapes :]
    cut = rw.BlendshapeRig(
        rig.rest_vertices,
        shapes,
        list(zip(rig.combinations, combinations, strict=True)),
        names=rig.shape_names,
        faces=rig.faces,
    )
    return cut, np.flatnonzero(~columns.any(axis=(0, 2)))


def test_fixed_vertices_and_edited_contacts(face_files):
    rig, still = face_at_rest_below()
    rig.save(face_files / "below.safetensors")
    still = np.union1d(still[::2], [60])
    (face_files / "still.txt").write_text("\n".join(map(str, still)))
    (face_files / "pairs.csv").write_text("3,30\n4,31\n")
    arguments = ["--fixed", "still.txt", "--contacts", "pairs.csv", "--save-contacts", "saved.txt"]
    told = json_of(
        "transfer", "--overwrite", "below.safetensors", "other.obj", "-o", "f.npz", *arguments, folder=face_files
    )
    assert told["contacts"] == 2
    assert set(told["crossings"]) == {"source", "new", "new_without_contacts"}
    assert np.loadtxt(face_files / "saved.txt").tolist() == [[3, 30], [4, 31]]
    made = rw.sources.load_blendshapes(face_files / "f.npz")
    expected = rw.transfer.transfer_rig(rig, second_neutral(), fixed=still, contacts=[[3, 30], [4, 31]])
    np.testing.assert_allclose(made.columns(), expected.columns(), atol=2e-5)
    assert not made.columns()[:, still].any()


def test_what_rests_in_the_rig_rests_unless_told_otherwise(face_files):
    rig, still = face_at_rest_below()
    assert len(still) > 5
    rig.save(face_files / "below.safetensors")
    made = {}
    for fixed in ([], ["--fixed", "rest"], ["--fixed", "each"], ["--fixed", "off"]):
        given = ["below.safetensors", "other.obj", "--contacts", "off", *fixed]
        json_of("transfer", "--overwrite", *given, "-o", "b.npz", folder=face_files)
        made[" ".join(fixed[1:])] = rw.sources.load_blendshapes(face_files / "b.npz").columns()
    assert not made["rest"][:, still].any()
    assert made["off"][:, still].any()
    assert np.array_equal(made[""], made["rest"])
    linear = rig.columns()[:6].any(axis=2)
    assert np.array_equal(made["each"][:6].any(axis=2), linear)
    assert made["rest"][:6].any(axis=2).sum() > linear.sum()


BROKEN_OFF = """
import os, sys
from rigwright.cli import _console as console, _dispatch as dispatch


def stop(self, progress):
    if progress.stage == "transferring" and progress.done == 16:
        os.kill(os.getpid(), {signal})

console.Lines.__call__ = stop
sys.exit(dispatch.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_broken_transfer_goes_on_to_the_same_bytes(face_files, how):
    """Stopped in the middle of hundreds of shapes, then the same command: the file of an undisturbed run."""
    rig = first_face()
    many = np.random.default_rng(0).uniform(0, 1, (200, 6))
    offsets = np.tensordot(many, rig.columns()[:6], 1)
    rw.BlendshapeRig(rig.rest_vertices, offsets, faces=rig.faces).save(face_files / "many.safetensors")
    arguments = ["transfer", "--overwrite", "many.safetensors", "other.obj", "--contacts", "off"]
    json_of(*arguments, "-o", "whole.safetensors", folder=face_files)
    stopped = subprocess.run(
        [sys.executable, "-c", BROKEN_OFF.format(signal=int(how)), *arguments, "-o", f"{how.name}.safetensors"],
        cwd=face_files,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert stopped.returncode == (130 if how is signal.SIGINT else -signal.SIGKILL), stopped.stderr
    assert "Traceback" not in stopped.stderr
    kept = face_files / f"{how.name}.safetensors.partial"
    assert len(list(kept.glob("*.part"))) == 2
    assert not (face_files / f"{how.name}.safetensors").exists()
    json_of(*arguments, "-o", f"{how.name}.safetensors", folder=face_files)
    assert (face_files / f"{how.name}.safetensors").read_bytes() == (face_files / "whole.safetensors").read_bytes()
    assert not kept.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["other.obj", "-o", "w.fbx"], "w.fbx has a format that cannot be written; it must end in .safetensors"),
        (["short.npy", "-o", "w.npz"], "another topology needs landmarks"),
        (["short.npy", "-o", "w.npz", "--landmarks", "marks.csv"], "a mesh without faces"),
        (["nan.npy", "-o", "w.npz"], "nan.npy: not finite at vertex 0 (nan)"),
        (["other.obj", "-o", "w.npz", "--weights", "short.npy"], "--weights and --estimate are about --examples"),
        (
            ["other.obj", "-o", "w.npz", "--examples", "short.npy"],
            "(1, 50, 3); every mesh must have 117 vertices",
        ),
        (["other.obj", "-o", "w.npz", "--examples", "scans", "--weights", "two.npy"], "weights of shape (3, 2)"),
        (["other.obj", "-o", "w.npz", "--examples", "scans", "--weights", "words.json"], "is no expression plan"),
        (["other.obj", "-o", "w.npz", "--fixed", "words.json"], "not a vertex a line"),
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
    other = rw.BlendshapeRig(rig.rest_vertices, rig.columns()[:1], names=["ear"], faces=rig.faces)
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
    count = len(rw.transfer.DeformationTransfer(target, target, faces).degenerate_faces)
    assert told["degenerate_faces"] == count > 0
    shown = rigwright_command(*arguments, folder=face_files)
    assert shown.returncode == 0, shown.stderr
    assert f"degenerate faces  {count}:" in shown.stdout
    assert np.isfinite(rw.sources.load_blendshapes(face_files / "k.npz").columns()).all()
    np.save(face_files / "point.npy", np.zeros((117, 3)))
    none = rigwright_command(
        "transfer", "--overwrite", "face.safetensors", "point.npy", "-o", "w.npz", folder=face_files
    )
    assert none.returncode == 2
    assert "point.npy: a mesh with no area in any of its 96 faces; it must be a surface" in none.stderr


def test_the_rig_alone_without_measuring(face_files):
    arguments = ["transfer", "--overwrite", "face.safetensors", "other.obj", "--contacts", "off"]
    whole = json_of(*arguments, "-o", "m.npz", folder=face_files)
    done = rigwright_command(*arguments, "-o", "n.npz", "--no-measure", "--json", folder=face_files)
    told = json.loads(done.stdout)
    assert "measuring" not in done.stderr
    assert "without contacts" not in done.stderr
    assert set(whole) - set(told) == {"flipped_faces", "crossings", "most_doubtful"}
    assert all(told[name] == whole[name] for name in set(told) - {"output"})
    assert (face_files / "n.npz").read_bytes() == (face_files / "m.npz").read_bytes()
    shown = rigwright_command(*arguments, "-o", "n.npz", "--no-measure", folder=face_files)
    assert "flipped" not in shown.stdout


def test_the_unit_of_a_bare_target(face_files):
    """A mesh in meters for a rig in centimeters: said where nobody says it, right where somebody does."""
    np.save(face_files / "meters.npy", 0.01 * second_neutral())
    arguments = ["transfer", "--overwrite", "face.safetensors", "meters.npy", "--contacts", "off", "--no-measure"]
    guessed = json_of(*arguments, "-o", "u.npz", folder=face_files)
    assert len(guessed["notes"]) == 1
    assert "meters.npy is 0.01" in guessed["notes"][0]
    assert guessed["notes"][0].endswith("--unit says it")
    assert rw.sources.load_blendshapes(face_files / "u.npz").meters_per_unit == 0.01
    for given in ("m", "1.0"):
        told = json_of(*arguments, "-o", "u.npz", "--unit", given, folder=face_files)
        assert told["notes"] == []
        assert rw.sources.load_blendshapes(face_files / "u.npz").meters_per_unit == 1.0
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "u.npz", "--no-measure", folder=face_files
    )
    assert told["notes"] == []


def test_landmarks_counted_from_1_are_refused_in_a_sentence(face_files):
    rows = np.loadtxt(face_files / "landmarks.csv", delimiter=",", dtype=int)[:-1] + np.array([0, 1])
    np.savetxt(face_files / "from_1.csv", rows, fmt="%d", delimiter=",")
    given = ["face.safetensors", "other.obj", "-o", "w.npz", "--landmarks", "from_1.csv", "--contacts", "off"]
    done = rigwright_command("transfer", *given, folder=face_files)
    assert done.returncode == 2
    assert "counted from 1" in done.stderr.splitlines()[-1]
    assert not (face_files / "w.npz").exists()


def test_a_landmark_that_no_case_explains_is_named_in_millimeters(face_files):
    rows = np.loadtxt(face_files / "landmarks.csv", delimiter=",", dtype=int)
    rows[2, 1] = rows[-1, 1]
    np.savetxt(face_files / "one_wrong.csv", rows, fmt="%d", delimiter=",")
    given = ["face.safetensors", "other.obj", "-o", "o.npz", "--landmarks", "one_wrong.csv", "--contacts", "off"]
    (note,) = json_of("transfer", *given, "--no-measure", "--overwrite", folder=face_files)["notes"]
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


def test_help_says_that_landmarks_count_from_0(face_files):
    assert "counted from 0" in " ".join(rigwright_command("transfer", "--help", folder=face_files).stdout.split())


def face_with_pupils(path) -> rw.BlendshapeRig:
    """The first face with an eye apart from it, which one shape dilates and a target without eyes cannot follow."""
    rig = first_face()
    count = len(rig.rest_vertices)
    eye = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]) + np.float32([40, 40, -30])
    shapes = np.zeros((rig.num_shapes + 1, count + 4, 3), np.float32)
    shapes[:-1, :count] = rig.columns()[: rig.num_shapes]
    shapes[-1, count:] = eye - eye.mean(axis=0)
    made = rw.BlendshapeRig(
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
    shown = rigwright_command("transfer", *given, folder=face_files).stdout
    assert "empty shapes  1: PupilDilate" in shown
