"""Answers as tables: sides become methods, files come back, strangers' tables are read."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._order import course
from rigcast.study._table import answer_row
from tests.study import small


def test_a_side_is_the_method_whose_pictures_stood_there(choices):
    placed = course(choices, 3)[1]
    for side, place in (("left", 0), ("right", 1)):
        answer = {"side": side, "similarity": 3, "forced": False, "turned": 0}
        row = answer_row(choices, placed.trial.name, "p003", placed.order, answer, {})
        assert row["chosen"] == placed.order[place]
        assert (row["left"], row["right"]) == tuple(placed.order)


def test_ranks_by_place_are_those_of_the_methods(rankings):
    placed = course(rankings, 2)[0]
    row = answer_row(rankings, placed.trial.name, "p002", placed.order, {"ranks": [1, None, 3]}, {})
    assert row[f"rank_{placed.order[0]}"] == 1
    assert np.isnan(row[f"rank_{placed.order[1]}"])
    assert row[f"rank_{placed.order[2]}"] == 3


@pytest.mark.parametrize("name", ["ratings", "choices", "rankings"])
def test_a_table_comes_back_from_its_csv(name, request, tmp_path):
    study = request.getfixturevalue(name)
    table = rc.study.rehearse(study, 3, seed=1)
    table.write(tmp_path / "a.csv")
    back = rc.study.read_answers(tmp_path / "a.csv", protocol=study.protocol)
    for column in (
        "person",
        "unit",
        "rt",
        *(n for n in table.columns if n.startswith("rank_") or n in ("rating", "chosen")),
    ):
        np.testing.assert_array_equal(back.columns[column], table.columns[column])
    assert set(back.methods) == set(table.methods)


def test_a_table_comes_back_from_its_npz(ratings, tmp_path):
    table = rc.study.rehearse(ratings, 3)
    table.write(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        assert set(archive) == set(table.columns)
        for name, values in table.columns.items():
            np.testing.assert_array_equal(archive[name], values)


def test_cells_that_a_spreadsheet_would_compute_are_quoted(ratings, tmp_path):
    table = rc.study.rehearse(ratings, 1)
    columns = {**table.columns, "unit": np.array(["=1+1"] * len(table))}
    rc.study.StudyAnswers("rating", columns, table.facts).write(tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert {row["unit"] for row in rows} == {"'=1+1"}


def test_other_tables_are_refused(ratings, tmp_path):
    with pytest.raises(ValueError, match=r"a name in \.csv or \.npz"):
        rc.study.rehearse(ratings, 1).write(tmp_path / "a.txt")
    path = tmp_path / "b.csv"
    for text, words in (
        ("person\n1\n", "without a column rating"),
        ("person,rating\n1,x\n", "holds something else"),
        ("person,rating\n1\n", "no table"),
        ("", "no table"),
        ("person,person\n1,2\n", "no table"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=words):
            rc.study.read_answers(path)


def test_a_strangers_table_is_read_by_our_names(tmp_path):
    path = tmp_path / "theirs.csv"
    path.write_text("subject;AU;level;score\n1;smile;0,5;3\n1;frown;0,5;2\n2;smile;1;5\n2;frown;1;4\n")
    names = {"person": "subject", "unit": "AU", "activation": "level", "rating": "score"}
    table = rc.study.read_answers(path, columns=names)
    assert table.facts == ["unit", "activation"]
    assert table.columns["rating"].tolist() == [3.0, 2.0, 5.0, 4.0]
    assert table.columns["activation"].tolist() == [0.5, 0.5, 1.0, 1.0]
    with pytest.raises(ValueError, match="columns is 'nobody'"):
        rc.study.read_answers(path, columns={"person": "nobody"})


def records(study, order, person, answer):
    """Rows as jsPsych saves them: fixation, answers, and whatever else."""
    found = [{"trial_type": "html-button-response", "rt": 900, "response": 0}]
    for placed in course(study, order):
        own = {"rigcast": "answer", "study": study.id, "build": study.build, "order": order, "person": person}
        found.append({"trial_type": "html-keyboard-response", "rt": None})
        found.append({**own, "trial": placed.trial.name, "rt": 1234, "answer": json.dumps(answer(placed))})
    return found


@pytest.mark.parametrize("form", ["json", "csv"])
def test_what_jspsych_recorded_is_read(form, choices, tmp_path):
    def wanted(placed):
        side = "left" if placed.order[0] == "new" else "right"
        return {"side": side, "similarity": 2, "forced": False, "turned": 0}

    paths = []
    for order in (1, 2):
        rows = records(choices, order, f"P{order}", wanted)
        paths.append(tmp_path / f"{order}.{form}")
        if form == "json":
            paths[-1].write_text(json.dumps(rows))
        else:
            with paths[-1].open("w", newline="") as stream:
                writer = csv.DictWriter(stream, list(dict.fromkeys(key for row in rows for key in row)))
                writer.writeheader()
                writer.writerows(rows)
    table = rc.study.read_jspsych(choices, *paths)
    assert table.columns["chosen"].tolist() == ["new"] * 18
    assert set(table.columns["side"].tolist()) == {"left", "right"}
    assert (table.columns["rt"] == 1.234).all()
    assert rc.study.read_jspsych(choices, *paths, *paths).second == 18


def test_what_jspsych_recorded_of_another_study_is_refused_or_left_out(choices, ratings, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records(ratings, 1, "P", lambda _: {"rating": 3})))
    assert rc.study.read_jspsych(choices, path).older == len(ratings.trials)
    path.write_text("[]")
    with pytest.raises(ValueError, match="no data of a study that rigcast exported"):
        rc.study.read_jspsych(choices, path)


def test_the_exported_study_holds_balanced_orders_and_its_pictures(choices, tmp_path):
    page = rc.study.write_jspsych(choices, tmp_path / "out", orders=4)
    told = json.loads((page.parent / "trials.json").read_text())
    assert [len(order) for order in told["orders"]] == [9] * 4
    names = [name for order in told["orders"] for trial in order for name in (trial["reference"], *trial["options"])]
    assert all((page.parent / name).is_file() for name in names)
    for order, shown in enumerate(told["orders"], 1):
        for placed, trial in zip(course(choices, order), shown, strict=True):
            middle = choices.stimuli[placed.trial.options[placed.order[0]]].files[1][0]
            assert trial["options"][0] == f"stimuli/{middle}"
    with pytest.raises(ValueError, match="which exists"):
        rc.study.write_jspsych(choices, page.parent)


def test_answers_of_a_study_that_nobody_has_answered_are_none(tmp_path):
    assert len(rc.study.answers(small.rating(tmp_path / "study"))) == 0
