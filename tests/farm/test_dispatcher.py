"""Which worker gets which task, by a clock of our own."""

from __future__ import annotations

import pytest

from rigcast._farm.dispatcher import LEAST_PATIENCE, Dispatcher


def dispatcher(tasks, workers, most_attempts=3):
    made = Dispatcher(tasks, most_attempts)
    made.workers_are(workers)
    return made


def handed_out(made, now=0.0):
    return [(new.task, new.worker) for new in made.attempts(now)]


def run_to_the_end(made, now=0.0):
    """Answer everything at once; the tasks in the order in which they ended."""
    ended = []
    while made.left:
        new = made.attempts(now)
        assert new, "tasks are left, and none is handed out"
        ended += [made.succeeded(attempt.number, now) for attempt in new]
    return ended


def test_every_task_ends_once():
    assert sorted(run_to_the_end(dispatcher(100, {"a": 1, "b": 3}))) == list(range(100))


def test_tasks_go_to_the_worker_with_the_fewest_per_thread():
    new = dispatcher(8, {"a": 1, "b": 3}).attempts(0.0)
    assert [sum(attempt.worker == worker for attempt in new) for worker in "ab"] == [2, 6]


def test_two_tasks_per_thread_are_in_flight_and_no_more():
    made = dispatcher(100, {"a": 1, "b": 1})
    assert len(made.attempts(0.0)) == 4
    assert made.attempts(1.0) == []
    made.succeeded(1, 1.0)
    assert len(made.attempts(1.0)) == 1


def test_nothing_is_handed_out_without_workers():
    assert dispatcher(5, {}).attempts(0.0) == []


def test_a_worker_that_joins_gets_tasks():
    made = dispatcher(100, {"a": 1})
    made.attempts(0.0)
    made.workers_are({"a": 1, "b": 1})
    assert [worker for _, worker in handed_out(made)] == ["b", "b"]


def test_a_failed_task_goes_to_another_worker_first():
    made = dispatcher(10, {"a": 1, "b": 1})
    first = made.attempts(0.0)[0]
    assert made.failed(first.number, first.worker) is None
    other = "b" if first.worker == "a" else "a"
    made.succeeded(next(n for n in (2, 3, 4) if made._in_flight[n][0].worker == other), 1.0)
    again = made.attempts(1.0)
    assert [(new.task, new.worker) for new in again if new.task == first.task] == [(first.task, other)]


def test_a_task_that_fails_on_the_only_worker_is_tried_there_again():
    made = dispatcher(1, {"a": 1}, most_attempts=2)
    (first,) = made.attempts(0.0)
    assert made.failed(first.number, "a") is None
    (second,) = made.attempts(0.0)
    assert made.failed(second.number, "a") == 0
    assert made.left == 0


def test_an_excluded_worker_gets_nothing_more_and_its_tasks_end_elsewhere():
    made = dispatcher(6, {"a": 1, "b": 1})
    for new in made.attempts(0.0):
        if new.worker == "a":
            made.exclude(new.number, "a", "no host")
        else:
            made.succeeded(new.number, 1.0)
    made.workers_are({"a": 1, "b": 1})
    while made.left:
        new = made.attempts(2.0)
        assert {attempt.worker for attempt in new} == {"b"}
        for attempt in new:
            made.succeeded(attempt.number, 2.0)
    assert made.excluded == {"a": "no host"}


def late(tasks=6):
    """All tasks but number 0 answered after a second; the time at which 0 is late."""
    made = dispatcher(tasks, {"a": 1, "b": 1, "c": 1})
    for new in made.attempts(0.0):
        if new.task:
            made.succeeded(new.number, 1.0)
    return made, 1.0 + LEAST_PATIENCE + 4.0


def test_a_late_task_is_given_to_a_second_worker_once():
    made, now = late()
    assert made.attempts(1.5) == []
    first = made._in_flight[1][0]
    (copy,) = made.attempts(now)
    assert (copy.task, copy.worker != first.worker) == (0, True)
    assert made.attempts(now + 100.0) == []


@pytest.mark.parametrize("winner", ["first", "copy"])
def test_the_first_answer_counts(winner):
    made, now = late()
    (copy,) = made.attempts(now)
    order = [1, copy.number] if winner == "first" else [copy.number, 1]
    assert [made.succeeded(number, now) for number in order] == [0, None]
    assert made.left == 0


def test_a_failure_is_no_matter_while_a_copy_is_under_way():
    made, now = late()
    (copy,) = made.attempts(now)
    assert made.failed(1, "a") is None
    assert made.attempts(now) == []
    assert made.succeeded(copy.number, now) == 0


def test_no_task_is_late_while_others_wait():
    made = dispatcher(100, {"a": 1})
    for new in made.attempts(0.0):
        made.succeeded(new.number, 1.0)
    made.attempts(1.0)
    assert made.attempts(1000.0) == []


def test_a_task_waits_for_those_that_it_needs():
    made = Dispatcher(4, 1, needs={1: [0], 3: [1, 2]})
    made.workers_are({"a": 4})
    order = run_to_the_end(made)
    assert sorted(order) == [0, 1, 2, 3]
    assert order.index(0) < order.index(1) < order.index(3)
    assert order.index(2) < order.index(3)


def test_tasks_that_need_a_failed_one_are_never_handed_out():
    made = Dispatcher(4, 1, needs={1: [0], 2: [1]})
    made.workers_are({"a": 2})
    for new in made.attempts(0.0):
        made.failed(new.number, "a") if new.task == 0 else made.succeeded(new.number, 0.0)
    assert made.attempts(0.0) == []
    assert (made.left, made.forsaken) == (0, {1: 0, 2: 1})


def test_no_copies_are_made_of_tasks_that_would_disturb_each_other():
    made = Dispatcher(6, 3, copies=False)
    made.workers_are({"a": 2, "b": 2})
    for new in made.attempts(0.0):
        if new.task:
            made.succeeded(new.number, 1.0)
    assert made.attempts(1000.0) == []
