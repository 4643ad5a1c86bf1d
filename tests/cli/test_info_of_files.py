"""``rigcast info`` of any file: what it is, or what may be given."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._described.others import size_notes
from tests.cli.command import json_of, rigcast_command
from tests.support.characters.faces import small_face
from tests.support.characters.plain_face import plain_face
from tests.support.glb import character

OURS = {
    "plan.json": (lambda: {"expressions": [[0]], "settings": {}}, "plan of expressions"),
    "clips.json": (lambda: {"labels": {"calm": []}}, "list of clips"),
    "hero.limits.json": (lambda: {"channels": {}, "groups": {}, "sources": {}}, "limits of a rig"),
    "layers.json": (lambda: [{"kind": "blinks"}], "layers"),
    "report.html": (lambda: '<html><meta name="generator" content="rigcast"><title>hero</title>', "page"),
    "jobs.toml": (lambda: '[[jobs]]\ncommand = "doctor"\n', "jobs"),
    "points.csv": (lambda: "x_0,y_0\n1,2\n", "points of a face"),
    "answers.csv": (lambda: "person,unit,rating\na,b,1\n", "answers of a study"),
    "goals.csv": (lambda: "frame,vertex,x,y,z\n0,1,0,0,0\n", "targets of points"),
    "rows.npy": (lambda: np.zeros((4, 5)), "rows: weights, poses or channels"),
    "mesh.npy": (lambda: np.zeros((4, 3)), "rows: weights, poses or channels, or one mesh"),
    "shot.npy": (lambda: np.zeros((2, 4, 3)), "shot"),
}
STRANGERS = {
    "README.md": lambda: "# read me",
    "other.html": lambda: "<html><title>other</title>",
    "other.json": lambda: {"a": 1},
    "map.json": lambda: [1, 2],
    "notes.txt": lambda: "some",
    "tensor.npy": lambda: np.zeros((2, 2, 2, 2)),
    "pairs.csv": lambda: "0,0\n1,1\n",
}


def write(path, content):
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.mark.parametrize("name", OURS)
def test_a_file_of_ours_is_named(tmp_path, name):
    content, kind = OURS[name]
    write(tmp_path / name, content())
    assert json_of("info", name, folder=tmp_path)["type"] == kind
    assert kind.split(":")[0] in rigcast_command("info", name, folder=tmp_path).stdout


@pytest.mark.parametrize("name", STRANGERS)
def test_another_file_is_told_what_may_be_given(tmp_path, name):
    write(tmp_path / name, STRANGERS[name]())
    done = rigcast_command("info", name, folder=tmp_path)
    assert done.returncode == 2
    assert name in done.stderr
    assert any(words in done.stderr for words in ("info takes models", "it must be a shot", "it is no table of"))
    assert "load" not in done.stderr


def test_a_folder_is_told_which_folders_may_be_given(tmp_path):
    (tmp_path / "pictures").mkdir()
    done = rigcast_command("info", "pictures", folder=tmp_path)
    assert "a study or a set of actors, or one that rigcast sample has finished" in done.stderr


def test_every_kind_of_model_and_motion_has_a_type(tmp_path):
    face = plain_face()
    face.save(tmp_path / "face.safetensors")
    weights = np.linspace(0, 1, 30)[:, None] * np.ones(face.num_shapes)
    short = {"dimensions": 2, "components": 2, "iterations": 2, "held_out": False}
    rc.synthesis.fit({"a": [weights]}, rig=face, **short).save(tmp_path / "moods.safetensors")
    rc.exports.write_blendshape_weights(tmp_path / "w.npz", face, weights)
    np.savez(tmp_path / "goals.npz", targets=np.zeros((1, 1, 3)), vertices=np.array([3]))
    rc.sources.save_npz_rig(tmp_path / "arm.npz", rc.sources.example_body())
    types = {name: json_of("info", name, folder=tmp_path)["type"]
             for name in ("face.safetensors", "moods.safetensors", "w.npz", "goals.npz", "arm.npz")}  # fmt: skip
    assert types == {
        "face.safetensors": "model",
        "moods.safetensors": "synthesizer",
        "w.npz": "weights",
        "goals.npz": "targets of points",
        "arm.npz": "rig",
    }


def test_a_clip_is_listed_with_the_option_that_takes_it(tmp_path):
    hero = character()
    hero.write(tmp_path / "hero.glb")
    shown = rigcast_command("info", "hero.glb", folder=tmp_path).stdout
    for clip in json_of("info", "hero.glb", folder=tmp_path)["clips"]:
        assert f"; --action {clip['name']} takes it" in shown
    assert "actions  " not in shown


@pytest.mark.parametrize("meters", [0.1, 0.24, 1.8, 10.0])
def test_the_size_of_a_character_is_no_news(meters):
    assert size_notes(meters) == []


def test_a_size_that_no_character_has_hints_at_the_unit(tmp_path):
    assert "a character of 155 m hints at a wrong unit: --meters-per-unit" in size_notes(154.7)[0]
    assert "0.0018 m" in size_notes(0.0018)[0]
    arm = rc.sources.example_body()
    rc.sources.save_npz_rig(tmp_path / "arm.npz", arm)
    size = json_of("info", "arm.npz", folder=tmp_path)["size_meters"]
    assert size == pytest.approx(arm.meters_per_unit * np.ptp(arm.rest_vertices, axis=0).max())
    large = json_of("info", "arm.npz", "--meters-per-unit", 1000, folder=tmp_path)
    assert large["size_meters"] == pytest.approx(size * 1000 / arm.meters_per_unit)
    assert any("hints at a wrong unit" in note for note in large["notes"])


def test_another_unit_reaches_the_samples(tmp_path):
    rc.sources.save_npz_rig(tmp_path / "arm.npz", rc.sources.example_body())
    given = ["--meters-per-unit", "in", "--count", 4, "--probe", 0, "--workers", 2]
    assert rigcast_command("sample", "arm.npz", "-o", "d", *given, folder=tmp_path).returncode == 0
    assert rc.Dataset(tmp_path / "d").meters_per_unit == 0.0254


def test_a_face_is_no_body_and_the_error_says_what_learns_it(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    small_face().save(tmp_path / "face.safetensors")
    done = rigcast_command("train", "body", "face.safetensors", "-o", "m.safetensors", "--count", 8, folder=tmp_path)
    assert done.returncode == 2
    assert "rigcast train face-maps, or differential, learns it" in done.stderr
