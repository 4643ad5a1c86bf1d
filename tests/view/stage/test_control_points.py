"""Control points of learned inverse kinematics as handles: the networks pose the face."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._staging import stage_of
from tests.conftest import TOLERANCES
from tests.support.characters.plain_face import plain_face
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

pytest.importorskip("torch", reason="PyTorch is not installed")

FACE = rc.faces.example()
POINTS = np.arange(0, len(FACE.rest_vertices), 35)
SETTINGS = rc.training.FaceIkSettings(hidden=32, rows=1000, batch=64, bins=1, noise=1e-3)
TOWARDS = [0.0, 0.0, -1.0]


@pytest.fixture(scope="module")
def networks():
    return rc.training.face_ik(FACE, POINTS, steps=120, threads=1, settings=SETTINGS)


@pytest.fixture
def stage(networks):
    return stage_of(FACE, face_ik=networks)


def places(stage):
    return np.array([handle["at"] for handle in header_of(stage.step([], 0.0))["handles"]])


def pull(stage, number, target, firm=False):
    """Pull one control point to a place beside it in the picture; returns what was asked of it."""
    eye = [target[0], target[1], 99.0]
    stage.step(page_messages({"type": "grip", "handle": number, "facing": TOWARDS, "firm": firm}), 0.0)
    stage.step(page_messages({"type": "pull", "handle": number, "origin": eye, "direction": TOWARDS}), 0.0)
    stage.step(page_messages({"type": "drop", "handle": number}), 0.0)


def movable(stage):
    """The control point that one channel moves farthest, and where it moves to."""
    rows = 0.5 * np.eye(len(stage.rest), dtype=np.float32)
    moved = FACE.evaluate(rows)[:, POINTS] - FACE.rest_vertices[POINTS]
    channel, number = np.unravel_index(np.linalg.norm(moved[..., :2], axis=2).argmax(), moved.shape[:2])
    return int(number), FACE.rest_vertices[POINTS[number]] + moved[channel, number]


def test_every_control_point_is_a_handle_at_its_vertex(stage, networks):
    assert places(stage) == pytest.approx(FACE.rest_vertices[networks.vertices], abs=TOLERANCES["float32_scaled"])


def test_a_pulled_point_changes_parameters_by_what_the_networks_answer(stage, networks):
    number, target = movable(stage)
    stage.step(page_messages({"type": "set", "channel": 3, "value": 0.4, "done": True}), 0.0)
    row, before = stage.state.row.copy(), places(stage)
    goal = before.copy()
    goal[number, :2] = target[:2]
    pull(stage, number, target)
    answers = networks.solve(np.stack([before, goal])).channels
    expected = np.clip(row + answers[1] - answers[0], *stage.ranges.T)
    assert np.abs(expected - row).max() > 0.01
    assert stage.state.row == pytest.approx(expected, abs=TOLERANCES["printed"])  # the page has six digits of places


def test_parameters_of_other_regions_do_not_change_by_a_bit(stage, networks):
    number, target = movable(stage)
    stage.step(page_messages({"type": "set", "channel": 3, "value": 0.4, "done": True}), 0.0)
    row = stage.state.row.copy()
    pull(stage, number, target)
    own = set[int]().union(*(parameters.tolist() for points, parameters in networks.regions if number in points))
    others = [k for k in range(len(row)) if k not in own]
    assert others
    assert np.array_equal(stage.state.row[others], row[others])


def test_a_point_that_is_gripped_and_not_moved_changes_nothing(stage):
    stage.step(page_messages({"type": "set", "channel": 3, "value": 0.4, "done": True}), 0.0)
    row = stage.state.row.copy()
    pull(stage, 4, places(stage)[4])
    assert stage.state.row == pytest.approx(row, abs=TOLERANCES["float32_scaled"])


def test_with_shift_the_answer_is_polished_over_all_points(networks):
    misses = []
    for firm in (False, True):
        stage = stage_of(FACE, face_ik=networks)
        number, target = movable(stage)
        goal = places(stage)
        goal[number, :2] = target[:2]
        pull(stage, number, target, firm)
        misses.append(np.square(places(stage) - goal).sum())
    assert misses[1] < misses[0]


@pytest.mark.parametrize(
    ("subject", "message"),
    [(plain_face, "for a model with 22 rig parameters"), (rc.sources.example_body, "given for a rig")],
)
def test_networks_of_another_model_are_refused(networks, subject, message):
    with pytest.raises(ValueError, match=f"view: face_ik is {message}"):
        stage_of(subject(), face_ik=networks)


def test_what_is_no_network_is_refused():
    with pytest.raises(ValueError, match=r"view: face_ik is a str; it must be what rigcast\.ik\.load gives"):
        stage_of(FACE, face_ik="face_ik.safetensors")
