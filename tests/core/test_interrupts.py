"""Ctrl-C that waits: the first is noted, the second acts, and the handler of before comes back."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from rigcast._interrupts import held_back


def test_first_is_noted_second_acts():
    before = signal.getsignal(signal.SIGINT)
    with held_back() as pressed:
        assert not pressed()
        signal.raise_signal(signal.SIGINT)
        assert pressed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_press_acts_by_itself_when_the_time_is_over():
    def told():
        return "3 parts are kept"

    with pytest.raises(KeyboardInterrupt, match="3 parts are kept"), held_back(0.01, told) as pressed:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        assert pressed()
        while True:
            pass


def test_a_press_in_a_block_that_ends_in_time_does_not_act():
    with held_back(0.05) as pressed:
        signal.raise_signal(signal.SIGINT)
    ended = time.monotonic() + 0.1
    while time.monotonic() < ended:
        assert pressed()


def test_other_threads_hold_nothing_back():
    seen = []

    def work():
        with held_back() as pressed:
            seen.append(pressed())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


def test_nested_blocks_pass_a_press_on():
    before = signal.getsignal(signal.SIGINT)
    with held_back() as outer:
        with held_back() as inner:
            signal.raise_signal(signal.SIGINT)
            assert inner()
            assert not outer()
        assert outer()
    assert signal.getsignal(signal.SIGINT) is before
