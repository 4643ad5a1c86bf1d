"""Faults of answers: each is said by the analysis, of the study or of the person, and in these words."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import rigcast as rc

PEOPLE, TRIALS = 16, 40


@pytest.fixture(scope="module")
def rated(ratings):
    return rc.study.rehearse(ratings, PEOPLE, slopes={"Smile": 5.0, "Brow": 2.0, "Wink": 3.0}, seed=4)


def changed(table, **columns):
    return dataclasses.replace(table, columns={**table.columns, **columns})


def only(table, kept, **more):
    return dataclasses.replace(table, columns={name: values[kept] for name, values in table.columns.items()}, **more)


def of(table, person):
    return table.columns["person"] == person


def swapped(table):
    count = table.columns["count"].copy()
    rows = np.flatnonzero(of(table, "p001"))
    count[rows[[3, 4]]] = count[rows[[4, 3]]]
    return changed(table, count=count)


def later(table, column, milliseconds):
    """From the 21st answer of p002 on, a clock is further on."""
    late = of(table, "p002") & (table.columns["count"] > TRIALS // 2)
    return changed(table, **{column: table.columns[column] + milliseconds * late})


OF_PEOPLE = {
    "always five": (
        lambda t: changed(t, rating=np.where(of(t, "p003"), 5.0, t.columns["rating"])),
        {"p003": ["answered 5 in 40 of 40 trials"]},
    ),
    "faster than anybody": (
        lambda t: changed(t, rt=np.where(of(t, "p005"), 0.1, t.columns["rt"])),
        {"p005": ["100% of the answers came within 0.2 s"]},
    ),
    "out of order": (swapped, {"p001": ["answers arrived out of order"]}),
    "a clock set forward": (
        lambda t: later(t, "wall", 3600e3),
        {"p002": ["the clock of the computer jumped by +3600 s, or the computer slept"]},
    ),
    "a clock set back": (
        lambda t: later(t, "wall", -3600e3),
        {"p002": ["the clock of the computer jumped by -3600 s, or the computer slept"]},
    ),
    "a laptop that was closed for ten minutes": (  # the page's own clock stood still meanwhile
        lambda t: later(t, "wall", 600e3),
        {"p002": ["the clock of the computer jumped by +600 s, or the computer slept"]},
    ),
    "a rest of an hour": (lambda t: later(later(t, "wall", 3600e3), "mono", 3600e3), {}),
    "a missing answer": (
        lambda t: only(t, ~(of(t, "p004") & (t.columns["trial"] == "t0002"))),
        {"p004": ["answered 39 of 40 trials"]},
    ),
}
OF_STUDIES = {
    "answered twice": (
        lambda t: dataclasses.replace(t, second=2),
        ["2 trials were answered twice: the first answer counts"],
    ),
    "another build": (
        lambda t: dataclasses.replace(t, older=7),
        ["7 answers belong to an older build of the study: they are left out"],
    ),
    "few people": (lambda t: only(t, np.isin(t.columns["person"], ["p001", "p002", "p003"])), ["3 participants"]),
    "under-dispersed, and epsilon capped": (
        lambda t: only(t, t.columns["person"] < "p006"),
        ["ratings vary less than counts do", "cannot exceed its cap with 5 people"],
    ),
    "a unit with one level": (
        lambda t: only(t, ~((t.columns["unit"] == "Brow") & (t.columns["activation"] < 1.0)), expected=0),
        ["shown at one activation alone, so that their slope is unknown: Brow"],
    ),
    "one level of all": (
        lambda t: only(t, t.columns["activation"] == 1.0, expected=0),
        ["activation is always 1.0: nothing can be said about it"],
    ),
    "cells missing in a table": (
        lambda t: only(t, ~(of(t, "p004") & (t.columns["unit"] == "Smile")), expected=0),
        ["10 cells of person and character, unit, activation have no answer"],
    ),
    "an unbalanced design": (  # half of the people saw each unit
        lambda t: only(
            t, np.isin(t.columns["person"], ["p001", "p002", "p003"]) == (t.columns["unit"] == "Smile"), expected=0
        ),
        ["cells of person and character, unit, activation have no answer", "mixed model"],
    ),
}


@pytest.mark.parametrize("fault", OF_PEOPLE)
def test_a_fault_of_a_person_is_said_of_that_person_alone(rated, fault):
    change, said = OF_PEOPLE[fault]
    assert rc.study.analyze(rated).findings.people == {}
    assert rc.study.analyze(change(rated)).findings.people == said


@pytest.mark.parametrize("fault", OF_STUDIES)
def test_a_fault_of_a_study_is_said(rated, fault):
    change, words = OF_STUDIES[fault]
    sound, found = (" ".join(rc.study.analyze(table).findings.study) for table in (rated, change(rated)))
    for word in words:
        assert word in found
        assert word not in sound or word == "ratings vary less than counts do"


def test_who_is_excluded_has_no_remark_any_more(rated):
    table = OF_PEOPLE["always five"][0](rated)
    assert rc.study.analyze(table, exclude=["p003"]).findings.people == {}


def test_people_with_a_missing_answer_are_left_out_listwise(rated):
    assert rc.study.analyze(OF_PEOPLE["a missing answer"][0](rated)).anova.people == PEOPLE - 1
