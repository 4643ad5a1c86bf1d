"""``rigcast perceive``: exit codes, pictures of the worst frames, JUnit XML, JSON, and files that do not fit."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.characters.plain_face import plain_face

OPEN = 0.3  # weight of the shape that both versions differ in, in frame 2


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A face in decimeters, the same with a shape that moves more, one with other vertices, and two clips."""
    face = plain_face()
    own = {"faces": face.faces, "names": face.shape_names, "metadata": {"meters_per_unit": 0.1}}
    deltas = face.columns()[: face.num_shapes].copy()
    rc.BlendshapeRig(face.rest_vertices, deltas, **own).save(tmp_path / "old.safetensors")
    deltas[4] *= [1.0, 1.0, 1.5]
    deltas[4, :, 0] += 0.5 * deltas[4, :, 2]
    rig = rc.BlendshapeRig(face.rest_vertices, deltas, **own)
    rig.save(tmp_path / "new.safetensors")
    fewer = own | {"faces": face.faces[(face.faces < len(face.rest_vertices) - 1).all(axis=1)]}
    rc.BlendshapeRig(face.rest_vertices[:-1], deltas[:, :-1], **fewer).save(tmp_path / "other.safetensors")
    for name, weight in (("quiet", 0.0), ("loud", OPEN)):
        weights = np.zeros((4, face.num_shapes))
        weights[:, 0], weights[2, 4] = 0.5, weight
        rc.exports.write_blendshape_weights(tmp_path / f"{name}.npz", rig, weights)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return dispatch.main(["perceive", *map(str, words)])


def of_json(capsys, *words):
    code = run(*words, "--json")
    return code, json.loads(capsys.readouterr().out)


def test_the_same_rig_passes(place, capsys):
    code, found = of_json(capsys, "old.safetensors", "old.safetensors", "--motion", "loud.npz")
    assert (code, found["within"], found["amount"]) == (0, True, 0.0)


def test_a_difference_that_shows_fails_and_says_where(place, capsys):
    code, found = of_json(capsys, "old.safetensors", "new.safetensors", "--motion", "loud.npz", "--below", "1px at 2m")
    assert (code, found["within"], found["exit_code"]) == (1, False, 1)
    (clip,) = found["clips"]
    assert clip["worst_frames"][0]["frame"] == 2
    assert [value > 0 for value in clip["px_per_frame"]] == [False, False, True, False]
    assert "loud.npz differs by" in found["error"]
    assert "worst in frame 2" in found["error"]


def test_the_amount_is_that_of_the_library(place, capsys):
    _, found = of_json(capsys, "old.safetensors", "new.safetensors", "--motion", "loud.npz", "--distance", "3")
    old, new = (rc.load(place / f"{name}.safetensors") for name in ("old", "new"))
    weights, _ = rc.sources.load_blendshape_weights(place / "loud.npz", old)
    budget = rc.perception.VisualBudget(1.0, viewing=rc.perception.Viewing(distance=3.0))
    expected = rc.perception.seen_difference(
        old.evaluate(weights), new.evaluate(weights), old.faces, budget=budget, meters_per_unit=0.1
    )
    assert found["amount"] == pytest.approx(expected.amount, rel=1e-4)  # positions are float32 in meters there
    assert found["budget"] == {"amount": 1.0, "unit": "px", "distance": 3.0}


def test_a_larger_budget_and_a_farther_viewer_pass(place):
    line = ("old.safetensors", "new.safetensors", "--motion", "loud.npz", "--below")
    assert [run(*line, budget) for budget in ("1px at 2m", "1000px at 2m", "1px at 1000m")] == [1, 0, 0]


def test_one_case_per_clip_stands_in_the_junit_file(place):
    clips = ("--motion", "quiet.npz", "--motion", "loud.npz")
    assert run("old.safetensors", "new.safetensors", *clips, "--junit", "found.xml") == 1
    (suite,) = ElementTree.parse(place / "found.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    quiet, loud = suite
    assert [quiet.get("name"), loud.get("name")] == ["quiet.npz", "loud.npz"]
    assert len(quiet) == 0
    assert "more than 1 px at 2 m" in loud[0].get("message")


def test_the_worst_frames_are_drawn(place):
    line = ("old.safetensors", "new.safetensors", "--motion", "loud.npz", "-o", "worst", "--worst", "1")
    assert run(*line) == 1
    names = sorted(path.name for path in (place / "worst").iterdir())
    assert names == [f"loud_0002_{kind}.png" for kind in ("difference", "new", "old")]
    assert (place / "worst" / names[1]).read_bytes() != (place / "worst" / names[2]).read_bytes()


def test_moving_meshes_are_compared_without_a_clip(place, capsys):
    face = plain_face()
    frames = np.repeat(face.rest_vertices[None], 3, axis=0)
    for name, shift in (("a", 0.0), ("b", 0.5)):
        moved = frames.copy()
        moved[1, :, 0] += shift
        np.savez(place / f"{name}.npz", vertices=moved, faces=face.faces, fps=24.0)
    code, found = of_json(capsys, "a.npz", "b.npz", "--distance", "50")
    assert code == 1
    assert found["clips"][0]["worst_frames"][0]["frame"] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("old.safetensors", "other.safetensors", "--motion", "loud.npz"), "both must be one mesh in one order"),
        (("old.safetensors", "new.safetensors", "--motion", "loud.npz", "--below", "1 mile"), "1px at 2m"),
        (("old.safetensors", "new.safetensors", "--motion", "loud.npz", "--field-of-view", "190"), "--field-of-view"),
        (("loud.npz", "loud.npz"), "loud.npz"),
    ],
)
def test_what_does_not_fit_is_wrong_input(place, capsys, words, told):
    assert run(*words) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("rigcast")]
    assert told in line
    assert "internal error" not in line
