"""``rigcast capture train``, ``solve --read`` and ``report`` from files to files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._actors.folder import png
from rigcast.cli import _dispatch as dispatch
from tests.capture.network.networks import SHAPES, network

SIDE, FRAMES = 96, 5
PAGES = ("pyvista", "matplotlib", "jinja2")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An actor's pictures, 40 points with their map, the character, and a network of random weights for its shapes."""
    folder = tmp_path_factory.mktemp("read")
    cast = rc.capture.example_cast()
    cast.character.save(folder / "face.safetensors")
    shot = rc.capture.film(cast.actor(1), rc.capture.ShotPlan(frames=FRAMES, size=SIDE))
    (folder / "frames").mkdir()
    for t, picture in enumerate(shot.color):
        (folder / "frames" / f"{t:03}.png").write_bytes(png(picture))
    np.savez(folder / "points.npz", points=shot.labels["landmarks_2d"], fps=25.0, size=(SIDE, SIDE))
    (folder / "map.json").write_text(json.dumps(cast.landmarks.tolist()))
    names = list(cast.character.shape_names[:SHAPES])
    network(landmarks=40, names=names).save(folder / "network.safetensors")
    network(landmarks=40).save(folder / "strange.safetensors")
    return folder


@pytest.fixture
def run(place, tmp_path, monkeypatch, capsys):
    """Run a command in a new folder; its JSON object, or the code and what it says."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = dispatch.main(["capture", *map(str, words), "--json"])
        shown = capsys.readouterr()
        return json.loads(shown.out) if code == 0 else (code, shown.err)

    return call


@pytest.fixture
def solve(run, place):
    usual = ["--map", place / "map.json", "--neutral", 0, "--focal", 200]
    return lambda *more: run("solve", place / "points.npz", place / "face.safetensors", *usual, *more)


def test_read_weights_are_those_of_the_library(solve, place):
    result = solve("--pictures", place / "frames", "--read", place / "network.safetensors", "--read-for", "weights",
                   "-o", "w.npz")  # fmt: skip
    rig = rc.load(place / "face.safetensors")
    tracks = rc.capture.load_tracks(place / "points.npz")
    places = rc.capture.load_places(place / "map.json", rig)
    found = rc.capture.solve(rig, tracks, places, neutral=0, focal=200)
    reader, pictures = rc.capture.load_network(place / "network.safetensors"), rc.capture.Pictures(place / "frames")
    reading = reader.read(pictures, tracks)
    read = rc.capture.solve_read(rig, found, reading, points=tracks, use=rc.capture.ReadingUse(landmarks="none"))
    last = rc.capture.refine(rig, read.found, pictures, points=read.tracks, priors=read.priors)
    written = rc.capture.load_capture("w.npz", rig)
    assert np.array_equal(written.weights, last.weights)
    assert any(f"{SHAPES} of 22 shapes were read" in note for note in result["notes"])


def test_points_with_read_landmarks_are_kept_and_make_the_same_page(solve, run, place, tmp_path, monkeypatch):
    for package in PAGES:
        pytest.importorskip(package, reason="the report extra is not installed")
    exact = rc.capture.load_tracks(place / "points.npz")
    of_network = rc.capture.CaptureNetwork.read

    def right(self, *given, **more):
        """Its landmarks where the actor has them."""
        return replace(of_network(self, *given, **more), tracks=exact)

    monkeypatch.setattr(rc.capture.CaptureNetwork, "read", right)
    files = "--pictures", place / "frames"
    result = solve(*files, "--read", place / "network.safetensors", "-o", "w.npz", "--report", "solved.html")
    assert any(note.endswith("are in w.read.npz") for note in result["notes"])
    assert rc.capture.load_tracks("w.read.npz").points.shape == (FRAMES, 80, 2)
    named = "--name", "points", "-o", "saved.html"
    run("report", "w.npz", place / "face.safetensors", "--points", "w.read.npz", *files, *named)
    assert (tmp_path / "saved.html").read_bytes() == (tmp_path / "solved.html").read_bytes()


def test_the_page_of_a_saved_capture_is_that_of_its_solve(solve, run, place, tmp_path):
    for package in PAGES:
        pytest.importorskip(package, reason="the report extra is not installed")
    solve("-o", "w.npz", "--report", "solved.html")
    run("report", "w.npz", place / "face.safetensors", "--points", place / "points.npz", "-o", "saved.html")
    assert (tmp_path / "saved.html").read_bytes() == (tmp_path / "solved.html").read_bytes()


def test_a_page_of_other_points_is_refused(solve, run, place):
    for package in PAGES:
        pytest.importorskip(package, reason="the report extra is not installed")
    solve("-o", "w.npz")
    np.save("other.npy", np.load(place / "points.npz")["points"][:, :30])
    code, said = run("report", "w.npz", place / "face.safetensors", "--points", "other.npy", "-o", "a.html")
    assert code == 2
    assert "40 points" in said


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--read", "NET"], "--read needs a video, or the --pictures of the points"),
        (["--read-for", "weights"], "--read-for is about what --read reads"),
        (["--read-map", "MAP"], "--read-map is about what --read reads"),
        (["--pictures", "FRAMES", "--read", "STRANGE", "--read-for", "weights"], "without a shape that the network"),
        (["--pictures", "FRAMES", "--read", "FACE"], "a network that reads faces"),
    ],
)
def test_wrong_input_is_one_line(solve, place, more, words):
    names = {"NET": "network.safetensors", "MAP": "map.json", "FRAMES": "frames", "STRANGE": "strange.safetensors",
             "FACE": "face.safetensors"}  # fmt: skip
    code, said = solve(*(place / names[word] if word in names else word for word in more), "-o", "w.npz")
    assert code == 2
    assert words in said
    assert len(said.strip().splitlines()) <= 2


def test_kept_points_are_replaced_with_overwrite_only(solve, place, tmp_path):
    (tmp_path / "w.read.npz").write_text("another's")
    code, said = solve("--pictures", place / "frames", "--read", place / "network.safetensors", "-o", "w.npz")
    assert code == 2
    assert "w.read.npz exists; --overwrite" in said
    assert (tmp_path / "w.read.npz").read_text() == "another's"


def test_without_its_name_the_command_is_proposed(run, place):
    code, said = run(place / "points.npz", place / "face.safetensors", "-o", "w.npz")
    assert code == 2
    assert "'solve' is missing: rigcast capture solve" in said


TINY = ["--actors", 4, "--count", 4, "--size", 32, "--width", 4, "--steps", 2]


def test_a_network_is_trained_and_its_pictures_are_removed(run, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    result = run("train", "-o", "n.safetensors", *TINY)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.safetensors"]
    made = rc.capture.load_network("n.safetensors")
    assert result["held_out"] == made.metadata["error"]
    assert result["bytes"] == (tmp_path / "n.safetensors").stat().st_size
    assert any("rendered" in note for note in result["notes"])


def test_an_interrupted_command_goes_on(run, tmp_path, monkeypatch):
    """It says so, keeps what was filmed, and ends with what one run gives."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from rigcast.training._capture import pipeline

    run("train", "-o", "whole.safetensors", *TINY)
    trains = pipeline._train

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "_train", interrupted)
    code, said = run("train", "-o", "n.safetensors", *TINY)
    assert code == 130
    assert "run the same command again to continue" in said
    assert len(list((tmp_path / "n.safetensors.examples").glob("*.npz"))) == 4
    monkeypatch.setattr(pipeline, "_train", trains)
    run("train", "-o", "n.safetensors", *TINY, "--keep-examples")
    assert (tmp_path / "n.safetensors").read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert len(list((tmp_path / "n.safetensors.examples").glob("*.npz"))) == 4


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--ict", ".", "--makehuman", "."], "are two faces: give one"),
        (["--tongue"], "--tongue is about the face that --ict reads"),
        (["--actors", 3], "actors is 3"),
    ],
)
def test_wrong_settings_of_a_training_are_one_line(run, more, words):
    code, said = run("train", "-o", "n.safetensors", *more)
    assert code == 2
    assert words in said
