"""``rigcast capture solve`` from files to files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.registry import MADE_WEIGHTS, written_endings
from rigcast.capture._sides import exchanged
from rigcast.cli import _dispatch as dispatch
from tests.capture.capture import FOCAL, SIZE, acting, film
from tests.support.blender import has_blender


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A face, points of a shot with a frame without a face, and their vertices."""
    folder = tmp_path_factory.mktemp("capture")
    rig = rc.faces.example()
    rig.save(folder / "face.safetensors")
    shot = film(rig, acting(rig, frames=24))
    shot.points[11] = np.nan
    np.savez(folder / "points.npz", points=shot.points, fps=60.0, size=SIZE)
    (folder / "map.json").write_text(json.dumps(shot.vertices.tolist()))
    return folder, rig, shot


@pytest.fixture
def run(place, tmp_path, monkeypatch, capsys):
    """Run the command in a new folder; gives its JSON object."""
    monkeypatch.chdir(tmp_path)
    files = [str(place[0] / name) for name in ("points.npz", "face.safetensors")]
    usual = ["--map", str(place[0] / "map.json"), "--neutral", "0", "--focal", str(FOCAL)]

    def call(*more):
        code = dispatch.main(["capture", "solve", *files, *usual, *map(str, more), "--json"])
        shown = capsys.readouterr()
        return json.loads(shown.out) if code == 0 else (code, shown.err)

    return call


def test_weights_are_those_of_the_library(run, place):
    _, rig, shot = place
    result = run("-o", "w.npz")
    found = rc.capture.solve(rig, shot.points, shot.vertices, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)
    weights, fps = rc.sources.load_blendshape_weights("w.npz", rig)
    assert np.array_equal(weights, found.weights.astype(np.float32))
    assert (fps, result["frames"], result["lost"], result["focal"]) == (60, 24, [11], FOCAL)
    assert result["residual_pixels"] == pytest.approx(np.nanmean(found.residual))


def test_notes_are_the_same_in_json_and_in_the_file(run):
    result = run("-o", "w.npz")
    with np.load("w.npz") as stored:
        assert stored["notes"].tolist() == result["notes"]
    assert any("1 frames have no face, first 11" in note for note in result["notes"])


@pytest.mark.parametrize("ending", sorted(written_endings(MADE_WEIGHTS)))
def test_every_format_of_a_solved_shot_is_written_by_the_same_code(run, place, tmp_path, ending):
    """The same bytes as those of the exporter, with the motion of the head."""
    _, rig, shot = place
    if ending == ".blend" and not has_blender():
        pytest.skip("no Blender is installed")
    if ending.startswith(".usd"):
        pytest.importorskip("pxr", reason="usd-core is not installed (extra usd)")
    run("-o", f"written{ending}")
    found = rc.capture.solve(rig, shot.points, shot.vertices, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / f"written{ending}"
    rc.exports.write_blendshape_weights(other, rig, found.weights, fps=found.fps, transforms=found.motion)
    if ending in (".csv", ".glb", ".py"):
        assert (tmp_path / f"written{ending}").read_bytes() == other.read_bytes()
    if ending == ".py":  # a script, which Blender alone reads
        return
    pair = [rc.sources.load_blendshape_weights(file, rig) for file in (tmp_path / f"written{ending}", other)]
    assert np.array_equal(pair[0][0], pair[1][0])
    assert pair[0][1] == pair[1][1]


def test_the_bvh_holds_the_motion_of_the_head(run, place):
    run("-o", "head.bvh", "-o", "w.npz")
    with np.load("w.npz") as stored:
        motion = stored["transforms"]
    bvh = rc.sources.load_bvh("head.bvh")
    moved = bvh.values[:, :3] - bvh.values[0, :3]
    assert np.abs(moved - (motion[:, :, 3] - motion[0, :, 3])).max() <= 1e-4


def test_the_report_is_written_with_the_weights(run, tmp_path):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    result = run("-o", "w.npz", "--report", "take.html")
    assert result["outputs"] == ["w.npz", "take.html"]
    assert '<section id="unseen">' in (tmp_path / "take.html").read_text(encoding="utf-8")


def test_pins_of_an_earlier_capture_survive(run, place):
    run("-o", "w.npz")
    rig = place[1]
    pins = np.full((24, rig.num_shapes), np.nan)
    pins[5:9, 3] = 0.6
    np.save("pins.npy", pins)
    run("-o", "again.npz", "--pins", "pins.npy")
    weights, _ = rc.sources.load_blendshape_weights("again.npz", rig)
    assert (weights[5:9, 3] == np.float32(0.6)).all()


@pytest.mark.parametrize("mirrored", [[], ["--mirrored"]])
def test_corrected_frames_refit_the_shapes_and_are_kept(run, place, mirrored):
    """Rows without NaN; the others are solved again on the fitted shapes. Corrections have the character's sides."""
    first = run("-o", "w.npz", *mirrored)
    rig, shot = place[1], place[2]
    truth = shot.weights[:, exchanged(rig)] if mirrored else shot.weights
    corrected = np.full(truth.shape, np.nan)
    corrected[[6, 12, 18]] = truth[[6, 12, 18]] * 0.8  # the actor's shapes are stronger than the character's
    np.save("corrected.npy", corrected)
    again = run("-o", "again.npz", "--corrected", "corrected.npy", *mirrored)
    weights, plain = (rc.sources.load_blendshape_weights(name, rig)[0] for name in ("again.npz", "w.npz"))
    assert np.array_equal(weights[[6, 12, 18]], corrected[[6, 12, 18]].astype(np.float32))
    assert weights[20:].sum() < 0.95 * plain[20:].sum()
    assert any("fitted to 3 corrected frames" in note for note in again["notes"])
    assert len(first["worth_correcting"]) > 2


def test_live_link_weights_are_a_prior(run, place):
    """Of another recorder at half the rate: the result comes nearer to them."""
    rig = place[1]
    given = np.full((12, rig.num_shapes), 0.4)
    rc.exports.write_blendshape_weights("live.csv", rig, given, fps=30)
    run("-o", "alone.npz")
    run("-o", "near.npz", "--priors", "live.csv", "--prior-strength", "50")
    alone, near = (rc.sources.load_blendshape_weights(name, rig)[0] for name in ("alone.npz", "near.npz"))
    assert np.abs(near - 0.4)[:22].mean() <= 0.7 * np.abs(alone - 0.4)[:22].mean()


def test_a_strength_by_name(run, place):
    rig = place[1]
    jaw = rig.shape_names.index("jawOpen")
    run("-o", "one.npz")
    with open("strength.json", "w") as file:
        json.dump({"jawOpen": 2.0}, file)
    run("-o", "two.npz", "--strength", "strength.json")
    one, two = (rc.sources.load_blendshape_weights(name, rig)[0][:, jaw] for name in ("one.npz", "two.npz"))
    assert two.max() == pytest.approx(one.max() / 2, abs=0.05)  # of a weight: what sparsity and the bound of 1 leave


def test_the_map_is_written(run, place):
    run("-o", "w.npz", "--write-map", "out.json")
    again = rc.capture.load_places("out.json", place[1])
    assert np.array_equal(again.vertices[:, 0], place[2].vertices)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--prior-strength", "1"], "--prior-strength is about the weights that --priors reads"),
        (["--neutral", "500"], "neutral is 500"),
        (["--detector", "ibug68"], "68 points of ibug68"),
    ],
)
def test_wrong_input_is_one_line(run, options, words):
    np.save("w.npy", np.zeros(3))
    code, shown = run("-o", "w.npz", *options)
    assert code == 2
    assert words in shown
    assert len(shown.strip().splitlines()) <= 2
