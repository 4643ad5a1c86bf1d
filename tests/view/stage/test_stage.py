"""What is done on the page, and what the next frame shows."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._drawing._geometry import edges, reduced, triangles
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.view.frames import header_of, payload_of, positions_of
from tests.view.page_messages import page_messages
from tests.view.stage.posed import skinned_arm


@pytest.fixture
def face():
    return plain_face()


@pytest.fixture
def stage(face):
    return stage_of(face)


def send(stage, *messages, now=0.0):
    return stage.step(page_messages(*messages), now)


def setting(channel, value, done=True):
    return {"type": "set", "channel": channel, "value": value, "done": done}


def shown(stage, message):
    return positions_of(message, [len(stage.figure.rest_vertices)])[0]


def test_a_scene_holds_every_triangle_and_edge_once(stage, face):
    header = header_of(stage.scene())
    (figure,) = header["figures"]
    all_triangles = triangles(stage.figure.faces)
    assert figure["triangles"] == len(all_triangles)
    data = np.frombuffer(payload_of(stage.scene()), np.uint32)
    assert np.array_equal(data[: all_triangles.size].reshape(-1, 3), all_triangles)
    assert np.array_equal(
        data[-2 * figure["edges"] :].reshape(-1, 2), edges(stage.figure.faces, len(face.rest_vertices))
    )
    assert [slider["name"] for slider in header["sliders"]] == list(face.shape_names)


def test_a_slider_moves_the_skin_as_the_model_says(stage, face):
    row = np.zeros(face.num_shapes, np.float32)
    row[0] = 0.6
    message = send(stage, setting(0, 0.6))
    expected = face.evaluate(row[None])[0]
    assert shown(stage, message) == pytest.approx(expected, abs=float(np.ptp(expected, axis=0).max()) / 65535)
    assert header_of(message)["row"][0] == 0.6


def test_a_slider_stops_at_the_end_of_its_range(stage):
    assert header_of(send(stage, setting(0, 40.0)))["row"][0] == 1.0


@pytest.mark.parametrize(
    "message",
    [
        setting(10_000, 1.0),
        {"type": "reset", "channels": [0, 10_000]},
        {"type": "color", "mode": "error"},
        {"type": "drag", "pin": 7, "origin": [0, 0, 9], "direction": [0, 0, -1]},
        {"type": "release", "pin": 7, "hold": True},
        {"type": "unpin", "pin": 7},
    ],
)
def test_what_makes_no_sense_changes_nothing(stage, message, caplog):
    before = header_of(send(stage, setting(0, 0.25)))
    with caplog.at_level(logging.WARNING, "rigcast.viewer"):
        after = header_of(send(stage, message))
    for key in ("row", "boxes", "pins", "color", "timeline"):
        assert after[key] == before[key]
    assert bool(caplog.records) == (message["type"] in ("set", "reset", "color"))


def test_undo_and_redo_go_back_and_forth(stage):
    send(stage, setting(0, 0.3), setting(1, 0.5))
    undone = header_of(send(stage, {"type": "undo"}))
    assert (undone["row"][:2], undone["undo"], undone["redo"]) == ([0.3, 0.0], True, True)
    assert header_of(send(stage, {"type": "undo"}))["row"][:2] == [0.0, 0.0]
    redone = header_of(send(stage, {"type": "redo"}, {"type": "redo"}))
    assert (redone["row"][:2], redone["redo"]) == ([0.3, 0.5], False)


def test_a_slider_in_motion_is_one_step_to_undo(stage):
    send(stage, *[setting(0, 0.1 * k, done=k == 9) for k in range(10)])
    assert header_of(send(stage, {"type": "undo"}))["row"][0] == 0.0


def test_reset_takes_chosen_channels_to_rest(stage):
    send(stage, setting(0, 0.3), setting(1, 0.5))
    assert header_of(send(stage, {"type": "reset", "channels": [0]}))["row"][:2] == [0.0, 0.5]


def test_keys_are_interpolated_and_the_clip_plays_at_its_rate(stage):
    send(stage, {"type": "frames", "frames": 11}, {"type": "key"})
    send(stage, {"type": "seek", "at": 10}, setting(0, 1.0), {"type": "key"})
    assert header_of(send(stage, {"type": "seek", "at": 4}))["row"][0] == pytest.approx(0.4)
    send(stage, {"type": "play", "playing": True}, now=100.0)
    later = header_of(send(stage, now=100.0 + 3.5 / stage.timeline.fps))
    assert later["row"][0] == pytest.approx(0.7)
    send(stage, {"type": "unkey"}, {"type": "seek", "at": 10}, {"type": "unkey"})
    assert header_of(send(stage))["timeline"]["keys"] == [0]


def test_a_clip_of_poses_plays_them_and_keys_lie_over_it(face, tolerance):
    rng = np.random.default_rng(0)
    clip = rng.uniform(0, 0.5, (5, face.num_shapes)).astype(np.float32)
    stage = stage_of(face, poses=clip, fps=30)
    assert header_of(send(stage, {"type": "seek", "at": 3}))["row"] == pytest.approx(
        clip[3].tolist(), abs=tolerance["printed"]
    )
    send(stage, setting(0, clip[3, 0] + 0.25), {"type": "key"})
    beside = header_of(send(stage, {"type": "seek", "at": 1}))["row"]
    assert beside[0] == pytest.approx(clip[1, 0] + 0.25, abs=tolerance["printed"])
    assert beside[1:] == pytest.approx(clip[1, 1:].tolist(), abs=tolerance["printed"])


def test_a_figure_beside_it_follows_and_its_distance_is_a_color(face):
    stage = stage_of(face, face)
    same = header_of(send(stage, setting(0, 0.8), {"type": "color", "mode": "error"}))
    assert (same["color"], same["error"]["max"]) == ("error", 0.0)
    half = rc.BlendshapeRig(
        face.rest_vertices, 0.5 * (face.columns()[: face.num_shapes]).reshape(-1, *face.rest_vertices.shape),
        names=list(face.shape_names), faces=face.faces,
    )  # fmt: skip
    other = stage_of(face, half)
    message = send(other, setting(0, 0.8), {"type": "color", "mode": "error"})
    count = len(face.rest_vertices)
    ours, theirs = positions_of(message, [count, count])
    distance = np.linalg.norm(ours - theirs, axis=1).max() * 1000 * face.meters_per_unit
    # Positions on the wire have steps of 1/65535 of the figure.
    assert header_of(message)["error"]["max"] == pytest.approx(distance, rel=1e-2)


def test_a_rig_that_has_to_be_fitted_first_says_so_once():
    stage = stage_of(rc.sources.example_body())
    ray = {"origin": [0, 0.5, 5], "direction": [0, 0, -1]}
    grab = {"type": "grab", "pin": 1, "facing": [0, 0, -1], **ray}
    first = header_of(send(stage, grab))
    assert (first["grab"], "fitted" in first["notice"]) == ({"pin": 1, "hit": True}, True)
    aside = {"type": "drag", "pin": 1, **ray, "direction": [0.02, 0, -1]}
    assert "fitted to 200 poses" in header_of(send(stage, aside))["notice"]
    assert header_of(send(stage, {**grab, "pin": 2}))["notice"] == ""


def test_a_reduced_mesh_keeps_to_the_same_vertices():
    rng = np.random.default_rng(0)
    x, y = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60))
    points = np.stack([x, y, 0.05 * rng.standard_normal(x.shape)], -1).reshape(-1, 3).astype(np.float32)
    index = np.arange(3600).reshape(60, 60)
    faces = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], -1).reshape(-1, 4)
    kept = reduced(points, triangles(faces.astype(np.int32)), most=1000)
    assert 200 < len(kept) <= 1000
    assert kept.max() < 3600
    assert len(np.unique(np.sort(kept, axis=1), axis=0)) == len(kept)
    # A cell of the grid may be lost at the border.
    assert np.ptp(points[np.unique(kept)], axis=0)[:2] == pytest.approx([1, 1], abs=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_a_drag_that_rests_is_met_in_three_frames_or_stays_apart(seed):
    """Three frames last 100 ms at 30 per second; two of 480 lines are 1/200 of a figure that fills the view."""
    stage = stage_of(skinned_arm())
    rng = np.random.default_rng(seed)
    hand = stage.vertices[:, 1] > 0.75 * stage.vertices[:, 1].max()
    start = stage.vertices[rng.choice(np.flatnonzero(hand))].astype(float)
    eye = start * [5, 1, 5] / np.linalg.norm(start[[0, 2]])
    facing = (start - eye).tolist()
    grab = {"type": "grab", "pin": 1, "facing": facing, "origin": eye.tolist(), "direction": facing}
    assert header_of(send(stage, grab))["grab"]["hit"]
    (pin,) = header_of(send(stage))["pins"]
    near = float(np.linalg.norm(np.ptp(stage.figure.rest_vertices, axis=0))) / 200
    for lift, reachable in ((-0.1, True), (1.0, False)):
        target = np.add(pin["at"], [0, lift, 0])
        drag = {"type": "drag", "pin": 1, "origin": eye.tolist(), "direction": (target - eye).tolist()}
        frames = [send(stage, drag), send(stage), send(stage)]
        (pin,) = header_of(frames[-1])["pins"]
        assert (np.linalg.norm(np.subtract(pin["at"], pin["target"])) < near) == reachable
