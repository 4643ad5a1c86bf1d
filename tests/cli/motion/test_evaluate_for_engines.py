"""``rigcast evaluate --shapes``: joints and shapes for engines, with what they miss."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.exports.played_file import played, read_back
from tests.support.characters.faces import random_curves, small_face
from tests.support.made.skinning import bent, bumpy_tube

FPS = 24.0


@pytest.fixture
def evaluate(tmp_path, monkeypatch, capsys):
    """Runs the command in a folder with a model that linear skinning misses; gives exit code, and JSON or words."""
    monkeypatch.chdir(tmp_path)
    model = bumpy_tube(rc.DeltaMush, metadata={"name": "hose"})
    model.save("hose.safetensors")
    for name, degrees in (("walk", 80), ("run", 50)):
        np.savez(f"{name}.npz", poses=bent(model, degrees), fps=FPS)

    def run(*arguments, shown=False, of="hose.safetensors"):
        code = dispatch.main(["evaluate", of, *map(str, arguments), *([] if shown else ["--json"])])
        said = capsys.readouterr()
        return code, said.out + said.err if shown or code else json.loads(said.out)

    return run


def test_two_motions_are_two_clips_that_miss_by_what_is_said(evaluate):
    code, said = evaluate("walk.npz", "--also", "run.npz", "--shapes", 2, "-o", "hose.glb")
    assert code == 0
    found = said["approximation"]
    assert (found["clips"], found["shapes"], found["held_out"]) == (["walk", "run"], 2, False)
    assert found["worst_mm"] < 0.5 * found["linear_skinning"]["worst_mm"]
    model, file, gaps = rc.load("hose.safetensors"), read_back(Path("hose.glb")), []
    for name in found["clips"]:
        truth = model.evaluate(np.load(f"{name}.npz")["poses"])
        gaps.append(np.linalg.norm(played(file, name, np.arange(3) / FPS) - truth, axis=2))
    assert 1e3 * np.max(gaps) == pytest.approx(found["worst_mm"], rel=1e-3)  # keys in float32
    assert any("keys for the frames of these clips alone" in note for note in said["notes"])


def test_the_table_names_every_number_of_shapes(evaluate):
    code, said = evaluate("walk.npz", "--within", 1e-3, "--shapes", 2, "-o", "hose.glb", shown=True)
    assert code == 0
    rows = [line.split() for line in said.splitlines() if line[:1].isdigit()]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert "no number of shapes up to 2 is within 0.001 mm" in said


def test_another_motion_to_fit_to_makes_the_error_one_on_held_out_frames(evaluate):
    code, said = evaluate("walk.npz", "--fit-on", "run.npz", "--shapes", 2, "-o", "hose.usda")
    if code:
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    assert (said["approximation"]["held_out"], said["approximation"]["fitted_to"]) == (True, "3 other frames")


def test_a_face_with_a_head_has_rigid_bones_that_follow_it(evaluate):
    face, curves = small_face(), random_curves(1, 5)
    face.save("face.safetensors")
    head = np.tile(np.eye(3, 4), (5, 1, 1))
    head[:, 0, 3] = np.arange(5)
    np.savez("w.npz", weights=curves, transforms=head, names=np.array(face.shape_names), fps=FPS)
    code, said = evaluate("w.npz", "--bones", 3, "--shapes", 2, "-o", "face.glb", of="face.safetensors")
    assert code == 0, said
    moved = played(read_back(Path("face.glb")), "w", [0.0, 4 / FPS])
    along = (moved[1] - moved[0])[:, 0].mean()
    assert along == pytest.approx(4.0 * face.meters_per_unit, rel=0.2)  # the face moves, too


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shapes", "-3", "-o", "a.glb"], "--shapes"),
        (["--shapes", "300", "-o", "a.glb"], "--shapes"),
        (["--bones", "none", "-o", "a.glb"], "--bones"),
        (["--within", "0", "-o", "a.glb"], "0 is not a positive number"),
        (["--shapes", "3", "-o", "a.npz"], "--shapes is for engines: -o must be a file that ends in .glb"),
        (["--fit-on", "run.npz"], "--fit-on is for engines"),
        (["--shapes", "3", "--vertices", "-o", "a.glb"], "leave out --vertices"),
        (["--within", "3", "--max-error", "2", "-o", "a.glb"], "leave out --max-error"),
        (["--bones", "900", "-o", "a.glb"], "bones is 900; it must be a whole number from 1 to 104"),
        (["--shapes", "2", "--also", "walk.npz", "-o", "a.glb"], "a clip walk is there already"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(evaluate, tmp_path, arguments, message):
    code, said = evaluate("walk.npz", *arguments)
    assert code == 2
    assert message in said
    assert not list(tmp_path.glob("a.*"))
