"""``rigcast train body RIG --until``: what it says, and what it refuses."""

from __future__ import annotations

import json

import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from rigcast.training._until import _pipeline, _rounds
from tests.support.made.cylinder_models import cylinder_file

pytest.importorskip("torch", reason="PyTorch is not installed")

SMALL = ["--steps", "20", "--hidden", "4", "--threads", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("until")
    cylinder_file(place / "hero.npz")
    rc.sampling.sample(rc.sources.load(place / "hero.npz"), place / "hero.rwdata", count=20, seed=0, probe=1)
    return place


@pytest.fixture
def call(folder, capsys, monkeypatch):
    """Train in the folder; exit code, and all that was said."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(_pipeline, "FIRST", 260)
    monkeypatch.setattr(_rounds, "LOOK", 24)
    monkeypatch.setattr(_rounds, "JUDGED", 60)

    def run(*words):
        code = dispatch.main(["train", *words])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return code, told.out + told.err

    return run


def test_it_says_what_was_reached_and_info_and_json_do_too(call, capsys):
    line = ["body", "hero.npz", "-o", "hero.safetensors", "--until", "mean 20cm", "--count", "600", *SMALL]
    code, said = call(*line)
    assert code == 0
    assert "with 97.5 % confidence; asked for: 200 mm" in said
    assert "the error holds" in said
    assert "error bound: holds for" in said
    assert "out of range: false alarm for" in said
    assert "confidence: ranks held-out errors by" in said
    assert dispatch.main(["info", "hero.safetensors"]) == 0
    facts = capsys.readouterr().out
    assert "asked for 200 mm, stopped by error after" in facts
    assert "wide on average (constants per vertex" in facts
    assert "ranks held-out errors by" in facts


def test_a_goal_that_is_not_reached_is_said_to_be_missed(call, capsys):
    line = ["body", "hero.npz", "-o", "far.safetensors", "--until", "p99 1um", "--count", "440", *SMALL, "--json"]
    code, said = call(*line)
    assert code == 0
    told = json.loads(said.splitlines()[0])
    assert (told["until"]["reached"], told["until"]["stopped"]) == (False, "poses")
    assert told["confidence"].keys() == {"mean", "max", "poses"}


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("p98 1mm", "the statistic 'p98' must be mean, p99 or max"),
        ("p99 1parsec", "the unit 'parsec' must be um"),
        ("p99 0mm", "the length 0 must be above 0"),
        ("p99 -1mm", "the length -1 must be above 0"),
        ("p99 1", "a length without unit must be"),
        ("much", "must be a statistic, a length and its unit, as 'p99 0.1mm'"),
    ],
)
def test_other_goals_are_refused(call, goal, said):
    code, told = call("body", "hero.npz", "-o", "no.safetensors", "--until", goal)
    assert code == 2
    assert said in told
    assert "--until" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["body", "hero.rwdata", "--until", "p99 1mm"], "is a data set alone, which cannot be sampled"),
        (["body", "hero.npz", "--rig", "hero.npz", "--until", "p99 1mm"], "hero.npz is no data set; name the rig once"),
        (["differential", "hero.npz", "--until", "p99 1mm"], "--until is an option of body, not of differential"),
        (["body", "hero.rwdata", "--count", "100"], "--count goes with --until"),
        (["body", "hero.rwdata", "--rig", "hero.npz"], "--rig goes with --until"),
    ],
)
def test_what_cannot_be_sampled_is_refused(call, words, said):
    code, told = call(*words, "-o", "no.safetensors")
    assert code == 2
    assert said in told
