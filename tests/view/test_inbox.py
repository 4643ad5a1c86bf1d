"""Of messages that wait, the newest of a kind counts, and their number is bounded."""

from __future__ import annotations

from rigcast.viewer._server import MOST_WAITING, Inbox


def drag(pin, x):
    return {"type": "drag", "pin": pin, "origin": [x, 0, 0]}


def filled(*messages):
    inbox = Inbox()
    for message in messages:
        assert inbox.put(message)
    return inbox


def test_only_the_newest_drag_of_a_pin_is_left():
    assert filled(drag(1, 0), drag(2, 0), drag(1, 5)).take() == [drag(2, 0), drag(1, 5)]


def test_a_drag_after_a_release_stays_after_it():
    grab, release = {"type": "grab", "grab": 1}, {"type": "release", "pin": 1}
    assert filled(grab, drag(1, 0), release, grab, drag(1, 9)).take() == [grab, release, grab, drag(1, 9)]


def test_a_slider_that_was_let_go_is_kept_whatever_follows():
    done = {"type": "set", "channel": 3, "value": 1.0, "done": True}
    moving = {"type": "set", "channel": 3, "value": 2.0, "done": False}
    assert filled(done, moving, {**moving, "value": 3.0}).take() == [done, {**moving, "value": 3.0}]


def test_taken_messages_are_gone():
    inbox = filled({"type": "undo"}, {"type": "undo"})
    assert len(inbox.take()) == 2
    assert not inbox
    assert inbox.take() == []


def test_a_flood_is_bounded():
    inbox = filled(*[{"type": "undo"}] * MOST_WAITING)
    assert not inbox.put({"type": "undo"})
    assert len(inbox.take()) == MOST_WAITING
