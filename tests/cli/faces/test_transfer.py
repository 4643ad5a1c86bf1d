"""``rigcast transfer``: results, fixed vertices, contacts, interruptions of a process."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

import rigcast as rc
from tests.cli.command import broken_off, json_of, rigcast_command
from tests.support.characters.second_face import first_face, second_neutral, second_truth
from tests.support.glb import Gltf


def test_the_command_is_the_function(face_files, tolerance):
    """Every kind of target, every format of the result: the rig of ``transfer_rig``."""
    np.save(face_files / "other.npy", second_neutral())
    np.savez(face_files / "other.npz", vertices=second_neutral()[None], faces=first_face().faces)
    expected = rc.transfer.transfer_rig(first_face(), second_neutral())
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
        made = rc.sources.load_blendshapes(face_files / output)
        np.testing.assert_allclose(made.columns(), expected.columns(), atol=tolerance["float32_sum"])
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


def test_a_mesh_without_shapes_is_a_target_in_gltf_too(face_files, tolerance):
    """Meters, y up: units of the target, so that millimeters are right."""
    rig = first_face()
    for name, morphs in (("still.glb", False), ("moving.glb", True)):
        one_mesh_glb(face_files / name, 0.01 * second_neutral(), rig.faces, morphs)
        told = json_of(
            "transfer", "--overwrite", "face.safetensors", name, "-o", "g.npz", "--contacts", "off", folder=face_files
        )
        assert told["vertices"] == 117
        made = rc.sources.load_blendshapes(face_files / "g.npz")
        assert (made.metadata["meters_per_unit"], made.metadata["up_axis"]) == (1.0, "Y")
        expected = rc.transfer.transfer_rig(rig, 0.01 * second_neutral())
        np.testing.assert_allclose(made.columns(), expected.columns(), atol=0.01 * tolerance["float32_sum"])


def test_errors_are_told_beside_those_of_plain_copies(face_files, tolerance):
    arguments = ["--truth", "truth.safetensors", "--contacts", "off"]
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "t.npz", *arguments, folder=face_files
    )
    rig, truth = first_face(), second_truth()
    made = rc.transfer.transfer_rig(rig, second_neutral())
    for name, columns in (("mean_error_mm", made.columns()), ("copy_mean_error_mm", rig.columns())):
        apart = 10.0 * np.linalg.norm(columns[:6] - truth.columns()[:6], axis=2)
        moved = rig.columns()[:6].any(axis=2) | truth.columns()[:6].any(axis=2)
        expected = np.mean([row[inside].mean() for row, inside in zip(apart, moved, strict=True)])
        assert told[name] == pytest.approx(expected, rel=tolerance["printed"])
    assert set(told["errors_mm"]) == set(rig.shape_names)
    shown = rigcast_command(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "t.npz", *arguments, folder=face_files
    )
    assert "from the truth" in shown.stdout


def face_at_rest_below() -> tuple[rc.BlendshapeRig, np.ndarray]:
    """The first face with small offsets cut off, and what then moves in none of its columns."""
    rig = first_face()
    columns = np.where(np.linalg.norm(rig.columns(), axis=2, keepdims=True) < 0.02, 0, rig.columns())
    shapes, combinations = columns[: rig.num_shapes], columns[rig.num_shapes :]
    cut = rc.BlendshapeRig(
        rig.rest_vertices,
        shapes,
        list(zip(rig.combinations, combinations, strict=True)),
        names=rig.shape_names,
        faces=rig.faces,
    )
    return cut, np.flatnonzero(~columns.any(axis=(0, 2)))


def test_fixed_vertices_and_edited_contacts(face_files, tolerance):
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
    made = rc.sources.load_blendshapes(face_files / "f.npz")
    expected = rc.transfer.transfer_rig(rig, second_neutral(), fixed=still, contacts=[[3, 30], [4, 31]])
    np.testing.assert_allclose(made.columns(), expected.columns(), atol=tolerance["float32_sum"])
    assert not made.columns()[:, still].any()


def test_what_rests_in_the_rig_rests_unless_told_otherwise(face_files):
    rig, still = face_at_rest_below()
    assert len(still) > 5
    rig.save(face_files / "below.safetensors")
    made = {}
    for fixed in ([], ["--fixed", "rest"], ["--fixed", "each"], ["--fixed", "off"]):
        given = ["below.safetensors", "other.obj", "--contacts", "off", *fixed]
        json_of("transfer", "--overwrite", *given, "-o", "b.npz", folder=face_files)
        made[" ".join(fixed[1:])] = rc.sources.load_blendshapes(face_files / "b.npz").columns()
    assert not made["rest"][:, still].any()
    assert made["off"][:, still].any()
    assert np.array_equal(made[""], made["rest"])
    linear = rig.columns()[:6].any(axis=2)
    assert np.array_equal(made["each"][:6].any(axis=2), linear)
    assert made["rest"][:6].any(axis=2).sum() > linear.sum()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_broken_transfer_goes_on_to_the_same_bytes(face_files, how):
    """Stopped in the middle of hundreds of shapes, then the same command: the file of an undisturbed run."""
    rig = first_face()
    many = np.random.default_rng(0).uniform(0, 1, (200, 6))
    offsets = np.tensordot(many, rig.columns()[:6], 1)
    rc.BlendshapeRig(rig.rest_vertices, offsets, faces=rig.faces).save(face_files / "many.safetensors")
    arguments = ["transfer", "--overwrite", "many.safetensors", "other.obj", "--contacts", "off"]
    json_of(*arguments, "-o", "whole.safetensors", folder=face_files)
    when = 'progress.stage == "transferring" and progress.done == 16'
    stopped = broken_off(*arguments, "-o", f"{how.name}.safetensors", folder=face_files, when=when, how=how)
    assert stopped.returncode == (130 if how is signal.SIGINT else -signal.SIGKILL), stopped.stderr
    kept = face_files / f"{how.name}.safetensors.partial"
    assert len(list(kept.glob("*.part"))) == 2
    assert not (face_files / f"{how.name}.safetensors").exists()
    json_of(*arguments, "-o", f"{how.name}.safetensors", folder=face_files)
    assert (face_files / f"{how.name}.safetensors").read_bytes() == (face_files / "whole.safetensors").read_bytes()
    assert not kept.exists()


def test_the_rig_alone_without_measuring(face_files):
    arguments = ["transfer", "--overwrite", "face.safetensors", "other.obj", "--contacts", "off"]
    whole = json_of(*arguments, "-o", "m.npz", folder=face_files)
    done = rigcast_command(*arguments, "-o", "n.npz", "--no-measure", "--json", folder=face_files)
    told = json.loads(done.stdout)
    assert "measuring" not in done.stderr
    assert "without contacts" not in done.stderr
    crossings = {"crossings", "crossings_from_mm", "deepest_crossing_mm"}
    assert set(whole) - set(told) == {"flipped_faces", "most_doubtful"} | crossings
    assert all(told[name] == whole[name] for name in set(told) - {"output", "outputs"})
    assert (face_files / "n.npz").read_bytes() == (face_files / "m.npz").read_bytes()
    shown = rigcast_command(*arguments, "-o", "n.npz", "--no-measure", folder=face_files)
    assert "flipped" not in shown.stdout
