"""Settings that make no sense are refused before any training, not after it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget
from tests.support.trainings import train_with


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tau", math.inf, "tau is inf; it must be a finite number not below 1"),
        ("learning_rate", math.inf, "learning_rate is inf; it must be a finite number"),
        ("border", "wide", "border is 'wide'; it must be a finite number"),
        ("holdout", "a part", "holdout is 'a part'; it must be a part between 0 and 1"),
        ("holdout", 1.0, "holdout is 1.0; it must be a part between 0 and 1"),
        ("compact_rotations", "no", "compact_rotations is 'no'; it must be True or False"),
    ],
)
def test_what_makes_no_sense_is_refused(name, value, message):
    with pytest.raises(ValueError, match=f"body: {message}"):
        BodySettings(**{name: value})


def test_numbers_of_numpy_are_numbers():
    settings = BodySettings(hidden=np.int64(3), learning_rate=np.float32(0.5), compact_rotations=np.bool_(False))
    budget = Budget("body", seed=np.int64(3), minutes=np.float32(0.5))
    assert (settings.hidden, settings.learning_rate, settings.compact_rotations) == (3, 0.5, False)
    assert (budget.seed, budget.minutes) == (3, 0.5)
    json.dumps(budget.record(settings), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("minutes", math.inf, "minutes is inf; it must be a finite number at least 0"),
        ("minutes", math.nan, "minutes is nan; it must be a finite number"),
        ("seed", -1, "seed is -1; it must be a whole number of at least 0"),
        ("seed", True, "seed is True; it must be a whole number"),
        ("steps", 2.5, "steps is 2.5; it must be a whole number"),
        ("restart", 1, "restart is 1; it must be True or False"),
    ],
)
@pytest.mark.parametrize("function", ["body", "differential", "face_maps"])
def test_a_budget_that_makes_no_sense_is_refused_by_all_trainings(cylinder_data, function, name, value, message):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(ValueError, match=f"{function}: {message}"):
        getattr(rc.training, function)(cylinder_data, **{name: value})


@pytest.mark.parametrize(
    "kind", [rc.training.BodySettings, rc.training.FaceMapsSettings, rc.training.DifferentialSettings]
)
def test_the_published_method_has_settings_of_its_own_but_for_those_that_are_given(kind):
    word = "recipe" if kind is rc.training.DifferentialSettings else "method"
    plain, paper = kind(), kind(**{word: "paper"})
    differ = [name for name, value in asdict(plain).items() if value != asdict(paper)[name]]
    assert {word, "learning_rate"} < set(differ)
    given = asdict(kind(**{word: "paper", "learning_rate": 0.5}))
    assert given == asdict(paper) | {"learning_rate": 0.5}


@pytest.mark.parametrize(
    ("function", "words", "published"),
    [
        ("body", {"method": "paper"}, "its number of steps is not printed"),
        ("differential", {"recipe": "paper"}, "10,000 epochs, 40,000 steps of these rows"),
    ],
)
def test_the_method_of_a_paper_is_not_trained_by_the_default_budget(cylinder_data, function, words, published):
    """Of 700 rows a tenth is held out, so that an epoch has four batches of 128."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(ValueError, match=f"{function}: steps is None without minutes; it must be given.*{published}"):
        train_with(function, cylinder_data, **words)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": "hero.rwdata"}, "data is a str without skeleton, .*; it must be a data set"),
        ({"data": None}, "data is a NoneType without skeleton"),
        ({"device": 5}, "device is 5; it must be "),
        ({"device": "abacus"}, "device is 'abacus'; it must be "),
        ({"settings": {"hidden": 3}}, r"settings is a dict; it must be a rigcast\.training\.BodySettings"),
        ({"threads": -1}, r"threads is -1; it must be 0 \(all processors\) or more"),
        ({"threads": "all"}, r"threads is 'all'; it must be 0 \(all processors\) or more"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(cylinder_data, changes, message):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    arguments = {"data": cylinder_data, "steps": 1, **changes}
    with pytest.raises(ValueError, match=f"body: {message}"):
        rc.training.body(arguments.pop("data"), **arguments)


@pytest.mark.parametrize("threads", [2**31, 10**20, True])
def test_no_number_of_threads_is_refused_before_work(cylinder_data, threads):
    with pytest.raises(
        ValueError, match=r"body: threads is .*; it must be 0 \(all processors\) or more, up to 2147483647"
    ):
        train_with("body", cylinder_data, threads=threads)
