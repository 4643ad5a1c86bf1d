"""The server: what it acknowledges, refuses and shows."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import urllib.error
import urllib.request

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._records import STATED
from tests.study import small


@pytest.fixture
def served(tmp_path):
    """A function that serves a study and gives a person of it."""
    with contextlib.ExitStack() as stack:

        def serve(study, session="s1"):
            server = stack.enter_context(rc.study.StudyServer(study))
            person = small.Person(study, session, server.url)
            person.server = server
            return person

        yield serve


@pytest.fixture
def person(served, tmp_path):
    return served(small.rating(tmp_path / "study"))


def stored(person):
    return len(rc.study.answers(person.study))


def test_an_answer_is_acknowledged_when_another_connection_reads_it(person):
    trial = person.sign_up()["trials"][0]
    assert person.post("answers", person.message(trial, {"rating": 4}))[0] == 200
    assert rc.study.answers(person.study).columns["rating"].tolist() == [4.0]


def test_what_cannot_be_stored_is_not_acknowledged(person, monkeypatch):
    trial = person.sign_up()["trials"][0]

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(person.server._store, "keep", full)
    status, content = person.post("answers", person.message(trial, {"rating": 4}))
    assert status == 503
    assert "stored" not in content
    monkeypatch.undo()
    assert stored(person) == 0


def test_an_answer_sent_again_is_acknowledged_again_and_stored_once(person):
    sent = person.message(person.sign_up()["trials"][0], {"rating": 4})
    replies = [person.post("answers", sent) for _ in range(3)]
    assert replies == [(200, {"stored": sent["id"], "first": sent["id"]})] * 3
    table = rc.study.answers(person.study)
    assert (len(table), table.second) == (1, 0)


def test_a_second_answer_is_acknowledged_and_counted_apart(person):
    trial = person.sign_up()["trials"][0]
    first, second = (person.message(trial, {"rating": rating}) for rating in (4, 7))
    person.post("answers", first)
    assert person.post("answers", second) == (200, {"stored": second["id"], "first": first["id"]})
    table = rc.study.answers(person.study)
    assert (table.columns["rating"].tolist(), table.second) == ([4.0], 1)


def test_training_is_never_stored(person):
    trial = person.sign_up()["training"][0]
    status, content = person.post("answers", person.message(trial, {"rating": 4}))
    assert (status, content["training"]) == (200, True)
    assert stored(person) == 0
    assert rc.study._store.StudyStore.count(person.study.folder) == 1  # the sign-up


def test_a_session_that_comes_back_is_told_what_it_has_answered(person):
    told = person.sign_up()
    person.post("answers", person.message(told["trials"][2], {"rating": 4}))
    again = person.sign_up()
    assert again["answered"] == [told["trials"][2]["trial"]]
    assert {**again, "answered": []} == told


def test_a_session_ends_after_its_hours(served, tmp_path):
    person = served(small.rating(tmp_path / "study", settings={"resume_hours": 1e-9}))
    person.sign_up()
    status, _ = person.post("session", {**person.own(), "facts": {}})
    assert status == 410


def test_another_study_of_the_same_name_takes_nothing_of_the_first(served, tmp_path):
    first = served(small.rating(tmp_path / "one"))
    second = served(small.rating(tmp_path / "two"))
    assert first.study.build == second.study.build
    first.sign_up()
    first.url = second.url  # a page that was left open
    status, content = first.post("answers", first.message(first.told["trials"][0], {"rating": 4}))
    assert (status, content["study"]) == (409, second.study.id)
    assert len(second.sign_up()["answered"]) == stored(second) == 0


def test_answers_of_an_older_build_are_kept_and_counted_apart(served, tmp_path):
    old = served(small.rating(tmp_path / "study"))
    old.take_part(lambda _: {"rating": 4})
    path = old.study.folder / STATED
    path.write_text(path.read_text().replace('"fixation": 0.0', '"fixation": 1.0'))
    new = served(rc.study.open_study(old.study.folder))
    assert new.study.id == old.study.id
    assert new.study.build != old.study.build
    old.url = new.url
    late = old.message(old.told["trials"][0], {"rating": 4})
    assert old.post("answers", late)[1]["stored"] == late["id"]
    table = rc.study.answers(new.study)
    assert (len(table), table.older) == (0, len(old.study.trials))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"answer": {"rating": 10}}, "rating must be a whole number from 1 to 9"),
        ({"answer": {"rating": True}}, "rating must be a whole number"),
        ({"answer": 4}, "answer must be an object"),
        ({"rt": "fast"}, "rt must be a number"),
        ({"id": ""}, "id must be 1 to 64 letters"),
        ({"session": "../x"}, "session must be"),
        ({"trial": "t9999"}, "there is no trial t9999"),
    ],
)
def test_a_wrong_answer_is_refused_in_a_sentence(person, change, words):
    trial = person.sign_up()["trials"][0]
    status, content = person.post("answers", {**person.message(trial, {"rating": 4}), **change})
    assert status == 400
    assert words in content["error"]
    assert stored(person) == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"[" * 5000, b"\xff\xfe\x00", b'{"answer": NaN}'])
def test_what_is_no_message_is_refused(person, content):
    assert person.post("answers", content)[0] == 400
    assert person.post("session", content)[0] == 400


def test_a_long_message_is_refused(person):
    assert person.post("answers", b" " * 100_000)[0] in (0, 413)  # closed while it is still being sent


def test_pages_from_elsewhere_cannot_answer(person):
    assert person.post("session", {**person.own(), "facts": {}}, Origin="http://evil.example")[0] == 403
    assert person.post("session", {**person.own(), "facts": {}}, Host="evil.example")[0] == 403


def get(url):
    try:
        with urllib.request.urlopen(url) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_participant_sees_pictures_and_nothing_else_of_the_folder(person):
    picture = person.sign_up()["trials"][0]["options"][0]["files"][0][0]
    assert get(f"{person.url}stimuli/{picture}")[1].startswith(b"\x89PNG")
    for path in ("study.json", "stimuli/../study.json", "stimuli/", "answers.sqlite", "stimuli/%2e%2e/study.json"):
        assert get(person.url + path)[0] == 404


def test_what_a_participant_gets_names_neither_units_nor_methods(served, tmp_path):
    person = served(small.choice(tmp_path / "study"))
    told = json.dumps(person.sign_up()) + get(person.url + "about")[1].decode()
    for word in ("old", "new", "Smile", "Wink", "truth", "c0"):
        assert f'"{word}"' not in told


def test_results_need_the_token(person):
    for path in ("admin", "admin/progress", "admin/answers.csv", "admin/answers.npz", "admin/progress?token=x"):
        assert get(person.url + path)[0] == 403
    assert get(person.url + "admin.html")[0] == 404


def test_results_are_those_of_the_table(person):
    person.take_part(lambda trial: {"rating": 1 + trial["position"] % 9})
    base, _, token = person.server.admin_url.partition("?")
    progress = json.loads(get(f"{base}/progress?{token}")[1])
    assert (progress["answers"], progress["sessions"][0]["answered"]) == (20, 20)
    table = rc.study.answers(person.study)
    with np.load(io.BytesIO(get(f"{base}/answers.npz?{token}")[1])) as archive:
        assert archive["rating"].tolist() == table.columns["rating"].tolist()
    header, *rows = get(f"{base}/answers.csv?{token}")[1].decode().splitlines()
    assert header.split(",") == list(table.columns)
    assert len(rows) == 20


def test_a_port_that_is_taken_is_refused(person):
    port = int(person.url.rstrip("/").rpartition(":")[2])
    with pytest.raises(ValueError, match=r"StudyServer: host, port is 127\.0\.0\.1:"):
        rc.study.StudyServer(person.study, port=port)
