"""Of messages that wait, the newest of a kind counts, and their number is bounded."""

from __future__ import annotations

from rigcast.viewer._messages import Release, Set, Undo
from rigcast.viewer._received._tab import MOST_WAITING, Inbox
from tests.view.page_messages import page_message


def drag(pin, x):
    return page_message({"type": "drag", "pin": pin, "origin": [x, 0, 0], "direction": [0, 0, 1]})


def filled(*messages):
    inbox = Inbox()
    for message in messages:
        assert inbox.put(message)
    return inbox


def test_only_the_newest_drag_of_a_pin_is_left():
    assert filled(drag(1, 0), drag(2, 0), drag(1, 5)).take() == [drag(2, 0), drag(1, 5)]


def test_a_drag_after_a_release_stays_after_it():
    release = Release(1, False)
    assert filled(Undo(), drag(1, 0), release, Undo(), drag(1, 9)).take() == [Undo(), release, Undo(), drag(1, 9)]


def test_a_slider_that_was_let_go_is_kept_whatever_follows():
    done = Set(3, 1.0, True)
    assert filled(done, Set(3, 2.0, False), Set(3, 3.0, False)).take() == [done, Set(3, 3.0, False)]


def test_taken_messages_are_gone():
    inbox = filled(Undo(), Undo())
    assert len(inbox.take()) == 2
    assert not inbox
    assert inbox.take() == []


def test_a_flood_is_bounded():
    inbox = filled(*[Undo()] * MOST_WAITING)
    assert not inbox.put(Undo())
    assert len(inbox.take()) == MOST_WAITING
