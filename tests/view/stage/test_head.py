"""The head of a captured shot: what is shown moves with it, and what is dragged follows the cursor all the same."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from rigcast.cli import main
from rigcast.viewer._export import Snapshot, written
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.view.frames import header_of, positions_of
from tests.view.page_messages import page_messages

COUNT = 5


@pytest.fixture(scope="module")
def face():
    return plain_face()


@pytest.fixture(scope="module")
def weights(face):
    return np.linspace(0, 1, COUNT)[:, None] * (np.arange(face.num_shapes) == 0)


@pytest.fixture(scope="module")
def head():
    """Turns and shifts, with a scale in one frame; none at first."""
    turns = Rotation.from_euler("YXZ", np.linspace(0, 1, COUNT)[:, None] * [40, -15, 25], degrees=True).as_matrix()
    shifts = np.linspace(0, 1, COUNT)[:, None] * [0.3, -0.2, 0.5]
    return np.concatenate([turns * np.array([1, 1, 1.2, 1, 1])[:, None, None], shifts[:, :, None]], axis=2)


@pytest.fixture
def stage(face, weights, head):
    return stage_of(face, poses=weights, head=head)


def send(stage, *messages):
    return stage.step(page_messages(*messages), 0.0)


def expected(face, weights, head, t):
    return face.evaluate(weights[t : t + 1].astype(np.float32))[0] @ head[t, :, :3].T + head[t, :, 3]


@pytest.mark.parametrize("t", range(COUNT))
def test_the_mesh_is_where_the_head_carries_it(stage, face, weights, head, t):
    message = send(stage, {"type": "seek", "at": t})
    (shown,) = positions_of(message, [len(face.rest_vertices)])
    there = expected(face, weights, head, t)
    assert shown == pytest.approx(there, abs=float(np.ptp(there, axis=0).max()) / 65535)  # positions have 16 bits


def test_a_figure_beside_moves_with_it(face, weights, head):
    stage = stage_of(face, face, poses=weights, head=head)
    message = send(stage, {"type": "seek", "at": 3}, {"type": "color", "mode": "error"})
    first, second = positions_of(message, [len(face.rest_vertices)] * 2)
    assert np.array_equal(first, second)
    assert header_of(message)["error"]["max"] == 0.0


def test_frames_beyond_the_clip_keep_its_last_place(stage, face, weights, head):
    message = send(stage, {"type": "frames", "frames": 9}, {"type": "seek", "at": 8})
    there = expected(face, weights, head, COUNT - 1)
    (shown,) = positions_of(message, [len(face.rest_vertices)])
    assert shown == pytest.approx(there, abs=float(np.ptp(there, axis=0).max()) / 65535)  # positions have 16 bits


def test_a_drag_meets_the_moved_skin_and_follows_the_cursor(stage, face, weights, head):
    """A vertex that the first shape moves, dragged along its motion at a frame whose head has turned."""
    t = COUNT - 3
    send(stage, {"type": "seek", "at": t})
    sizes = np.linalg.norm(face.column(0), axis=1)
    vertex = int(np.argmax(sizes))
    pose = head[t]
    there = expected(face, weights, head, t)[vertex]
    toward = pose[:, :3] @ face.column(0)[vertex]
    side = np.cross(toward, [0.3, 0.7, 0.2])
    facing = side / np.linalg.norm(side)
    for sign in (1.0, -1.0):  # from the side on which the surface is met first
        origin = there + 10.0 * sign * facing
        grab = {"type": "grab", "pin": 0, "origin": list(origin), "direction": list(-sign * facing)}
        answer = header_of(send(stage, grab | {"facing": list(sign * facing)}))
        if answer["grab"]["hit"] and np.linalg.norm(np.array(answer["pins"][0]["at"]) - there) < 1e-3:
            break
        send(stage, {"type": "unpin", "pin": 0})
    else:
        pytest.fail("no side from which the vertex is seen")
    target = there + 0.2 * toward
    move = {"type": "drag", "pin": 0, "origin": list(target + 10.0 * sign * facing), "direction": list(-sign * facing)}
    send(stage, move)
    for _ in range(12):
        header = header_of(send(stage))
    at, wanted = (np.array(header["pins"][0][key]) for key in ("at", "target"))
    assert wanted == pytest.approx(target, abs=1e-5)  # of places with six digits
    assert np.linalg.norm(at - target) < 0.5 * np.linalg.norm(there - target)


def test_an_export_has_the_motion_of_the_head(stage, head):
    name, content = written(Snapshot.of(stage), "npz")
    stored = np.load(io.BytesIO(content.tobytes()))
    assert name.endswith(".npz")
    assert np.array_equal(stored["transforms"], head)


def test_a_recording_moves_too(face, weights, head):
    """Coarse frames, which have other words for positions."""
    still, moving = (rc.viewer.record(face, poses=weights, head=h, vertices=150).page for h in (None, head))
    assert still != moving


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"head": np.tile(np.eye(3, 4), (COUNT, 1, 1))}, "head is given without a clip"),
        ({"poses": 1, "head": np.tile(np.eye(3, 4), (COUNT - 1, 1, 1))}, "transforms"),
        ({"poses": 1, "head": np.zeros((COUNT, 3, 4))}, "not a rotation at frame 0"),
    ],
)
def test_heads_that_do_not_fit_are_refused(face, weights, given, match):
    given = {**given, **({"poses": weights} if "poses" in given else {})}
    with pytest.raises(rc.errors.ArgumentError, match=match):
        stage_of(face, **given)


def test_the_command_takes_it_from_the_capture_unless_told_not_to(face, weights, head, tmp_path, monkeypatch):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    face.save(tmp_path / "face.safetensors")
    rc.exports.write_blendshape_weights(tmp_path / "shot.npz", face, weights, fps=30.0, transforms=head)
    seen = []
    from rigcast import viewer

    class Seen(viewer.LiveView):
        def __init__(self, stage, *rest, **more):
            seen.append(None if stage.timeline.head is None else stage.timeline.head.at(2))
            super().__init__(stage, *rest, **more)

    monkeypatch.setattr(viewer, "LiveView", Seen)
    command = ["view", str(tmp_path / "face.safetensors"), "--seconds", "0.01", "--no-browser"]
    assert main([*command, "--motion", str(tmp_path / "shot.npz")]) == 0
    assert main([*command, "--motion", str(tmp_path / "shot.npz"), "--still-head"]) == 0
    assert np.array_equal(seen[0], head[2])
    assert seen[1] is None
    assert main([*command, "--still-head"]) == 2
