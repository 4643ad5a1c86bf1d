"""Names of combinations: made of their factors', or the caller's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core


def named_rig(**metadata) -> rc.BlendshapeRig:
    delta = np.ones((2, 3))
    combinations = [((0, 1), delta), ((rc.Tent(0, 0.0, 0.25, 1.0), 1), delta), ((1, 0), delta), ((0, 1), delta)]
    return rc.BlendshapeRig(
        np.zeros((2, 3)), np.ones((2, 2, 3)), combinations, names=["smile", "jaw"], metadata=metadata
    )


def test_names_of_factors_stand_for_combinations_and_never_repeat():
    made = ["smile * jaw", "smile@0.25 * jaw", "jaw * smile", "smile * jaw (2)"]
    assert named_rig().column_names == ["smile", "jaw", *made]
    assert "combination_names" not in named_rig().metadata


def test_own_names_replace_them():
    own = ["a", "b", "c", "d"]
    assert named_rig(combination_names=own).column_names == ["smile", "jaw", *own]
    repeated = named_rig(combination_names=["a", "a", "jaw", "a"])
    assert repeated.column_names == ["smile", "jaw", "a", "a (2)", "jaw (2)", "a (3)"]


@pytest.mark.parametrize("wrong", [["a"], ["a", "b", "c", 4], "abcd", None])
def test_names_that_are_not_one_a_combination_are_refused(wrong):
    with pytest.raises(ValueError, match=r"metadata: combination_names is .* a list of 4 texts"):
        named_rig(combination_names=wrong)


def test_a_file_with_too_few_names_is_refused():
    rig = named_rig()
    about = json.dumps(rig.metadata | {"combination_names": ["a"]})
    with pytest.raises(ValueError, match="combination_names is 1 long; it must be 4 long"):
        _core.model_from_tensors(rig.tensors(), about)


def test_constructed_correctives_name_themselves_beside_own_names():
    grid = np.stack([*np.meshgrid(np.arange(3.0), np.arange(3.0)), np.zeros((3, 3))], axis=-1).reshape(-1, 3)
    corner = np.arange(9).reshape(3, 3)
    faces = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], axis=-1).reshape(-1, 4)
    deltas = np.random.default_rng(0).normal(size=(2, 9, 3))
    about = {"combination_names": ["fix"]}
    rig = rc.BlendshapeRig(grid, deltas, [((0, 1), deltas[0])], names=["a", "b"], faces=faces, metadata=about)
    made = rc.faces.constructed_correctives(rig, [((rc.Tent(0, 0.0, 0.5, 1.0)),), (0, 1)])
    assert made.column_names == ["a", "b", "fix", "a@0.5", "a * b"]
    assert made.constructed == ["a@0.5", "a * b"]
