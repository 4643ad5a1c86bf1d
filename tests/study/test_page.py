"""The page of participants in a browser: each protocol from consent to thanks, reloads, kills, and what is kept.

One study runs in the quick tests; a browser is slow beside other work.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._checks import findings
from tests.study import small
from tests.study.serving import MortalServer
from tests.support.characters.plain_face import plain_face

PILOT = (Path(__file__).parent / "autopilot.js").read_text()
DONE = "document.getElementById('done')"


class Participant:
    """A tab that takes part by itself."""

    def __init__(self, browser, **manners):
        self.page = browser.page()
        script = (
            f"window.rigcastPilot = {json.dumps(manners)}; addEventListener('DOMContentLoaded', () => {{ {PILOT} }});"
        )
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url):
        self.page.open(url)

    def finish(self):
        self.page.until(DONE)
        complaints = self.page.complaints
        self.page.close()
        assert [line for line in complaints if "Failed to load resource: net::ERR_" not in line] == []


def pictures(study, method):
    """Names of all pictures of a method."""
    stimuli = [study.stimuli[trial.options[method]] for trial in [*study.trials, *study.training]]
    return [name for stimulus in stimuli for view in stimulus.files for name in view]


def expected_rating(study, name):
    """What the autopilot answers: it depends on the picture on the right."""
    file = study.stimuli[study.trial(name).options["expression"]].files[0][0]
    return 1 + sum(map(ord, file)) % 9


def assert_ratings(study, people=1):
    table = rc.study.answers(study)
    assert len(table) == people * len(study.trials)
    for name, rating in zip(table.columns["trial"].tolist(), table.columns["rating"].tolist(), strict=True):
        assert rating == expected_rating(study, name)
    assert table.second == 0
    remarks = [remark for remarks in findings(table).people.values() for remark in remarks]
    assert [remark for remark in remarks if "came within" not in remark] == []  # the autopilot is fast
    return table


def test_a_rating_study_from_consent_to_thanks(browser, tmp_path):
    study = small.rating(tmp_path / "study")
    with rc.study.StudyServer(study) as server:
        person = Participant(browser)
        person.open(server.url)
        person.finish()
    table = assert_ratings(study)
    assert (table.columns["rt"] > 0.0).all()
    assert table.people["p001"]["px_per_mm"] > 1.0


@pytest.mark.long
def test_the_chosen_side_is_the_method_that_stood_there(browser, tmp_path):
    study = small.choice(tmp_path / "study", characters=2)
    with rc.study.StudyServer(study) as server:
        person = Participant(browser, wanted=pictures(study, "new"))
        person.open(server.url)
        person.finish()
    columns = rc.study.answers(study).columns
    assert columns["chosen"].tolist() == ["new"] * 6
    assert set(columns["side"].tolist()) == {"left", "right"}
    assert columns["similarity"].tolist() == [4.0] * 6
    assert not columns["forced"].any()


@pytest.mark.long
def test_faces_go_away_at_the_limit_and_an_answer_is_forced(browser, tmp_path):
    study = small.choice(tmp_path / "study", characters=1, settings={"limit": 0.2})
    with rc.study.StudyServer(study) as server:
        person = Participant(browser, wanted=pictures(study, "new"), forced=True)
        person.open(server.url)
        person.finish()
    columns = rc.study.answers(study).columns
    assert columns["forced"].all()
    assert (columns["rt"] >= 0.19).all()
    assert columns["chosen"].tolist() == ["new"] * 3


@pytest.mark.long
def test_arrow_keys_turn_all_three_faces_within_the_limit(browser, tmp_path):
    study = small.choice(tmp_path / "study", characters=1, settings={"limit": 60.0, "turn": 30.0})
    trial = study.training[0]
    views = [study.stimuli[name].files for name in (trial.reference, *trial.options.values())]
    with rc.study.StudyServer(study) as server:
        person = Participant(browser, wanted=[], forced=True)
        person.open(server.url)
        person.page.until("document.getElementById('left')")
        person.page.evaluate("new Promise((done) => setTimeout(done, 200))")
        turn = "for (let i = 0; i < {count}; i++) dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))"
        seen = {}
        for key, count in (("ArrowRight", 2), ("ArrowRight", 9), ("ArrowLeft", 20)):
            person.page.evaluate(turn.format(key=key, count=count))
            names = "[...document.querySelectorAll('.face img')].map((image) => image.src.split('/').pop())"
            seen[key, count] = person.page.evaluate(names)
        person.page.close()
    for (key, count), view in zip(seen, (5, 6, 0), strict=True):
        assert sorted(seen[key, count]) == sorted(files[view][0] for files in views)


@pytest.mark.long
def test_the_best_and_the_worst_are_enough_for_a_ranking(browser, tmp_path):
    study = small.ranking(tmp_path / "study")
    ranks = {name: rank for method, rank in (("best", 1), ("bad", 3)) for name in pictures(study, method)}
    with rc.study.StudyServer(study) as server:
        person = Participant(browser, ranks=ranks)
        person.open(server.url)
        person.finish()
    columns = rc.study.answers(study).columns
    assert columns["rank_best"].tolist() == [1.0] * 3
    assert columns["rank_bad"].tolist() == [3.0] * 3
    assert np.isnan(columns["rank_good"]).all()


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(1366, 681), (1920, 993), (1280, 720)])
def test_nine_attempts_and_their_ranks_fit_on_the_screen(browser, tmp_path, width, height):
    rigs = {"truth": plain_face(), **{f"m{i}": small.other_face(0.1 * i) for i in range(1, 10)}}
    plan = small.plan(levels=[1.0], expressions=small.EXPRESSIONS[1:2], pictures={"size": 300})
    study = rc.study.make_ranking(tmp_path / "study", {"c0": rigs}, plan, threads=1)
    with rc.study.StudyServer(study) as server:
        person = Participant(browser, ranks={})
        person.page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        person.open(server.url)
        person.page.until("document.getElementById('submit')")
        boxes = "[...document.querySelectorAll('.rank, #submit, .face img')].map((b) => b.getBoundingClientRect())"
        edges = person.page.evaluate(f"{boxes}.map((r) => [r.left, r.top, r.right, r.bottom])")
        person.page.close()
    left, top, right, bottom = np.array(edges).T
    assert len(edges) == 9 * 9 + 1 + 10
    assert min(left.min(), top.min()) >= 0
    assert right.max() <= width
    assert bottom.max() <= height


@pytest.mark.long
def test_a_page_that_is_loaded_again_goes_on(browser, tmp_path):
    study = small.rating(tmp_path / "study")
    with rc.study.StudyServer(study) as server:
        person = Participant(browser)
        person.open(server.url)
        for count in (3, 9, 15):
            person.page.until("document.getElementById('scale')")
            while len(rc.study.answers(study)) < count:
                person.page.evaluate("new Promise((done) => setTimeout(done, 20))")
            person.open(server.url)
        person.finish()
    assert len(assert_ratings(study).people) == 1


@pytest.mark.long
def test_a_second_study_of_the_same_name_on_the_same_address_loses_nothing(browser, tmp_path):
    """The same browser, the same participant, the same address: what it remembers of the first study is not used."""
    one, two = small.rating(tmp_path / "one"), small.rating(tmp_path / "two")
    person = Participant(browser)
    port = 0
    for study in (one, two):
        with rc.study.StudyServer(study, port=port) as server:
            port = int(server.url.rstrip("/").rpartition(":")[2])
            person.open(f"{server.url}?participant=P7")
            person.page.until(DONE)
        assert assert_ratings(study).people["p001"]["participant"] == "P7"
    person.finish()


@pytest.mark.long
def test_participants_on_one_computer_follow_each_other(browser, tmp_path):
    study = small.rating(tmp_path / "study", expressions=small.EXPRESSIONS[:2])
    with rc.study.StudyServer(study) as server:
        person = Participant(browser)
        person.open(server.url)
        person.page.until(DONE)
        person.page.evaluate("document.getElementById('next').click()")
        while person.page.evaluate(f"Boolean({DONE})"):  # a promise would end with the page that is left
            time.sleep(0.02)
        person.finish()
    assert sorted(assert_ratings(study, people=2).people) == ["p001", "p002"]


def taken_part_under_kills(browser, study, kills):
    with MortalServer(study.folder, kills) as server:
        person = Participant(browser)
        person.open(server.url)
        person.page.until("document.getElementById('scale')")
        server.begin()
        while server.deaths < kills and not person.page.evaluate(f"Boolean({DONE})"):
            person.page.evaluate("new Promise((done) => setTimeout(done, 50))")
        person.finish()
        assert server.deaths == kills
    return assert_ratings(study)


@pytest.mark.long
def test_a_browser_loses_nothing_while_the_server_is_killed(browser, tmp_path):
    taken_part_under_kills(browser, small.rating(tmp_path / "study", settings={"fixation": 0.1}), kills=3)


@pytest.mark.long
def test_a_browser_loses_nothing_in_two_hundred_kills(browser, tmp_path):
    study = small.rating(tmp_path / "study", characters=10, repetitions=3, settings={"fixation": 0.5})
    taken_part_under_kills(browser, study, kills=200)
