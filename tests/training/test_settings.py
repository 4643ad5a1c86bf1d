"""Settings that make no sense are refused before any training, not after it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._settings import settings_for


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("minutes", math.inf, "minutes is inf; it must be a finite number not below 0"),
        ("minutes", math.nan, "minutes is nan; it must be a finite number"),
        ("tau", math.inf, "tau is inf; it must be a finite number not below 1"),
        ("learning_rate", math.inf, "learning_rate is inf; it must be a finite number"),
        ("border", "wide", "border is 'wide'; it must be a finite number"),
        ("seed", -1, "seed is -1; it must be a finite number not below 0"),
        ("seed", True, "seed is True; it must be a whole number"),
        ("steps", 2.5, "steps is 2.5; it must be a whole number"),
        ("holdout", "a part", "holdout is 'a part'; it must be a part between 0 and 1"),
        ("holdout", 1.0, "holdout is 1.0; it must be a part between 0 and 1"),
        ("compact_rotations", "no", "compact_rotations is 'no'; it must be True or False"),
        ("depth", 3, "depth is an unknown setting"),
    ],
)
def test_what_makes_no_sense_is_refused(name, value, message):
    with pytest.raises(ValueError, match=f"body: {message}"):
        settings_for("blended", **{name: value})


def test_numbers_of_numpy_are_numbers():
    settings = settings_for("blended", seed=np.int64(3), minutes=np.float32(0.5), compact_rotations=np.bool_(False))
    assert (settings.seed, settings.minutes, settings.compact_rotations) == (3, 0.5, False)
    json.dumps(settings.record(), allow_nan=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ds": "hero.rwdata"}, "ds is a str without skeleton, .*; it must be a data set"),
        ({"ds": None}, "ds is a NoneType without skeleton"),
        ({"device": 5}, "device is 5; it must be "),
        ({"device": "abacus"}, "device is 'abacus'; it must be "),
        ({"threads": -1}, r"threads is -1; it must be 0 \(all processors\) or more"),
        ({"threads": "all"}, r"threads is 'all'; it must be 0 \(all processors\) or more"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(cylinder_data, changes, message):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    arguments = {"ds": cylinder_data, "steps": 1, **changes}
    with pytest.raises(ValueError, match=f"body: {message}"):
        rc.training.body(arguments.pop("ds"), **arguments)
