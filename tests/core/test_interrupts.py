"""Ctrl-C that waits: the first is noted, the second acts, and the handler of before comes back."""

from __future__ import annotations

import signal
import threading

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
