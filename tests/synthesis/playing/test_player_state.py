"""Saved states of players: they go on with the same bytes, and what is none is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import face_synth


@pytest.mark.parametrize("way", ["blend", "inertialize"])
def test_a_saved_state_goes_on_with_the_same_bytes(way):
    """In the middle of anything: wandering, settling, a transition, a join, a clip, what decays after it."""
    synth = face_synth()
    for at in range(2, 260, 7):
        player = synth.player(seed=10, settings=rc.synthesis.PlaySettings(transitions=way))
        player.play("lively", "lively-0", 3, 47)
        player.idle("far", later=True)
        player.step(at)
        kept = player.state()
        expected = player.step(120)
        other = synth.player(seed=0, settings=rc.synthesis.PlaySettings(transitions=way))
        other.restore(kept)
        assert other.step(120).tobytes() == expected.tobytes()
        assert other.frame == at + 120


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("label", "sad"),
        ("x", [0.0]),
        ("v", [np.nan, 0.0, 0.0]),
        ("path", [[0.0]]),
        ("previous", [[0.0] * 7] * 2),
        ("seed", -1),
        ("frame", "7"),
        ("command", 9),
        ("transitions", "cut"),
        ("tasks", [{"do": "go"}]),
        ("tasks", [{"do": "enter", "label": "sad"}]),
        ("used", 10**6),
        ("item", 3),
    ],
)
def test_a_state_of_something_else_is_refused_and_changes_nothing(name, value):
    """Of another synthesizer, or edited."""
    player = face_synth().player(seed=10)
    player.idle("lively")
    player.step(30)
    kept = player.state()
    with pytest.raises(ValueError, match=r"Player\.restore: state is incomplete"):
        player.restore(json.dumps({**json.loads(kept), "character": {**json.loads(kept)["character"], name: value}}))
    for wrong in ({"told": -5}, {"told": 1}, {"seed": -5}):
        with pytest.raises(ValueError, match=r"Player\.restore: state is incomplete"):
            player.restore(json.dumps({**json.loads(kept), **wrong}))
    assert player.state() == kept
    assert len(player.events) > 1  # the seconds before
