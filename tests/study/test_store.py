"""Answers on the disk: written through, once per session and trial, and nothing is thrown away."""

from __future__ import annotations

import threading

import pytest

from rigcast.study._store import StudyStore


@pytest.fixture
def store(tmp_path):
    made = StudyStore(tmp_path)
    yield made
    made.close()


def keep(store, id, trial="t1", session="s", study="a", build="b", **more):
    return store.keep(study, build, session, trial, {"id": id, **more})


def test_commits_are_synchronized_to_the_disk(store):
    assert store._base.execute("pragma journal_mode").fetchone() == ("wal",)
    assert store._base.execute("pragma synchronous").fetchone() == (2,)  # FULL


def test_an_answer_sent_again_is_stored_once(store):
    for _ in range(3):
        assert keep(store, "x", rating=4) == "x"
    assert [answer.content for answer in store.answers("a")] == [{"id": "x", "rating": 4}]
    assert store.answers("a", second=True) == []


def test_a_second_answer_to_a_trial_is_kept_beside(store):
    keep(store, "x", rating=4)
    assert keep(store, "y", rating=5) == "x"
    assert keep(store, "y", rating=5) == "x"
    assert [answer.content["rating"] for answer in store.answers("a")] == [4]
    assert [answer.content["rating"] for answer in store.answers("a", second=True)] == [5]


def test_sessions_builds_and_studies_are_apart(store):
    for i, (study, build, session) in enumerate([("a", "b", "s"), ("a", "b", "r"), ("a", "c", "s"), ("z", "b", "s")]):
        keep(store, f"x{i}", session=session, build=build, study=study)
    assert len(store.answers("a")) == 3
    assert len(store.answers("z")) == 1
    assert store.answered("a", "b", "s") == ["t1"]


def test_numbers_of_sessions_are_given_once(store):
    assert [store.sign_up("a", "b", name, {}).number for name in "pqpr"] == [1, 2, 1, 3]
    assert store.sign_up("a", "other", "p", {}).number == 1


def test_an_answer_is_there_for_another_connection_at_once(store, tmp_path):
    keep(store, "x")
    other = StudyStore(tmp_path)
    assert other.answered("a", "b", "s") == ["t1"]
    other.close()


def test_many_threads_and_two_servers_store_every_answer_once(tmp_path):
    stores = [StudyStore(tmp_path), StudyStore(tmp_path)]

    def work(number):
        for i in range(40):  # every answer is sent to both
            for store in stores:
                store.sign_up("a", "b", f"s{number}", {})
                keep(store, f"{number}-{i}", trial=f"t{i}", session=f"s{number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stores[0].answers("a")) == 240
    assert stores[1].answers("a", second=True) == []
    assert sorted(session.number for session in stores[0].sessions("a")) == [1, 2, 3, 4, 5, 6]
    for store in stores:
        store.close()
