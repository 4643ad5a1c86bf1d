"""Nothing is lost and nothing doubled while the server is killed: twenty people, and the effects that were planted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rigcast as rc
from tests.study import small
from tests.study.serving import MortalServer

SLOPES = {"Neutral": 0.0, "Smile": 5.0, "Brow": 2.5, "Wink": 3.5}
START, SPREAD, NOISE = 2.0, 0.4, 0.5


class RatingPerson(small.Person):
    """Rates by the planted model, waits for the server's deaths, and remembers what was answered."""

    def __init__(self, study, number, server):
        super().__init__(study, f"s{number}", server.url)
        self.server, self.random = server, np.random.default_rng([5, number])
        self.own_start = START + self.random.normal(0.0, SPREAD)
        self.answered = {}

    def rate(self, trial, deaths):
        self.server.wait_for_deaths(deaths * trial["position"] / len(self.study.trials))
        facts = self.study.trial(trial["trial"]).facts
        mean = self.own_start + SLOPES[facts["unit"]] * facts["activation"]
        rating = int(np.clip(np.round(self.random.normal(mean, NOISE)), 1, 9))
        self.answered[trial["trial"]] = rating
        return {"rating": rating}


def taken_part(study, people, kills):
    """The people, after all of them have answered everything while the server died ``kills`` times."""
    with MortalServer(study.folder, kills) as server:
        persons = [RatingPerson(study, number, server) for number in range(people)]
        with ThreadPoolExecutor(people) as pool:
            work = [pool.submit(p.take_part, lambda t, p=p: p.rate(t, kills)) for p in persons]
            server.begin()
        for one in work:
            one.result()  # raises what a person met
        assert server.deaths >= kills * (len(study.trials) - 1) // len(study.trials)
    return persons


def assert_all_is_there(study, persons):
    table = rc.study.answers(study)
    names = {person: facts["session"] for person, facts in table.people.items()}
    columns = zip(*(table.columns[name].tolist() for name in ("person", "trial", "rating")), strict=True)
    found = {(names[person], trial): int(rating) for person, trial, rating in columns}
    assert found == {(p.session, trial): rating for p in persons for trial, rating in p.answered.items()}
    assert len(table) == len(found) == len(persons) * len(study.trials)
    assert table.second == 0
    return table


def test_every_answer_is_stored_once_while_the_server_is_killed(tmp_path):
    study = small.rating(tmp_path / "study")
    assert_all_is_there(study, taken_part(study, people=4, kills=4))


@pytest.mark.long
def test_twenty_people_and_two_hundred_kills_give_the_planted_effects(tmp_path):
    study = small.rating(tmp_path / "study", characters=4)
    table = assert_all_is_there(study, taken_part(study, people=20, kills=200))
    assert_planted(rc.study.analyze(table))


def assert_planted(result):
    """Slopes within three standard errors, all terms that were planted, and no other."""
    for unit, slope in SLOPES.items():
        names = ["activation"] + [f"activation:unit[{unit}]"] * (f"activation:unit[{unit}]" in result.fit.names)
        places = [result.fit.names.index(name) for name in names]
        found = float(result.fit.coefficients[places].sum())
        error = float(np.sqrt(result.fit.covariance[np.ix_(places, places)].sum()))
        assert abs(found - slope) < 3.0 * error + 0.1  # ratings are whole numbers from 1 to 9
    told = {row.term for row in result.anova.rows if row.p < 0.001}
    assert told == {"unit", "activation", "unit:activation"}


def test_people_without_kills_give_the_planted_effects(tmp_path):
    study = small.rating(tmp_path / "study", characters=2)
    result = rc.study.analyze(rc.study.rehearse(study, 20, slopes=SLOPES, seed=2))
    assert_planted(result)
