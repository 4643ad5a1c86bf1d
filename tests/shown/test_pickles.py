"""Everything that public functions return is pickled and copied; what cannot be says why in one sentence."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from tests.shown.filled import HANDLES, MADE, filled, records

RECORDS = dict(records())
WAYS = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "copy": copy.copy, "deepcopy": copy.deepcopy}


def alike(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(alike(vars(a)[name], vars(b)[name]) for name in vars(a))
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[name], b[name]) for name in a)
    return a == b


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_copied_with_all_fields(name):
    record = filled(RECORDS[name])
    for way in WAYS.values():
        assert alike(record, way(record))


@pytest.mark.parametrize("name", MADE)
def test_an_object_does_the_same_afterwards(name):
    make, measure = MADE[name]
    value = make()
    for way in WAYS.values():
        again = way(value)
        assert type(again) is type(value)
        assert measure(again) == measure(value)


@pytest.mark.parametrize("name", HANDLES)
def test_what_has_a_state_or_a_part_of_another_says_why_not(name):
    value = HANDLES[name]()
    for way in WAYS.values():
        with pytest.raises(TypeError, match=rf"^a {type(value).__name__} cannot be pickled or copied: it .*; pickle "):
            way(value)


def test_a_pickle_has_the_arguments_of_then():
    """Writing into an array afterwards changes neither the object nor its pickle."""
    import rigcast as rc

    faces, anchors = np.array([[0, 1, 2], [0, 2, 3]]), np.array([1])
    solver = rc.differential.Reconstructor(faces, 4, anchors)
    anchors[:] = 3
    assert pickle.loads(pickle.dumps(solver)).anchors.tolist() == [1]
