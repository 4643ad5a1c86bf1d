"""Saved states of players: they go on with the same bytes, and what is none is refused."""

from __future__ import annotations

import contextlib
import functools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigcast as rc
from tests.support.made.players import face_synth


@pytest.mark.parametrize("way", ["blend", "inertialize"])
def test_a_saved_state_goes_on_with_the_same_bytes(way):
    """In the middle of anything: wandering, settling, a transition, a join, a clip, what decays after it."""
    synth = face_synth()
    for at in range(2, 260, 7):
        player = synth.player(seed=10, settings=rc.synthesis.PlaySettings(transitions=way))
        player.play("lively", "lively-0", begin=3, end=47)
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


def places(value, place=()):
    """Ways to all entries of nested lists and objects."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield (*place, key)
        yield from places(entry, (*place, key))


@functools.cache
def begun():
    """A state in the middle of a transition, which waits for a clip."""
    player = face_synth().player(seed=3, settings=rc.synthesis.PlaySettings(transitions="blend"))
    player.idle("lively", [("lively-0", 3), ("lively-1", 5)], hold=0.5)
    player.step(40)
    player.transition("far")
    player.play("calm", 0, begin=3, end=60, later=True)
    for _ in range(1000):
        player.step(1)
        item = json.loads(player.state())["character"]["item"]
        if item is not None and item["kind"] == "blend":
            return player.state()
    raise AssertionError("it never blends")


@settings(max_examples=300)
@given(data=st.data())
def test_an_edited_state_is_refused_or_played(data):
    """Never a crash: every entry is checked before it is used."""
    state = json.loads(begun())
    *way, last = data.draw(st.sampled_from(list(places(state))))
    inner = state
    for key in way:
        inner = inner[key]
    wrong = [None, -1, 0, 1, 2**53, 2**64, 1e300, "calm", "clip", "", [], {}, [[1.0]], True, "remove"]
    value = data.draw(st.sampled_from(wrong))
    if value == "remove":
        del inner[last]
    else:
        inner[last] = value
    player = face_synth().player(seed=4)
    kept = player.state()
    try:
        player.restore(json.dumps(state))
    except ValueError as error:
        assert "state is incomplete" in str(error)
        assert player.state() == kept
        return
    with contextlib.suppress(ValueError):
        assert player.step(100).shape == (100, 6)
