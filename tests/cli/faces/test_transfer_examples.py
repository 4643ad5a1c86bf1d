"""Examples that correct what ``rigcast transfer`` makes, and targets of another topology."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._described.transfer_lines import _few
from tests.cli.command import json_of
from tests.support.characters.plain_face import plain_face
from tests.support.characters.second_face import first_face, second_neutral, second_truth, write_obj


@pytest.mark.parametrize("weights", ["plan", "array", "guessed", "unknown"])
def test_examples_bring_shapes_nearer_to_the_truth(face_files, weights, tolerance):
    """By the plan that packing wrote, by an array, with the array as a first guess, and with no weights at all."""
    json_of("pack", "--overwrite", "face.safetensors", "-o", "plan.json", folder=face_files)
    plan = rc.transfer.ExpressionPlan.load(face_files / "plan.json")
    rows = plan.weights()
    for number, posed in enumerate(second_truth().evaluate(rows)):
        write_obj(face_files / "scans" / f"scan_{number + 1}.obj", posed, plain_face().faces)
    np.save(face_files / "rows.npy", np.clip(rows, 0.05, 0.95) if weights == "guessed" else rows)
    given = ["--examples-weights", "plan.json" if weights == "plan" else "rows.npy"] + ["--estimate"] * (
        weights == "guessed"
    )
    given = [] if weights == "unknown" else given
    arguments = ["face.safetensors", "other.obj", "--truth", "truth.safetensors", "--contacts", "off"]
    before = json_of("transfer", "--overwrite", *arguments, "-o", "x.npz", folder=face_files)
    after = json_of(
        "transfer", "--overwrite", *arguments, "-o", "y.npz", "--examples", "scans", *given, folder=face_files
    )
    assert after["examples"] == len(rows)
    assert after["mean_error_mm"] < before["mean_error_mm"]
    if weights == "unknown":
        assert np.abs(after["example_weights"] - rows).max() < 0.35, "strengths and weights cannot be told apart fully"
        return
    assert after["undetermined"] == []
    if weights == "guessed":
        assert np.abs(after["example_weights"] - np.load(face_files / "rows.npy")).max() > 1e-3, "estimated anew"
        return
    np.testing.assert_array_equal(after["example_weights"], rows)
    rig, target = first_face(), second_neutral()
    plain = rc.transfer.transfer_rig(rig, target)
    linear = rc.BlendshapeRig(target, plain.columns()[:6], faces=rig.faces)
    scans = second_truth().evaluate(rows) - plain.evaluate(rows) + linear.evaluate(rows)
    source = rig.rest_vertices + rig.columns()[:6]
    expected = rc.transfer.example_based(rig.rest_vertices, source, target, rig.faces, scans, rows) - target
    made = rc.sources.load_blendshapes(face_files / "y.npz").columns()
    np.testing.assert_allclose(made[:6], expected, atol=tolerance["float32_sum"])
    np.testing.assert_allclose(made[6:], plain.columns()[6:], atol=tolerance["float32_sum"])


def test_how_far_examples_are_trusted_can_be_said(face_files, tolerance):
    rig, target = first_face(), second_neutral()
    rig = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[:6], names=rig.shape_names, faces=rig.faces)
    rig.save(face_files / "linear.safetensors")
    scans = (target + second_truth().columns()[:6]).astype(np.float32)
    np.save(face_files / "each.npy", scans)
    np.save(face_files / "each_weights.npy", np.eye(6))
    given = ["linear.safetensors", "other.obj", "--examples", "each.npy", "--examples-weights", "each_weights.npy"]
    errors = []
    for beta in (0.5, 0.02, None):
        said = [] if beta is None else ["--beta", str(beta)]
        told = json_of("transfer", "--overwrite", *given, "--contacts", "off", *said, "-o", "t.npz", folder=face_files)
        shapes = rig.rest_vertices + rig.columns()
        with_beta = {} if beta is None else {"beta": beta}
        expected = rc.transfer.example_based(
            rig.rest_vertices, shapes, target, rig.faces, scans, np.eye(6), **with_beta
        )
        made = rc.sources.load_blendshapes(face_files / "t.npz").columns()
        np.testing.assert_allclose(made, expected - target, atol=tolerance["float32_sum"])
        assert told["example_resolution"] == pytest.approx(np.ones(6))
        errors.append(np.abs(made - (scans - target)).mean())
    assert errors[0] > 2 * errors[1]
    assert errors[1] == errors[2], "the default"


def test_shapes_that_no_example_shows_are_named(face_files, tolerance):
    np.save(face_files / "one.npy", second_truth().evaluate(np.eye(6)[[2]]))
    np.save(face_files / "one_weights.npy", np.eye(6)[[2]])
    arguments = ["--examples", "one.npy", "--examples-weights", "one_weights.npy", "--contacts", "off"]
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "other.obj", "-o", "o.npz", *arguments, folder=face_files
    )
    names = first_face().shape_names
    assert told["undetermined"] == [name for name in names if name != names[2]]
    made = rc.sources.load_blendshapes(face_files / "o.npz").columns()
    plain = rc.transfer.transfer_rig(first_face(), second_neutral()).columns()
    np.testing.assert_allclose(np.delete(made, 2, axis=0), np.delete(plain, 2, axis=0), atol=tolerance["float32_sum"])
    assert np.abs(made[2] - plain[2]).max() > 0.02


def test_another_topology_by_landmarks(face_files, tolerance):
    """The target with its quads cut: the same surface from other vertices in another order."""
    rig = first_face()
    order = np.random.default_rng(0).permutation(len(rig.rest_vertices))
    place = np.argsort(order)
    quads = place[rig.faces]
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    write_obj(face_files / "cut.obj", second_neutral()[order], triangles)
    marks = [0, 8, 58, 108, 116, 4, 112, 60, 30, 90]
    np.savetxt(face_files / "marks.txt", np.stack([marks, place[marks]], axis=1), fmt="%d")
    arguments = ["--landmarks", "marks.txt", "--contacts", "off"]
    told = json_of(
        "transfer", "--overwrite", "face.safetensors", "cut.obj", "-o", "cut.npz", *arguments, folder=face_files
    )
    assert told["coverage"] > 0.5
    target = second_neutral()[order]
    match = rc.transfer.correspond(
        rig.rest_vertices, rig.faces, target, triangles, landmarks=np.loadtxt(face_files / "marks.txt", int)
    )
    assert told["coverage"] == pytest.approx(match.coverage)
    assert told["mean_distance_mm"] == pytest.approx(10 * match.mean_distance)
    assert told["landmark_error_mm"] == pytest.approx(10 * match.landmark_error.max())
    assert told["torn_edges"] == match.torn.tolist()
    neutral, shapes = match.resample(rig.rest_vertices, rc.transfer.positions_from_rig(rig))
    expected = rc.transfer.deformation_transfer(neutral, shapes[:6], target, triangles) - target
    made = rc.sources.load_blendshapes(face_files / "cut.npz")
    np.testing.assert_allclose(made.columns()[:6], expected, atol=tolerance["float32_sum"])
    assert made.faces.shape == (len(triangles), 4)
    same = rc.transfer.transfer_rig(rig, second_neutral()).columns()[:, order]
    apart = np.linalg.norm(made.columns() - same, axis=2).mean()
    assert apart < 0.5 * np.linalg.norm(same, axis=2).mean(), (
        "nearer to the transfer by numbers than to no shapes at all"
    )


def test_a_long_list_of_names_is_cut_where_it_is_told():
    names = [f"shape{k}" for k in range(9)]
    assert _few(names[:8]) == ", ".join(names[:8])
    assert _few(names) == ", ".join(names[:8]) + ", ... (all in --json)"
