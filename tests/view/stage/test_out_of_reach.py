"""Drags to where the skin cannot follow."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._staging import stage_of
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

SIZE = np.sqrt(2.0)
NUDGE = 0.002  # of the size, by a shape that moves another place far


@pytest.fixture
def sheet():
    """A square of two triangles per cell; one shape moves its left side, one the right side and the left a little."""
    across = np.linspace(-0.5, 0.5, 9)
    x, y = (part.reshape(-1) for part in np.meshgrid(across, across))
    vertices = np.stack([x, y, np.zeros_like(x)], axis=1)
    corner = (np.arange(8)[:, None] + 9 * np.arange(8)).reshape(-1)
    faces = np.concatenate([corner[:, None] + [0, 1, 10], corner[:, None] + [0, 10, 9]])
    left = np.where(x < 0, 0.1, 0.0)
    right = np.where(x < 0, NUDGE * SIZE, 0.3)
    deltas = np.stack([np.stack([shift, 0 * x, 0 * x], axis=1) for shift in (left, right)])
    return rc.BlendshapeRig(vertices, deltas, names=["left", "right"], faces=faces)


def dragged(stage, distance):
    """The last frame after a point of the left side was pulled along x."""
    ray = {"origin": [-0.3, 0.02, 2.0], "direction": [0.0, 0.0, -1.0]}
    header_of(stage.step(page_messages({"type": "grab", "pin": 1, "facing": ray["direction"], **ray}), 0.0))
    there = {**ray, "origin": [-0.3 + distance, 0.02, 2.0]}
    header = header_of(stage.step(page_messages({"type": "drag", "pin": 1, **there}), 0.0))
    while stage.is_restless:
        header = header_of(stage.step([], 0.0))
    return header


def test_what_hardly_helps_stays_where_it_was(sheet):
    left, right = dragged(stage_of(sheet), 0.6)["row"]
    assert left == pytest.approx(1.0, abs=0.02)  # the pull ends a little below the limit, eased
    assert right < 0.3  # the nearest pose has it at 1, to come nearer by a hundredth of the gap


def test_a_target_within_reach_is_met(sheet):
    header = dragged(stage_of(sheet), 0.08)
    (pin,) = header["pins"]
    assert pin["at"] == pytest.approx(pin["target"], abs=1e-3 * SIZE)


def test_nothing_jumps_where_the_reach_ends(sheet):
    rows = np.array([dragged(stage_of(sheet), distance)["row"] for distance in np.linspace(0.098, 0.122, 121)])
    assert np.abs(np.diff(rows, axis=0)).max() < 0.1  # steps of 0.2 mm, of 2.8 that "right" can add


def test_a_held_point_stays_while_another_is_pulled_out_of_reach(sheet):
    stage = stage_of(sheet)
    held = {"origin": [0.3, 0.02, 2.0], "direction": [0.0, 0.0, -1.0]}
    stage.step(page_messages({"type": "grab", "pin": 2, "facing": held["direction"], **held}), 0.0)
    stage.step(page_messages({"type": "release", "pin": 2, "hold": True}), 0.0)
    pins = {pin["pin"]: pin for pin in dragged(stage, 0.6)["pins"]}
    assert pins[2]["at"] == pytest.approx(pins[2]["target"], abs=0.02 * SIZE)
