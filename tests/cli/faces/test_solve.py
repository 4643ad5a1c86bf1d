"""``rigcast solve`` and what follows it: results, interruptions of a process, wrong input."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse import Solution
from tests.cli.command import SOLVE, broken_off, json_of, rigcast_command
from tests.cli.sheet import NAMES, SIDE, sheet_rig


def test_weights_come_back_in_every_format(shot_files, tolerance):
    outputs = ["-o", "w.npz", "-o", "w.csv", "-o", "w.glb"]
    told = json_of(*SOLVE, *outputs, "--alpha", "1e-6", folder=shot_files)
    truth, rig = np.load(shot_files / "truth.npy"), sheet_rig()
    assert told["outputs"] == ["w.npz", "w.csv", "w.glb"]
    assert told["frames"] == told["converged"] == 40
    assert told["constructed"] == list(rig.constructed)
    assert any("nothing" in text for text in told["warnings"])
    assert not any("--rigid" in text for text in told["warnings"])
    assert ["no column for browUp, nothing:" in note for note in told["notes"]] == [True]
    solution = Solution.load(shot_files / "w.npz")
    moving = np.array(NAMES) != "nothing"
    assert np.abs(solution.weights - truth)[:, moving].max() < 1e-4
    assert told["rmse_mm"] == pytest.approx(10 * solution.rmse.mean())
    shot, posed = np.load(shot_files / "take.npy"), rig.evaluate(solution.weights.astype(np.float32))
    error = rc.metrics.weight_error(solution.weights, shot, posed)
    assert told["rmse_p95_mm"] == pytest.approx(10 * error.rmse_p95_mean, abs=1e-5)  # float32 vertices, in millimeters
    for name in ("w.npz", "w.csv", "w.glb"):
        weights, fps = rc.sources.load_blendshape_weights(shot_files / name, rig)
        np.testing.assert_allclose(weights, solution.weights, atol=tolerance["float32"], err_msg=name)
        assert fps == pytest.approx(30.0)
    assert not list(shot_files.glob("*.partial"))


def test_options_reach_the_solver(shot_files, tolerance):
    """Bounds, pins, markers with weights, smoothness, names and rate: the command's solution is the library's."""
    rng = np.random.default_rng(0)
    markers = np.sort(rng.choice(SIDE * SIDE, 90, replace=False))
    strength = rng.uniform(0.5, 2.0, len(markers))
    np.savetxt(shot_files / "markers.txt", np.column_stack([markers, strength]))
    pins = np.full((40, len(NAMES)), np.nan)
    pins[10:20, 0] = 0.5
    np.save(shot_files / "pins.npy", pins)
    (shot_files / "names.json").write_text(json.dumps({"browUp": "browInnerUp"}))
    options = ["--alpha", "0.02", "--smoothness", "0.5", "--bounds", "0", "0.9", "--markers", "markers.txt"]
    options += ["--pins", "pins.npy", "--names", "names.json", "--fps", "24"]
    told = json_of(*SOLVE, "-o", "o.npz", *options, folder=shot_files)
    assert (told["alpha"], told["smoothness"], told["fps"]) == (0.02, 0.5, 24.0)
    ours = Solution.load(shot_files / "o.npz")
    given = {"vertices": markers, "vertex_weights": np.loadtxt(shot_files / "markers.txt")[:, 1], "fixed": pins}
    shot = np.load(shot_files / "take.npy")
    theirs = rc.inverse.solve(sheet_rig(), shot, alpha=0.02, smoothness=0.5, bounds=(0.0, 0.9), **given)
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=tolerance["float64_converged"])
    assert ours.weights[:, NAMES.index("jawOpen")].max() == 0.9
    with np.load(shot_files / "o.npz") as stored:
        assert stored["names"][0] == "browInnerUp"
        assert stored["fps"] == 24.0


def test_priors_pairs_and_the_way_of_smoothing_reach_the_solver(shot_files, tolerance):
    rng = np.random.default_rng(3)
    wish = rng.uniform(size=(40, len(NAMES)))
    np.savez(shot_files / "priors.npz", target=wish, strength=2.0)
    left, right = NAMES[0], NAMES[2]
    (shot_files / "pairs.json").write_text(json.dumps([[left, right]]))
    shot, found = np.load(shot_files / "take.npy"), {}
    for joint in ("--joint", "--no-joint"):
        options = ["--alpha", "0.02", "--smoothness", "5", "--priors", "priors.npz", "--symmetric", "pairs.json"]
        options += [joint, "--tolerance", "1e-8"]
        told = json_of(*SOLVE, "-o", "p.npz", *options, folder=shot_files)
        assert told["converged"] == 40
        ours = Solution.load(shot_files / "p.npz")
        given = {"priors": (wish, 2.0), "symmetric": [(left, right)], "joint": joint == "--joint"}
        theirs = rc.inverse.solve(sheet_rig(), shot, alpha=0.02, smoothness=5.0, tolerance=1e-8, **given)
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=tolerance["float64_converged"])
        np.testing.assert_array_equal(ours.weights[:, 0], ours.weights[:, 2])
        np.testing.assert_array_equal(ours.prior_target, wish)
        found[joint] = ours.weights
    assert np.abs(found["--joint"] - found["--no-joint"]).max() > 1e-4


def test_head_motion_is_taken_out(shot_files, tolerance):
    shot = np.load(shot_files / "take.npy")
    angle = np.linspace(0, 0.6, len(shot))
    turn = np.zeros((len(shot), 3, 3))
    turn[:, 0, 0], turn[:, 0, 2], turn[:, 2, 0], turn[:, 2, 2] = (
        np.cos(angle),
        np.sin(angle),
        -np.sin(angle),
        np.cos(angle),
    )
    turn[:, 1, 1] = 1
    np.save(shot_files / "moving.npy", (shot @ turn.transpose(0, 2, 1) + [0, 0, 3]).astype(np.float32))
    still = np.flatnonzero(~np.stack([column.any(axis=1) for column in sheet_rig().columns()]).any(axis=0))
    np.save(shot_files / "still.npy", still)
    blind = json_of(
        "solve",
        "--overwrite",
        "face.safetensors",
        "moving.npy",
        "--fps",
        "30",
        "-o",
        "b.npz",
        "--alpha",
        "1e-6",
        folder=shot_files,
    )
    assert any("--rigid" in text for text in blind["warnings"])
    options = ["--alpha", "1e-6", "--rigid", "still.npy"]
    told = json_of(
        "solve",
        "--overwrite",
        "face.safetensors",
        "moving.npy",
        "--fps",
        "30",
        "-o",
        "m.npz",
        *options,
        folder=shot_files,
    )
    assert not any("--rigid" in text for text in told["warnings"])
    solution = Solution.load(shot_files / "m.npz")
    moving = np.array(NAMES) != "nothing"
    assert np.abs(solution.weights - np.load(shot_files / "truth.npy"))[:, moving].max() < 1e-3
    np.testing.assert_allclose(solution.transforms[:, :, :3], turn, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_broken_solve_goes_on_to_the_same_weights(shot_files, how):
    """Stopped in the middle, then the same command: the file that an undisturbed run writes."""
    name = how.name.lower()
    shot = np.tile(np.load(shot_files / "take.npy"), (150, 1, 1))
    np.save(shot_files / "long.npy", shot)
    arguments = [
        "solve",
        "--overwrite",
        "face.safetensors",
        "long.npy",
        "--fps",
        "30",
        "--alpha",
        "0.01",
        "--threads",
        "1",
    ]
    kept = shot_files / f"{name}.npz.partial"
    when = 'progress.stage.startswith("solving") and progress.done >= 600'
    stopped = broken_off(*arguments, "-o", f"{name}.npz", folder=shot_files, when=when, how=how)
    if how is signal.SIGINT:
        assert stopped.returncode == 130, stopped.stderr
        assert "of 6,000 frames solved and kept in" in stopped.stderr.splitlines()[-1]
    else:
        assert stopped.returncode == -signal.SIGKILL
    assert not (shot_files / f"{name}.npz").exists()
    solved = {path: path.stat().st_mtime_ns for path in kept.glob("*.part")}
    assert 2 <= len(solved) < 24

    json_of(*arguments, "-o", f"{name}.npz", folder=shot_files)
    assert not kept.exists()
    whole = rc.inverse.solve(sheet_rig(), shot, alpha=0.01)
    np.testing.assert_array_equal(Solution.load(shot_files / f"{name}.npz").weights, whole.weights)


def test_alpha_is_the_elbow_of_the_shot(shot_files):
    noisy = np.load(shot_files / "take.npy") + np.random.default_rng(1).normal(0, 0.05, (40, SIDE * SIDE, 3))
    np.save(shot_files / "noisy.npy", noisy.astype(np.float32))
    told = json_of(
        "solve", "--overwrite", "face.safetensors", "noisy.npy", "--fps", "30", "-o", "auto.npz", folder=shot_files
    )
    curve = rc.inverse.trade_off(sheet_rig(), noisy.astype(np.float32))
    assert told["alpha"] == curve.alpha == Solution.load(shot_files / "auto.npz").alpha
    assert told["alpha_chosen"]
    shown = rigcast_command(
        "solve", "--overwrite", "face.safetensors", "noisy.npy", "--fps", "30", "-o", "auto.npz", folder=shot_files
    )
    assert f"alpha {curve.alpha:g}, the elbow" in shown.stdout


def test_info_describes_a_blendshape_rig(shot_files):
    facts = json_of("info", "face.safetensors", folder=shot_files)
    assert (facts["kind"], facts["shapes"], facts["vertices"]) == ("blendshape", 6, SIDE * SIDE)
    assert facts["combinations"] == {"in-between": 1, "pairs": 2}
    assert facts["storage"] == "float32"
    assert facts["constructed"] == list(sheet_rig().constructed)
    assert facts["channels"]["jawOpen"] == [0, 1]
    shown = rigcast_command("info", "face.safetensors", folder=shot_files).stdout
    assert "mouthSmileLeft * jawOpen" in shown


def test_evaluate_plays_weights_and_says_what_it_cannot_do(shot_files):
    rig, truth = sheet_rig(), np.load(shot_files / "truth.npy")
    np.savez(shot_files / "played.npz", weights=truth, names=np.array(NAMES))
    for weights in ("truth.npy", "played.npz"):
        json_of("evaluate", "face.safetensors", weights, "-o", "v.npy", "--overwrite", folder=shot_files)
        np.testing.assert_array_equal(np.load(shot_files / "v.npy"), rig.evaluate(truth))
    (shot_files / "set.rwdata").mkdir(exist_ok=True)
    done = rigcast_command("evaluate", "face.safetensors", "set.rwdata", folder=shot_files)
    assert done.returncode == 2
    assert "set.rwdata" in done.stderr
    assert "must be a folder that rigcast sample has finished" in done.stderr
