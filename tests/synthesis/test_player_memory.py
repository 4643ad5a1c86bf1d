"""What players keep while they play on and on."""

from __future__ import annotations

import numpy as np

from rigwright.synthesis._playing import paths
from rigwright.synthesis._playing.paths import Ground
from rigwright.synthesis._playing.settings import PlaySettings
from tests.support.players import face_synth


def test_samples_keep_their_own_frame_only():
    """A row that is a view would keep all frames of its item, and all characters' of a crowd, for an hour."""
    player = face_synth().player(seed=1)
    player.idle("lively")
    player.step(240)
    samples = player._voice.character.samples
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
    character = crowd._voices[0].character
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
