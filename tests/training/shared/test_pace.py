"""Budgets of minutes, with a clock of the test's own: threads, the end of the steps, and whether they were enough."""

from __future__ import annotations

import os
import sys

import pytest

from rigcast import _extras
from rigcast.training import _pace as pace_module
from rigcast.training._pace import JUMP, TRIED, WINDOW, Pace, ThreadChoice, seconds_of_ending, seconds_of_training
from rigcast.training._pace import too_few_steps as too_few


class Machine:
    """Steps take as long as a table says for the number of threads in use."""

    def __init__(self, seconds):
        self.now, self.threads, self.seconds, self.used = 0.0, None, seconds, []

    def clock(self):
        return self.now

    def use(self, count):
        self.threads = count

    def step(self):
        self.used.append(self.threads)
        self.now += self.seconds[self.threads]


@pytest.mark.parametrize(
    ("seconds", "chosen"),
    [
        ({1: 1.0, 4: 0.4}, 4),
        ({1: 1.0, 4: 9.0}, 1),  # threads that wait for each other on a busy machine
        ({1: 1.0, 4: 1.0}, 1),
    ],
)
def test_the_faster_number_of_threads_is_chosen_by_measured_steps(seconds, chosen):
    machine = Machine(seconds)
    threads = ThreadChoice(machine.use, 4, machine.clock)
    for _ in range(2 * TRIED + 3):
        threads.timed(machine.step)
    assert machine.used == [4] * TRIED + [1] * TRIED + [chosen] * 3


def test_one_allowed_thread_is_not_compared_with_itself():
    machine = Machine({None: 1.0})
    threads = ThreadChoice(machine.use, 1, machine.clock)
    for _ in range(2 * WINDOW):
        threads.timed(machine.step)
    assert (threads.chosen, set(machine.used)) == (1, {None})


@pytest.mark.parametrize(
    ("later", "chosen"), [({1: 1.1, 4: 4.0}, 1), ({1: 9.0, 4: 1.1 * JUMP}, 4), ({1: 0.1, 4: 0.3}, 1)]
)
def test_threads_are_compared_again_when_steps_become_slower_or_faster(later, chosen):
    machine = Machine({1: 2.0, 4: 1.0})
    threads = ThreadChoice(machine.use, 4, machine.clock)
    for _ in range(2 * TRIED + WINDOW):
        threads.timed(machine.step)
    assert threads.chosen == 4
    machine.seconds = later
    for _ in range(WINDOW + 2 * TRIED):
        threads.timed(machine.step)
    assert threads.chosen == chosen


@pytest.mark.parametrize(
    ("minutes", "prepared", "ending", "seconds"),
    [(None, 200.0, 9.0, None), (2.0, 10.0, 0.0, 106.4), (2.0, 10.0, 20.0, 86.4), (2.0, 200.0, 20.0, 0.0)],
)
def test_the_steps_have_what_preparation_and_ending_leave(minutes, prepared, ending, seconds, tolerance):
    expected = None if seconds is None else pytest.approx(seconds, rel=tolerance["float64"])
    assert seconds_of_training(minutes, prepared, ending) == expected


@pytest.mark.parametrize(("prepared", "slow", "expected", "calls"), [(40.0, 1.0, 6.0, 0), (10.0, 5.0, 10.0, 1)])
def test_little_is_rehearsed_when_little_time_is_left(prepared, slow, expected, calls, monkeypatch, tolerance):
    now, made = [0.0], []
    monkeypatch.setattr(pace_module.time, "monotonic", lambda: now[0])

    def finish(share):
        made.append(share)
        now[0] += slow

    assert seconds_of_ending(1.0, finish, prepared) == pytest.approx(expected, rel=tolerance["float64"])
    assert len(made) == calls


def test_a_pause_in_a_rehearsal_is_not_extrapolated(monkeypatch, tolerance):
    now, durations = [0.0], iter([1.0, 9.0])  # of 1 minute
    monkeypatch.setattr(pace_module.time, "monotonic", lambda: now[0])

    def finish(share):
        now[0] += next(durations)

    assert seconds_of_ending(1.0, finish) == pytest.approx(27.0, rel=tolerance["float64"])


@pytest.mark.parametrize(("fixed", "of_all"), [(2.0, 0.0), (0.0, 16.0), (1.0, 8.0)])
def test_the_ending_is_extrapolated_from_two_shares(fixed, of_all, monkeypatch, tolerance):
    now = [0.0]
    monkeypatch.setattr(pace_module.time, "monotonic", lambda: now[0])

    def finish(share):
        now[0] += fixed + share * of_all

    assert seconds_of_ending(1.0, finish) == pytest.approx(fixed + of_all, rel=tolerance["float64"])
    assert seconds_of_ending(None, lambda _: pytest.fail("nothing to rehearse")) == 0.0


def test_steps_end_before_one_that_would_not_fit_with_its_evaluation():
    machine = Machine({None: 2.0})
    pace = Pace(20.0, None, machine.clock)
    assert pace.fits(30.0)  # the first one always does
    pace.step(machine.step)
    assert (pace.fits(18.0), pace.fits(18.1)) == (True, False)
    pace.evaluate(machine.step)
    assert (pace.fits(16.0), pace.fits(16.1), pace.pending) == (True, False, 0)
    assert Pace(None, None, machine.clock).fits(1e9)


def test_evaluations_take_a_tenth_of_the_time_at_most():
    machine = Machine({None: 1.0})
    pace = Pace(1000.0, None, machine.clock)
    made = 0
    for _ in range(200):
        pace.step(machine.step)
        if pace.is_due():
            made += 1
            pace.evaluate(machine.step)
    assert made / machine.now == pytest.approx(0.1, abs=0.01)  # the last interval may not be over


@pytest.mark.parametrize(
    ("minutes", "steps", "seconds", "taken", "ended", "text"),
    [
        (
            1.0,
            143,
            45.0,
            13.0,
            True,
            "only 143 steps fit into 1 minute here: too few to learn from; 7 minutes",
        ),
        (
            0.5,
            1,
            9.0,
            60.0,
            True,
            "only 1 step fit into 0.5 minutes here: too few to learn from; 172 minutes",
        ),
        (1.0, 1000, 45.0, 13.0, True, None),
        (1.0, 143, 45.0, 13.0, False, None),  # its patience ended
        (None, 143, 45.0, 13.0, True, None),
    ],
)
def test_too_few_steps_say_so_and_what_is_enough(minutes, steps, seconds, taken, ended, text):
    found = too_few(minutes, steps, seconds, taken, ended)
    assert found.get("too_few_steps", {}).get("text") == (text and f"{text} are enough")


def test_threads_of_pytorch_wait_without_spinning(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(_extras.importlib, "import_module", lambda name: None)
    for name in ("OMP_WAIT_POLICY", "KMP_BLOCKTIME"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("KMP_BLOCKTIME", "200")
    _extras.require("torch", extra="training", purpose="training")
    assert (os.environ["OMP_WAIT_POLICY"], os.environ["KMP_BLOCKTIME"]) == ("PASSIVE", "200")
