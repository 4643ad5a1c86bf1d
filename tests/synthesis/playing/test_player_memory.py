"""What players keep while they play on and on."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.synthesis._playing import character, commands, paths
from rigcast.synthesis._playing.paths import Ground
from rigcast.synthesis._playing.settings import PlaySettings
from tests.support.made.players import face_synth


def test_samples_keep_their_own_frame_only():
    """A row that is a view would keep all frames of its item, and all characters' of a crowd, for an hour."""
    player = face_synth().player(seed=1)
    player.idle("lively")
    player.step(240)
    samples = player._character.character.samples
    assert len(samples) == 10
    assert all(place.base is None and controls.base is None for *_, place, controls in samples)


def test_characters_of_a_crowd_keep_a_minute():
    """And go on to keep no more after a state was restored."""
    crowd = face_synth().crowd(2, seed=1)
    crowd.idle("lively")
    crowd.step(24 * 70)
    seconds = [event.seconds for event in crowd.events(1) if event.kind == "second"]
    assert seconds == list(range(11, 71))
    player = face_synth().player(seed=1)
    player.idle("lively")
    player.step(24 * 70)
    assert len([event for event in player.events if event.kind == "second"]) == 70
    character = crowd._characters[0].character
    character.restore(character.state())
    assert character.samples.maxlen == 60


def test_cached_paths_stay_within_their_memory(monkeypatch):
    """And are the same when they are computed again."""
    space = face_synth().space("calm")
    monkeypatch.setattr(paths, "CACHED_BYTES", 5 * 12 * len(space.points))
    ground, fresh = (Ground(space, PlaySettings()) for _ in range(2))
    made = [ground.along_data(ground.points[0], ground.points[row]) for row in range(40)]
    assert len(ground._trees) == 5
    again = [ground.along_data(ground.points[0], ground.points[row]) for row in range(40)]
    for row, (first, second) in enumerate(zip(made, again, strict=True)):
        assert np.array_equal(first, second)
        assert np.array_equal(first, fresh.along_data(fresh.points[0], fresh.points[row]))


def test_commands_and_notes_are_bounded_and_keep_what_waits(monkeypatch):
    """The oldest are forgotten, but for the command at work and those that wait; their names stay right."""
    monkeypatch.setattr(commands, "KEPT_EVENTS", 8)
    player = face_synth().player(seed=1, label="calm")
    player.idle("calm")
    player.step(30)
    own = player._character.character
    for number in range(40):
        own._note({"frame": own.frame, "name": "note", "command": f"note {number}", "label": "calm", "began": 0})
    assert len(own.record.events) == 8
    player.step(48)
    assert {e.command.split(",")[0] for e in player.events if e.kind == "second"} == {"idle(calm"}
    for _ in range(20):
        player.transition("lively")
        player.transition("calm", later=True)
    waiting = [task["command"] for task in own.tasks if task["do"] == "begin"]
    assert len(waiting) == 2
    assert set(waiting) <= set(own.record.events)
    again = face_synth().player(seed=1, label="calm")
    again.restore(player.state())
    assert again.step(60).tobytes() == player.step(60).tobytes()
    assert [e.command for e in again.events if e.kind != "second"] == [
        e.command for e in player.events if e.kind != "second"
    ]


def test_too_many_waiting_commands_are_refused(monkeypatch):
    monkeypatch.setattr(character, "MOST_WAITING", 6)
    player = face_synth().player(seed=1)
    for _ in range(3):
        player.transition("lively", later=True)
    with pytest.raises(ValueError, match="transition: later is behind 6 tasks that wait; it must be fewer than 6"):
        player.transition("calm", later=True)
