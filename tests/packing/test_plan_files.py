"""Plans as files, and arguments that are wrong."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import rigcast as rc
from tests.packing import oracles

pack = rc.transfer.pack_expressions


@pytest.mark.parametrize("kind", ["plain", "limited"])
def test_a_saved_plan_comes_back(tmp_path, kind):
    neutral, shapes, faces = oracles.random_shapes(8, 7)
    plan = pack(neutral, shapes, faces, limit=None if kind == "plain" else 1, names=[f"ünit {k}" for k in range(7)])
    plan.save(tmp_path / "plan.json")
    again = rc.transfer.ExpressionPlan.load(tmp_path / "plan.json")
    arrays = {"active", "importance"}
    for name in arrays:
        assert np.array_equal(getattr(plan, name), getattr(again, name))
    for item in dataclasses.fields(plan):
        assert item.name in arrays or getattr(plan, item.name) == getattr(again, item.name), item.name


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"kind": "rigcast expression plan", "version": 2}', "\x00"])
def test_a_file_that_is_no_plan(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(ValueError, match="no expression plan"):
        rc.transfer.ExpressionPlan.load(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expressions": [[0, 99]]}, "expressions with shape 99, of shapes from 0 to 6"),
        ({"expressions": [[-1]]}, "expressions with shape -1"),
        ({"expressions": [["abc"]]}, "expressions with shape 'abc'"),
        ({"expressions": [[1.5]]}, "expressions with shape 1.5"),
        ({"expressions": [[True]]}, "expressions with shape True"),
        ({"expressions": [3]}, "not iterable"),
        ({"groups": [[0, 7]]}, "groups with shape 7"),
        ({"clique": [8]}, "clique with shape 8"),
        ({"empty": [-2]}, "empty with shape -2"),
        ({"uncovered": [9]}, "uncovered with shape 9"),
        ({"pairs": [{"first": 0, "second": 12, "kind": "shape", "error": 0.0}]}, "pairs with shape 12"),
        ({"names": ["a", "b"]}, "of shapes from 0 to 1"),
        ({"names": "abcdefg"}, "no list of texts"),
        ({"names": [1] * 7}, "no list of texts"),
        ({"best": []}, "0 entries in best"),
        ({"importance": [1.0]}, "importance"),
    ],
)
def test_a_plan_of_shapes_that_are_not_there(tmp_path, change, words):
    """Edited by hand, or cut: never a shape counted from the end, never an error of another kind."""
    neutral, shapes, faces = oracles.random_shapes(8, 7)
    values = pack(neutral, shapes, faces).as_dict()
    (tmp_path / "plan.json").write_text(json.dumps(values | change))
    with pytest.raises(ValueError, match="is no expression plan") as error:
        rc.transfer.ExpressionPlan.load(tmp_path / "plan.json")
    assert words in str(error.value)


WRONG = {
    "neutral": [np.zeros((4, 2)), np.full((81, 3), np.nan), np.array([["a"] * 3])],
    "shapes": [np.zeros((2, 80, 3)), np.full((2, 81, 3), np.inf), np.full((2, 81, 3), 1e200), [[1], [1, 2]]],
    "faces": [np.zeros((3, 5), int), np.full((3, 3), 81), np.full((3, 3), -2), np.zeros((3, 3))],
    "target_neutral": [np.zeros((80, 3)), np.full((81, 3), np.nan)],
    "threshold": [-0.1, 1.1, float("nan"), "x", None, True, np.array([0.3, 0.4])],
    "alpha": [-0.1, 1.1, float("nan")],
    "beta": [-1.0, float("inf"), 10.5],
    "overlap": [-0.1, 1.0, 0.1],
    "method": ["cplex"],
    "limit": [0, 1.5, True],
    "node_limit": [0],
    "names": [["a"], "abcdef"],
    "reject": [[[0]], [[0, 99]], [[-1, 2]], [0], [["a"]], [[]], [[1, 1]], 3, "ab", None],
    "reject_at": [[[0]], 3, {-1: [0]}, {0: [99]}, {0: list(range(6))}, {0: 1}, {True: [0]}, {"a": [0]}],
    "without": [[6], [-1], ["a"], [0.5], 1, list(range(6))],
    "motion_areas": [
        None,
        3,
        {"a": 1},
        [1],
        [([0], [1], [2])],
        [([0], [81])],
        [(np.ones(80, bool), [1])],
        [([0.5], [1])],
    ],
}


@pytest.mark.parametrize(("argument", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_wrong_arguments_are_named(argument, value):
    neutral, shapes, faces = oracles.random_shapes(0, 6)
    arguments = {"neutral": neutral, "shapes": shapes, "faces": faces} | {argument: value}
    with pytest.raises(ValueError, match=f"pack_expressions: {argument} is .*; it must be "):
        pack(**arguments)


def test_offsets_instead_of_positions_are_refused():
    neutral, shapes, faces = oracles.random_shapes(0, 6, part=0.01)
    with pytest.raises(ValueError, match=r"neutral \+ offsets"):
        pack(neutral, shapes - neutral, faces)
