"""What players keep while they play on and on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rigcast._core import PlaySettings
from tests.support.made.players import face_synth, ground_of

KEPT_EVENTS = 1000  # EventRecord::most
MOST_WAITING = 10000  # Character::most_waiting


def record_of(player):
    return json.loads(player.state())["character"]["record"]["events"]


def test_characters_of_a_crowd_keep_a_minute():
    crowd = face_synth().crowd(2, seed=1)
    crowd.idle("lively")
    crowd.step(24 * 70)
    seconds = [event.seconds for event in crowd.events(1) if event.kind == "second"]
    assert seconds == list(range(11, 71))
    player = face_synth().player(seed=1)
    player.idle("lively")
    player.step(24 * 70)
    assert len([event for event in player.events if event.kind == "second"]) == 70


def test_cached_paths_stay_within_their_memory():
    """And are the same when they are computed again."""
    space = face_synth().space("calm")
    points = space.points
    ground = ground_of(space, PlaySettings(), kept_bytes=5 * 12 * len(points))
    fresh = ground_of(space, PlaySettings())
    made = [ground.along_data(points[0], points[row]) for row in range(40)]
    assert ground.kept_paths == 5
    again = [ground.along_data(points[0], points[row]) for row in range(40)]
    for row, (first, second) in enumerate(zip(made, again, strict=True)):
        assert np.array_equal(first, second)
        assert np.array_equal(first, fresh.along_data(points[0], points[row]))


def test_commands_and_notes_are_bounded_and_keep_what_waits():
    """The oldest are forgotten, but for the command at work and those that wait; their names stay right."""
    player = face_synth().player(seed=1, label="calm")
    player.idle("calm")
    player.step(30)
    for _ in range(KEPT_EVENTS):
        player.transition("lively")
        player.transition("calm", later=True)
    events = record_of(player)
    assert len(events) == KEPT_EVENTS
    assert events[0][1]["name"] == "idle"  # at work
    tasks = json.loads(player.state())["character"]["tasks"]
    waiting = {task["command"] for task in tasks if task["do"] == "begin"}
    assert len(waiting) == 2
    assert waiting <= {number for number, _ in events}
    again = face_synth().player(seed=1, label="calm")
    again.restore(player.state())
    assert again.step(60).tobytes() == player.step(60).tobytes()
    assert [e.command for e in again.events if e.kind != "second"] == [
        e.command for e in player.events if e.kind != "second"
    ]


def test_too_many_waiting_commands_are_refused():
    player = face_synth().player(seed=1)
    for _ in range(MOST_WAITING // 2):
        player.transition("lively", later=True)
    expected = f"transition: later is behind {MOST_WAITING} tasks that wait; it must be fewer than {MOST_WAITING}"
    with pytest.raises(ValueError, match=expected):
        player.transition("calm", later=True)
