"""Statistics of answers: what was planted comes back."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._checks import findings


def changed(table, **columns):
    return dataclasses.replace(table, columns={**table.columns, **columns})


@pytest.fixture(scope="module")
def rated(ratings):
    return rc.study.rehearse(ratings, 16, slopes={"Smile": 5.0, "Brow": 2.0, "Wink": 3.0}, seed=4)


def test_planted_preferences_come_back(choices):
    table = rc.study.rehearse(choices, 40, strengths={"new": 3.0}, seed=1)
    result = rc.study.analyze(table)
    whole = result.preferences[0]
    assert whole.cell == ""
    expected = 0.75 if table.methods[0] == "new" else 0.25
    assert abs(whole.share - expected) < whole.half
    assert whole.p < 0.001
    assert {row.cell for row in result.preferences[1:]} == {"Smile", "Brow", "Wink"}
    assert result.left.p > 0.05


def test_preferences_are_the_single_t_of_the_shares_of_people(choices):
    table = rc.study.rehearse(choices, 12, strengths={"new": 2.0}, seed=2)
    first = table.columns["chosen"] == table.methods[0]
    shares = [first[table.columns["person"] == person].mean() for person in np.unique(table.columns["person"])]
    row = rc.study.analyze(table).preferences[0]
    assert (row.t, row.df, row.p) == pytest.approx(rc.perception.single_t(shares, 0.5))
    assert row.d == pytest.approx((np.mean(shares) - 0.5) / np.std(shares, ddof=1))


def test_planted_strengths_come_back(rankings):
    table = rc.study.rehearse(rankings, 200, strengths={"best": 4.0, "good": 2.0, "bad": 1.0}, seed=1)
    found = rc.study.analyze(table).strengths
    for name, share in (("best", 4 / 7), ("good", 2 / 7), ("bad", 1 / 7)):
        low, high = found.interval[found.names.index(name)]
        assert low < share < high


def test_means_are_over_people(rated):
    found = {mean.cell: mean for mean in rc.study.analyze(rated).means}
    columns = rated.columns
    rows = (columns["unit"] == "Smile") & (columns["activation"] == 1.0)
    assert found["Smile", "1"].mean == pytest.approx(columns["rating"][rows].mean())
    assert found["Smile", "1"].people == 16


def test_thresholds_are_there_if_a_unit_is_neutral(rated):
    found = {row.shape: row.threshold for row in rc.study.analyze(rated).thresholds}
    assert found["Smile"] < 0.6
    assert set(found) == {"Smile", "Brow", "Wink"}


def test_somebody_who_always_presses_the_left_key_is_flagged(choices):
    table = rc.study.rehearse(choices, 12, seed=1)
    # nine trials are too few to say it: five rounds of them
    five = {name: np.tile(values, 5) for name, values in table.columns.items()}
    five["count"] = five["arrival"] = np.arange(len(five["side"]))
    five["side"] = np.where(five["person"] == "p002", "left", five["side"])
    assert findings(dataclasses.replace(table, columns=five)).people["p002"] == ["answered left in 45 of 45 trials"]


def test_a_page_that_was_loaded_again_is_no_jump(rated):
    late = rated.columns["count"] > 20
    mono = np.where(late, rated.columns["mono"] - 5000.0, rated.columns["mono"])
    load = np.where(late, "second", "first")
    assert findings(changed(rated, mono=mono, load=load)).people == {}


def test_one_person_gets_means_and_the_reason_why_there_is_no_test(ratings):
    result = rc.study.analyze(rc.study.rehearse(ratings, 1))
    assert result.anova is None
    assert any("no analysis of variance" in line for line in result.findings.study)
    assert len(result.means) == 20


def test_wrong_names_are_refused(rated, ratings):
    with pytest.raises(ValueError, match="exclude is 'p999'"):
        rc.study.analyze(rated, exclude=["p999"])
    with pytest.raises(ValueError, match="within is 'sex'"):
        rc.study.analyze(rated, within=["sex"])
    with pytest.raises(ValueError, match="answers is empty"):
        rc.study.analyze(rc.study._table.from_rows(ratings, [], {}))
    with pytest.raises(ValueError, match=r"slopes is 'Sneer'; it must be one of Brow"):
        rc.study.rehearse(ratings, 2, slopes={"Sneer": 1.0})


@pytest.mark.parametrize("name", ["ratings", "choices", "rankings"])
def test_the_page_of_results_says_the_verdict_and_holds_its_charts(name, request, tmp_path):
    for package in ("matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    study = request.getfixturevalue(name)
    result = rc.study.analyze(rc.study.rehearse(study, 8, seed=1))
    rc.study.write_report(result, tmp_path / "a.html", name="my study")
    text = (tmp_path / "a.html").read_text()
    assert "My study" in text
    assert text.count('<svg class="chart"') == 2 + bool(result.measures)
    assert "simulated: 8 people" in text
    words = {"ratings": "Analysis of variance", "choices": "Choices against guessing", "rankings": "Strengths and wins"}
    assert words[name] in text


def test_the_same_answers_give_the_same_rehearsal(choices):
    one, two = (rc.study.rehearse(choices, 4, seed=9).columns["side"].tolist() for _ in range(2))
    assert one == two
