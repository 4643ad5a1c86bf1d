"""Recorded vertices beside a model: what is shown of an error while the model stands in another pose."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._staging import stage_of
from tests.conftest import TOLERANCES
from tests.view.frames import header_of
from tests.view.page_messages import page_message, page_messages


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    data = rc.sampling.sample(rc.sources.example_body(), folder / "held.rwdata", count=40, seed=0)
    return rc.baselines.linear_blend(data, influences=4), data


@pytest.fixture
def stage(recorded):
    made = stage_of(*recorded)
    made.step(page_messages({"type": "color", "mode": "error"}), 0.0)
    return made


def sent(stage, *values):
    return header_of(stage.step(page_messages(*values), 0.0))


def moved(stage):
    low, high = stage.ranges[0]
    return {"type": "set", "channel": 0, "value": float(low + 0.9 * (high - low)), "done": True}


def test_a_recorded_pose_is_judged(stage, recorded):
    model, data = recorded
    frame = sent(stage, {"type": "seek", "at": 7})
    distance = np.linalg.norm(model.evaluate(data.poses[7:8])[0].astype(np.float64) - data.vertices[7], axis=1)
    assert frame["follows"] is True
    largest = 1000 * data.meters_per_unit * distance.max()
    assert frame["error"]["max"] == pytest.approx(largest, rel=1e-3)  # of float32 skins


def test_another_pose_is_not_judged_against_the_recording(stage):
    frame = sent(stage, moved(stage))
    assert (frame["follows"], frame["error"], frame["color"]) == (False, None, "error")


@pytest.mark.parametrize("back", [{"type": "undo"}, {"type": "seek", "at": 0}], ids=lambda message: message["type"])
def test_a_pose_that_is_recorded_again_is_judged_again(stage, back):
    before = sent(stage)
    sent(stage, moved(stage))
    after = sent(stage, back)
    assert after["follows"] is True
    assert after["error"]["mean"] == pytest.approx(before["error"]["mean"], rel=TOLERANCES["float32_scaled"])


def test_a_key_takes_the_pose_away_from_the_recording(stage):
    sent(stage, {"type": "seek", "at": 3}, moved(stage), {"type": "key"})
    assert sent(stage, {"type": "seek", "at": 3})["follows"] is False
    assert sent(stage, {"type": "unkey"})["follows"] is True


def test_two_models_always_follow(recorded):
    model, _ = recorded
    stage = stage_of(model, model)
    sent(stage, {"type": "color", "mode": "error"})
    frame = sent(stage, moved(stage))
    assert frame["follows"] is True
    assert frame["error"]["max"] == 0.0


def probe(stage, vertex):
    """The value where a ray meets the surface near a vertex, and that of the vertices of the hit."""
    middle = stage.vertices.mean(axis=0).astype(float)
    outward = stage.vertices[vertex] - middle
    origin = middle + 3 * outward
    ray = {"type": "probe", "origin": origin.tolist(), "direction": (-outward).tolist()}
    hit = stage._picker.pick(origin, -outward)
    return stage.value_at(page_message(ray)), hit


def test_the_value_at_a_point_of_the_skin_is_between_those_of_its_triangle(stage, recorded):
    _, data = recorded
    sent(stage, {"type": "seek", "at": 5})
    error = 1000 * data.meters_per_unit * np.linalg.norm(stage.vertices.astype(np.float64) - data.vertices[5], axis=1)
    for vertex in (0, 200, 700):
        value, (_, corners, weights, *_) = probe(stage, vertex)
        assert value == {"error": pytest.approx(float(weights @ error[corners]), rel=1e-4)}  # of float32 skins


def test_there_is_no_value_beside_the_skin_or_without_a_measured_color(stage):
    away = {"type": "probe", "origin": [0.0, 0.0, 1e4], "direction": [0.0, 0.0, 1.0]}
    assert stage.value_at(page_message(away)) is None
    sent(stage, moved(stage))
    assert probe(stage, 200)[0] is None  # the recording does not follow
    sent(stage, {"type": "color", "mode": "plain"})
    assert probe(stage, 200)[0] is None
    frame = sent(stage, {"type": "color", "mode": "confidence"})
    assert probe(stage, 200)[0] == {"confidence": frame["confidence"]}


def test_bones_stand_where_the_joints_of_the_pose_are(stage, recorded):
    model, _ = recorded
    assert sent(stage)["bones"] is None
    frame = sent(stage, {"type": "bones", "shown": True}, {"type": "seek", "at": 9})
    expected = model.skeleton.globals(stage.figure.pose(stage.state)[None])[0, :, :, 3]
    np.testing.assert_allclose(frame["bones"], expected, atol=1e-4)  # as rounded for the page
    assert header_of(stage.scene())["figures"][0]["parents"] == list(model.skeleton.parents)


def test_a_face_has_no_bones():
    stage = stage_of(rc.faces.example())
    assert header_of(stage.scene())["bones"] is False
    assert sent(stage, {"type": "bones", "shown": True})["notice"] == "this character has no joints"
