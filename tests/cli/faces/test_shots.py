"""Shots at the command line: head motion, noise, rates, what is replaced, and what ``info`` says."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.characters.faces import small_face
from tests.support.characters.moving_head import face_curves, head_turns, moved, moving_face

FRAMES = 160


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A face whose vertices all move, and a noisy shot at 48 frames per second whose head turns."""
    folder = tmp_path_factory.mktemp("shots")
    face, weights = moving_face(), face_curves(FRAMES)
    face.save(folder / "face.safetensors")
    shot = moved(face.evaluate(weights.astype(np.float32)), head_turns(FRAMES))
    shot += np.random.default_rng(0).normal(0, 0.05, shot.shape)
    np.savez(folder / "take.npz", vertices=shot.astype(np.float32), fps=48.0)
    np.save(folder / "take.npy", shot.astype(np.float32))
    return folder


@pytest.fixture
def run(files, capsys, monkeypatch):
    monkeypatch.chdir(files)

    def call(*words):
        code = dispatch.main([*map(str, words), "--json"])
        return code, json.loads(capsys.readouterr().out.splitlines()[-1])

    return call


def solve(run, *words, shot="take.npz"):
    return run("solve", "face.safetensors", shot, "--overwrite", *words)


def test_head_motion_and_noise_are_handled_by_their_options(run, files, tolerance):
    _, plain = solve(run, "-o", "a.npz", "--rigid", "auto")
    code, told = solve(run, "-o", "b.npz", "--rigid", "auto", "--smoothness", "auto", "--relative-alpha", "0.001")
    assert code == 0
    assert any("--smoothness auto" in text for text in plain["warnings"])
    assert told["warnings"] == []
    shot = np.load(files / "take.npy")
    theirs = rc.inverse.solve(moving_face(), shot, rigid="auto", smoothness="auto", relative_alpha=0.001)
    ours = rc.inverse.Solution.load(files / "b.npz")
    assert (told["alpha"], told["smoothness"]) == (theirs.alpha, theirs.smoothness)
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=tolerance["float64_converged"])
    np.testing.assert_allclose(ours.transforms, theirs.transforms, atol=tolerance["float64_converged"])
    np.testing.assert_allclose(
        told["head_degrees"],
        np.ptp(rc.inverse.head_angles(theirs.transforms), axis=0),
        rtol=tolerance["float32_character"],
    )


def test_evaluate_plays_the_motion_of_the_head(run, files, tolerance):
    solve(run, "-o", "head.npz", "--rigid", "auto", "--relative-alpha", "0.001")
    found = rc.inverse.Solution.load(files / "head.npz")
    still = moving_face().evaluate(found.weights)
    for options, every in ([], 1), (["--fps", "24"], 2):
        run("evaluate", "face.safetensors", "head.npz", "-o", "played.npy", "--overwrite", *options)
        expected = moved(still, found.transforms)[::every]
        np.testing.assert_allclose(np.load(files / "played.npy"), expected, atol=tolerance["float32_scaled"])


def test_evaluate_says_what_it_does_not_read_beside_weights(run):
    solve(run, "-o", "head.csv", "--rigid", "auto", "--relative-alpha", "0.001")
    _, told = run("evaluate", "face.safetensors", "head.csv", "-o", "from_csv.npy", "--overwrite")
    assert any("motion of the head" in note for note in told["notes"])


def test_a_scale_is_found_with_its_option(run, files):
    np.savez(files / "large.npz", vertices=1.1 * np.load(files / "take.npy"), fps=48.0)
    assert solve(run, "-o", "s.npz", "--rigid", "auto", "--rigid-scale", shot="large.npz")[0] == 0
    found = rc.inverse.Solution.load(files / "s.npz").transforms
    # The face moves too: the head's size is known to a hundredth.
    np.testing.assert_allclose(np.cbrt(np.linalg.det(found[:, :, :3])), 1.1, rtol=0.01)
    code, told = solve(run, "-o", "s.npz", "--rigid-scale")
    assert code == 2
    assert "--rigid" in told["error"]


def test_the_rest_of_a_rig_that_moves_everywhere_is_refused(run):
    code, told = solve(run, "-o", "a.npz", "--rigid", "rest")
    assert code == 2
    assert "'auto'" in told["error"]


def test_weights_that_all_rest_are_noted(run):
    _, told = solve(run, "-o", "a.npz", "--rigid", "auto", "--relative-alpha", "1")
    assert [("no shape is turned on" in text or "rests" in text) for text in told["warnings"]] == [True]


def test_fps_resamples_what_is_written(run, files, tolerance):
    code, told = solve(run, "-o", "f.csv", "-o", "f.npz", "--rigid", "auto", "--fps", "24")
    assert code == 0
    assert "resampled from 48 to 24 frames per second: 160 frames became 80" in told["notes"]
    assert any(text.startswith("f.npz holds the 160 frames that were solved") for text in told["notes"])
    with (files / "f.csv").open(newline="") as stream:
        yaw = [float(row["HeadYaw"]) for row in csv.DictReader(stream)]
    solution = rc.inverse.Solution.load(files / "f.npz")
    np.testing.assert_allclose(
        yaw, np.radians(rc.inverse.head_angles(solution.transforms)[::2, 0]), atol=tolerance["float32_scaled"]
    )
    _, rate = rc.sources.load_blendshape_weights(files / "f.npz", moving_face())
    assert rate == 48.0


def test_a_shot_without_a_rate_must_be_given_one(run):
    code, told = solve(run, "-o", "r.csv", shot="take.npy")
    assert code == 2
    assert "take.npy does not say its frames per second" in told["error"]
    code, told = solve(run, "-o", "r.csv", "--fps", "25", "--rigid", "auto", shot="take.npy")
    assert (code, told["fps"]) == (0, 25.0)
    assert not any("resampled" in text for text in told["notes"])


def test_a_finished_solve_is_replaced_with_overwrite_only(run, files):
    (files / "mine.csv").write_text("mine")
    code, told = run("solve", "face.safetensors", "take.npz", "-o", "new.npz", "-o", "mine.csv")
    assert code == 2
    assert "mine.csv exists; --overwrite" in told["error"]
    assert (files / "mine.csv").read_text() == "mine"
    assert not (files / "new.npz").exists()


@pytest.mark.parametrize("option", ["-o", "--report", "--save-contacts"])
def test_a_finished_transfer_is_replaced_with_overwrite_only(run, files, option):
    name = {"-o": "t.npz", "--report": "t.html", "--save-contacts": "t.txt"}[option]
    (files / name).write_text("mine")
    words = ["transfer", "face.safetensors", "take.npy", option, name]
    code, told = run(*words, *([] if option == "-o" else ["-o", "other.npz"]))
    assert code == 2
    assert f"{name} exists; --overwrite" in told["error"]
    assert (files / name).read_text() == "mine"


def test_info_knows_shots(run, files, tolerance):
    for name, rate in (("take.npz", 48.0), ("take.npy", "not stated")):
        _, told = run("info", name)
        assert (told["type"], told["frames"], told["vertices"], told["fps"]) == ("shot", FRAMES, 468, rate)
    shot = np.load(files / "take.npy").astype(np.float64)
    assert told["moves_at_most"] == pytest.approx(
        np.linalg.norm(shot - shot[0], axis=2).max(), rel=tolerance["float32_scaled"]
    )
    assert told["size"] == " x ".join(f"{value:.4g}" for value in np.ptp(shot[0], axis=0))


def test_info_knows_a_folder_of_scans(run, files):
    (files / "scans").mkdir(exist_ok=True)
    for frame in range(3):
        (files / "scans" / f"{frame}.obj").write_text(f"v {frame} 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    _, told = run("info", "scans")
    assert (told["type"], told["frames"], told["faces"], told["fps"]) == ("shot", 3, 1, "not stated")


def test_info_knows_weights(run, files):
    face, curves, head = small_face(), np.zeros((90, 6), np.float32), np.zeros((90, 3, 4))
    curves[:, 0], curves[:, 5] = np.linspace(0, 1, 90), -0.5
    head[:, :, :3] = np.eye(3)
    for name in ("k.npz", "k.csv"):
        rc.exports.write_blendshape_weights(files / name, face, curves, fps=30.0, transforms=head)
        _, told = run("info", name)
        assert (told["type"], told["frames"], told["fps"], told["seconds"]) == ("weights", 90, 30.0, 3.0)
        assert told["range"] == [-0.5, 1.0]
        assert "my shape" in told["moving_shapes"]
    solve(run, "-o", "i.npz", "--rigid", "auto", "--alpha", "0.02")
    _, told = run("info", "i.npz")
    assert (told["method"], told["alpha"], told["fps"]) == ("descent", 0.02, 48.0)
    assert "degrees" in told["head_turns"]


def test_info_still_knows_rigs(run, files):
    rc.exports.write_rig(files / "face.npz", small_face())
    assert run("info", "face.npz")[1]["kind"] == "blendshape"


def test_a_table_of_less_than_a_second_states_no_rate(run, files):
    weights = np.zeros((20, 20), np.float32)
    weights[:, 0] = 0.5
    rc.exports.write_blendshape_weights(files / "brief.csv", moving_face(), weights, fps=48.0)
    assert run("info", "brief.csv")[1]["fps"] == "not stated"
    assert run("evaluate", "face.safetensors", "brief.csv", "-o", "brief.npz")[0] == 2
    _, told = run("evaluate", "face.safetensors", "brief.csv", "-o", "brief.npz", "--fps", "48")
    assert (told["fps"], told["shape"][0]) == (48.0, 20)
