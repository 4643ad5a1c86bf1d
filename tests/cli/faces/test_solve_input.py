"""What ``rigcast solve`` reads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import exports
from rigcast.cli import _dispatch as dispatch
from rigcast.inverse import Solution
from rigcast.sources._weights import read_weights
from tests.cli.command import SOLVE, json_of, rigcast_command
from tests.cli.sheet import NAMES, SIDE, sheet_rig


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_shots_that_state_their_unit_and_axes_are_brought_to_the_rigs(shot_files, axis):
    sheet, truth = sheet_rig(), np.load(shot_files / "truth.npy")
    columns, count = sheet.columns(), sheet.num_shapes
    rig = rc.BlendshapeRig(
        sheet.rest_vertices,
        columns[:count],
        list(zip(sheet.combinations, columns[count:], strict=True)),
        names=NAMES,
        faces=sheet.faces,
        metadata={**sheet.metadata, "up_axis": axis},
    )
    rig.save(shot_files / "other.safetensors")
    exports.write_blendshape_weights(shot_files / "take.glb", rig, truth, fps=30.0)
    told = json_of(
        "solve", "other.safetensors", "take.glb", "-o", "g.npz", "--alpha", "1e-6", "--overwrite", folder=shot_files
    )
    assert told["rmse_max_mm"] < 1e-3
    assert any("brought from units of 1 m, y up to the rig's units of 0.01 m" in text for text in told["notes"])
    half = [
        "--overwrite",
        "-o",
        "h.npz",
        "--alpha",
        "1e-6",
        "--fps",
        "15",
    ]  # keys have times: another rate is other frames
    told = json_of("solve", "other.safetensors", "take.glb", *half, folder=shot_files)
    assert (told["frames"], told["fps"]) == (20, 15.0)
    markers = np.arange(0, SIDE * SIDE, 3)
    np.save(shot_files / "some.npy", markers)
    np.save(shot_files / "some_take.npy", rig.evaluate(truth)[:, markers])
    options = ["--markers", "some.npy", "--alpha", "1e-6", "--overwrite"]
    told = json_of(
        "solve", "other.safetensors", "some_take.npy", "--fps", "30", "-o", "s.npz", *options, folder=shot_files
    )
    assert told["notes"] == []


def inches_of(shot_files, **stated):
    """A shot whose head is 3 m away from the origin and lies down, in inches."""
    shot = np.load(shot_files / "take.npy")[:4]
    lying = shot[..., [0, 2, 1]] * [1.0, -1.0, 1.0] + [300.0, 0.0, 0.0]
    np.savez(shot_files / "far.npz", vertices=(lying / 2.54).astype(np.float32), fps=30.0, **stated)
    arguments = ["solve", "face.safetensors", "far.npz", "--rigid", "auto", "--alpha", "1e-6", "--overwrite"]
    return json_of(*arguments, "-o", "far_w.npz", folder=shot_files)


def test_a_stated_unit_counts_wherever_the_head_is(shot_files):
    told = inches_of(shot_files, meters_per_unit=0.0254, up_axis="Y")
    assert told["rmse_max_mm"] < 1e-2
    assert any("brought from units of 0.0254 m" in note for note in told["notes"])


def test_a_stated_unit_that_the_numbers_contradict_is_said(shot_files):
    told = inches_of(shot_files, meters_per_unit=1.0)
    assert any("states units of 1 m" in note and "as they are" in note for note in told["notes"])
    assert any("With --unit in it is 1 times as large" in note for note in told["notes"])


def lying(shot_files, *options):
    """A shot with z up in a file that states no axis, solved."""
    shot = np.load(shot_files / "take.npy")[:4]
    np.save(shot_files / "lying.npy", shot[..., [0, 2, 1]] * np.float32([1.0, -1.0, 1.0]))
    arguments = ["solve", "face.safetensors", "lying.npy", "--fps", "30", "--alpha", "1e-6", "--overwrite"]
    return json_of(*arguments, "-o", "lying_w.npz", *options, folder=shot_files)


def test_a_shot_with_another_axis_up_is_told_by_which_option_it_stands(shot_files):
    assert any("with --up-axis Z it stands as the rig does" in note for note in lying(shot_files)["notes"])


def test_the_up_axis_of_a_bare_shot(shot_files):
    told = lying(shot_files, "--up-axis", "Z")
    assert told["rmse_max_mm"] < 1e-2
    assert told["notes"] == []


@pytest.mark.parametrize(
    ("option", "content", "what"),
    [
        ("--priors", {"target": np.zeros(3)}, "priors are target and strength"),
        ("--priors", {"target": np.zeros(3), "strength": np.ones(1)}, "target of shape (3,); the shot has 40 frames"),
        ("--priors", {"target": 0.0, "strength": -1.0}, "strength must be finite and at least 0"),
        ("--priors", "no archive", "no .npz of priors"),
        ("--symmetric", '["a", "b"]', 'no list [["shape", "shape"], ...]'),
        ("--symmetric", f'[["{NAMES[0]}", "ear"]]', "'ear' is no shape of the rig"),
        ("--symmetric", f'[["{NAMES[0]}", "{NAMES[0]}"]]', "is in two pairs, or twice in one"),
        ("--symmetric", "[", "no JSON"),
    ],
)
def test_wrong_files_of_priors_and_pairs_are_named(shot_files, capsys, monkeypatch, option, content, what):
    monkeypatch.chdir(shot_files)
    path = shot_files / ("wrong.npz" if option == "--priors" else "wrong.json")
    if isinstance(content, dict):
        np.savez(path, **content)
    else:
        path.write_text(content)
    assert (
        dispatch.main(["solve", "face.safetensors", "take.npy", "--fps", "30", "-o", "x.npz", option, path.name]) == 2
    )
    told = capsys.readouterr().err
    assert path.name in told
    assert what in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.obj", "b.obj", "-o", "w.npz"], "quote it ('scans/*.obj') or name the folder"),
        (["take.npy", "-o", "w.txt"], "w.txt has a format that cannot be written"),
        (["take.npy", "-o", "w.npz", "--alpha", "-1"], "-1 is not a number of at least 0"),
        (["take.npy", "-o", "w.npz", "--alpha", "some"], "some is not a number of at least 0"),
        (["take.npy", "-o", "w.npz", "--method", "magic"], "invalid choice: 'magic'"),
        (["take.npy", "-o", "w.npz", "--fps", "0"], "--fps: 0 is no number of frames per second, 0.001 to 1000"),
        (["other.npy", "-o", "w.npz", "--alpha", "1"], "other.npy: 5 vertices where the rig has 196"),
        (["nan.npy", "-o", "w.npz", "--alpha", "1"], "is not finite"),
        (["nowhere.npy", "-o", "w.npz"], "nowhere.npy"),
        (["take.npy", "-o", "w.npz", "--markers", "words.txt", "--alpha", "1"], "words.txt: no list of vertices"),
        (["take.npy", "-o", "w.npz", "--names", "words.txt", "--alpha", "1"], "words.txt: no JSON"),
        (["take.npy", "-o", "w.npz", "--names", "wrong.json", "--alpha", "1"], "'ear' is no shape of the rig"),
        (["take.npy", "-o", "w.npz", "--pins", "words.txt", "--alpha", "1"], "words.txt: no array of weights"),
        (["take.npy", "-o", "w.npz", "--bounds", "1", "0", "--alpha", "1"], "lower <= upper"),
        (["take.npy", "-o", "w.npz", "--pins", "longer.npy"], "pins of shape (41, 6); the shot has 40 frames"),
        (["take.npy", "-o", "w.npz", "--pins", "late.npy"], "1.5 for browUp at frame 39, outside its bounds [0, 1]"),
        (["take.npy", "-o", "w.npz", "--mesh", "head"], "--mesh does not apply to .safetensors files"),
        (["take.npy", "-o", "w.npz", "--shot-mesh", "head"], "--shot-mesh does not apply to .npy shots"),
        (["take.npy", "-o", "w.npz", "--clip", "walk"], "--clip does not apply to .npy shots"),
    ],
)
def test_wrong_input_is_one_sentence_and_code_two(shot_files, arguments, words, monkeypatch, capsys):
    np.save(shot_files / "other.npy", np.zeros((2, 5, 3), np.float32))
    np.save(shot_files / "nan.npy", np.full((2, SIDE * SIDE, 3), np.nan, np.float32))
    pins = np.full((41, len(NAMES)), np.nan)
    np.save(shot_files / "longer.npy", pins)
    pins[39, 0] = 1.5
    np.save(shot_files / "late.npy", pins[:40])
    (shot_files / "words.txt").write_text("left eye")
    (shot_files / "wrong.json").write_text('{"ear": "nose"}')
    monkeypatch.chdir(shot_files)
    assert dispatch.main(["solve", "face.safetensors", *arguments, "--fps", "30"]) == 2
    shown = capsys.readouterr()
    assert words in shown.err.splitlines()[-1]
    assert shown.out == ""
    assert not (shot_files / "w.npz.partial").exists()


def test_what_a_method_refuses_is_said_before_alpha_is_chosen(shot_files, monkeypatch, capsys):
    monkeypatch.chdir(shot_files)
    monkeypatch.setattr("rigcast.inverse.trade_off", lambda *_, **__: pytest.fail("frames were solved"))
    assert (
        dispatch.main(
            [
                "solve",
                "face.safetensors",
                "take.npy",
                "--fps",
                "30",
                "-o",
                "w.npz",
                "--method",
                "mm",
                "--smoothness",
                "1",
            ]
        )
        == 2
    )
    assert "smoothness is 1 with method 'mm'" in capsys.readouterr().err


def test_a_mesh_of_several_is_named(shot_files):
    usd, geometry = (
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed"),
        pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed"),
    )
    shot = np.load(shot_files / "take.npy")
    stage = usd.Stage.CreateNew(str(shot_files / "scene.usda"))
    for name, moved in (("face", shot), ("eyes", shot[:, :8])):
        points = geometry.Mesh.Define(stage, f"/scene/{name}").CreatePointsAttr()
        for frame, vertices in enumerate(moved):
            points.Set([tuple(map(float, point)) for point in vertices], frame)
    stage.GetRootLayer().Save()
    arguments = ["solve", "--overwrite", "face.safetensors", "scene.usda", "-o", "u.npz", "--alpha", "1e-6"]
    untold = rigcast_command(*arguments, folder=shot_files)
    assert untold.returncode == 2
    assert "one of /scene/face, /scene/eyes" in untold.stderr
    assert "--shot-mesh" in rigcast_command("solve", "--help", folder=shot_files).stdout
    told = json_of(*arguments, "--shot-mesh", "face", folder=shot_files)
    assert told["rmse_max_mm"] < 1e-3


def test_a_rig_of_another_kind_is_refused(shot_files):
    from tests.support.made.models import linear_blend

    linear_blend(num_joints=5, num_vertices=40).save(shot_files / "arm.safetensors")
    done = rigcast_command("solve", "arm.safetensors", "take.npy", "--fps", "30", "-o", "w.npz", folder=shot_files)
    assert done.returncode == 2
    assert "blendshape" in done.stderr


def test_the_unit_of_a_bare_shot(shot_files):
    """A shot in meters for a rig in centimeters: said where nobody says it, right where somebody does."""
    np.save(shot_files / "meters.npy", 0.01 * np.load(shot_files / "take.npy"))
    arguments = [
        "solve",
        "--overwrite",
        "face.safetensors",
        "meters.npy",
        "--fps",
        "30",
        "-o",
        "unit.npz",
        "--alpha",
        "1e-6",
    ]
    guessed = json_of(*arguments, "--max-iterations", "1", folder=shot_files)
    assert len(guessed["notes"]) == 1
    assert "meters.npy is 0.01 times as large as the rig" in guessed["notes"][0]
    assert guessed["notes"][0].endswith("With --unit m it is 1 times as large")
    for given in ("m", "1.0"):
        told = json_of(*arguments, "--unit", given, folder=shot_files)
        assert told["notes"] == []
        assert told["rmse_max_mm"] < 1e-3
    markers = np.arange(0, SIDE * SIDE, 3)
    np.save(shot_files / "third.npy", markers)
    told = json_of(*arguments, "--unit", "m", "--markers", "third.npy", folder=shot_files)
    assert told["notes"] == []
    told = json_of(*arguments, "--markers", "third.npy", folder=shot_files)
    assert "meters.npy is 0.01" in told["notes"][0]


def test_pins_and_truth_are_read_from_both_array_formats(shot_files, tolerance):
    """An archive of weights pins what it names; an array of the true weights is a truth."""
    rig = sheet_rig()
    truth = np.load(shot_files / "truth.npy")
    one = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[3:4], names=[NAMES[3]])
    exports.write_blendshape_weights(shot_files / "jaw.npz", one, np.full((40, 1), 0.25, np.float32), fps=30.0)
    solve = [*SOLVE, "-o", "pinned.npz", "--alpha", "1e-6"]
    json_of(*solve, "--pins", "jaw.npz", folder=shot_files)
    found = Solution.load(shot_files / "pinned.npz").weights
    np.testing.assert_array_equal(found[:, 3], 0.25)
    assert np.ptp(found[:, 0]) > 0.5  # the others are free
    exports.write_blendshape_weights(shot_files / "truth.npz", rig, truth, fps=30.0)
    json_of(*solve, "--pins", "truth.npz", folder=shot_files)
    np.testing.assert_allclose(
        Solution.load(shot_files / "pinned.npz").weights, truth, atol=tolerance["float64_converged"]
    )
    for file in ("truth.npy", "truth.npz"):
        np.testing.assert_array_equal(read_weights(shot_files / file, rig), truth)
    np.save(shot_files / "short.npy", truth[:7])
    given = ["report", "face.safetensors", "--shot", "take.npy", "--weights", "pinned.npz", "-o", "r.html"]
    done = rigcast_command(*given, "--true-weights", "short.npy", folder=shot_files)
    assert done.returncode == 2
    assert "short.npy: weights of shape (7, 6) where there are 40 frames of 6 shapes" in done.stderr
