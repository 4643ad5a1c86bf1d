"""Wrong input to a blendshape rig is refused with a sentence that names it; damaged files too."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigcast as rc
from rigcast import _core
from tests.support.damage import damaged_tensors, replaced, without_missing
from tests.support.made.blendshapes import random_arrays, random_rig

NEUTRAL, DELTAS, _ = random_arrays()
DELTA = np.ones((60, 3))
NAN = np.where(np.arange(60)[:, None] == 3, np.nan, DELTA)

ARGUMENTS = [
    ({"neutral": NEUTRAL[:50]}, r"deltas is float32 \(7, 60, 3\); it must be numbers \(K, 50, 3\)"),
    ({"neutral": NAN}, "neutral is not finite everywhere"),
    ({"neutral": np.zeros((0, 3)), "deltas": np.zeros((1, 0, 3))}, "neutral is empty"),
    ({"deltas": DELTAS[:0]}, "deltas is empty"),
    ({"deltas": [NAN]}, "deltas is not finite everywhere"),
    ({"deltas": np.full((1, 60, 3), 1e300)}, "deltas is not finite everywhere"),
    ({"deltas": [[1, 2], [3]]}, "deltas is a ragged list"),
    ({"deltas": np.full((1, 60, 3), "a")}, "deltas is <U1"),
    ({"combinations": [((0, 1), DELTA[:50])]}, r"combinations\[0\] delta is float64 \(50, 3\)"),
    ({"combinations": [((0, 1), NAN)]}, r"combinations\[0\] delta is not finite"),
    ({"combinations": [((0, 7), DELTA)]}, r"combinations\[0\] is a factor over shape 7; it must be shapes 0 to 6"),
    ({"combinations": [((0, -1), DELTA)]}, r"combinations\[0\] is a factor over shape -1"),
    ({"combinations": [((0, 1.5), DELTA)]}, r"combinations\[0\] is a factor over shape 1.5"),
    ({"combinations": [((0, True), DELTA)]}, r"combinations\[0\] is a factor over shape True"),
    ({"combinations": [((2, 1, 2), DELTA)]}, r"combinations\[0\] is a product over shapes \[2, 1, 2\]; .* each shape"),
    ({"combinations": [((rc.Tent(2, 0, 0.5, 1), 2), DELTA)]}, r"product over shapes \[2, 2\]"),
    ({"combinations": [((3,), DELTA)]}, r"combinations\[0\] is a product of 1 factors"),
    ({"combinations": [((), DELTA)]}, r"combinations\[0\] is a product of 0 factors"),
    ({"combinations": [((rc.Tent(0, 0.5, 0.5, 1),), DELTA)]}, "it must be a tent with x1 < x2 < x3"),
    ({"combinations": [((rc.Tent(0, 0.5, 0.2, 1),), DELTA)]}, "it must be a tent with x1 < x2 < x3"),
    ({"combinations": [((rc.Tent(0, 0, 0.5, np.inf),), DELTA)]}, "it must be a tent with x1 < x2 < x3"),
    ({"combinations": [((rc.Tent(7, 0, 0.5, 1),), DELTA)]}, "a factor over shape 7"),
    ({"combinations": [(0, 1, DELTA)]}, r"combinations\[0\] is a tuple; it must be a pair"),
    ({"combinations": [3]}, r"combinations\[0\] is a int; it must be a pair"),
    ({"combinations": None}, "combinations is a NoneType; it must be a sequence"),
    ({"combinations": [((rc.Tent(0, "a", 0.5, 1),), DELTA)]}, "x1='a'.*; it must be a tent with"),
    ({"bounds": (1, 0)}, r"bounds is \[1.0, 0.0\] for shape 0; it must be the lower bound first"),
    ({"bounds": np.zeros((6, 2))}, r"bounds is float64 \(6, 2\)"),
    ({"bounds": (0, np.nan)}, "bounds is not finite"),
    ({"bounds": [(0, 1), (0,)]}, "bounds is a ragged list"),
    ({"names": 5}, "names is a int; it must be a sequence"),
    ({"names": ["a"]}, "names is 1 long; it must be 7 texts"),
    ({"names": list("abcdefa")}, "names is holding 'a' more than once"),
    ({"faces": [[0, 1, 60]]}, "faces is out of range somewhere"),
    ({"faces": [[0, 1, 2**32 + 2]]}, r"faces is 4294967298 at \(0, 2\); it must be integers .* to 2147483647"),
    ({"storage": "float8"}, "storage is 'float8'"),
    ({"metadata": {"up_axis": "W"}}, "up_axis is 'W'"),
    ({"metadata": "all"}, "metadata is a str; it must be a mapping"),
    ({"metadata": {"mean": np.zeros(3)}}, "metadata is no JSON .*; it must be what JSON can hold"),
    ({"metadata": {"mean": np.nan}}, "metadata is no JSON"),
    ({"metadata": {"constructed": "all"}}, "constructed is 'all'; it must be a list of names"),
]


@pytest.mark.parametrize(("changes", "text"), ARGUMENTS, ids=[text for _, text in ARGUMENTS])
def test_a_wrong_argument_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        rc.BlendshapeRig(**{"neutral": NEUTRAL, "deltas": DELTAS, **changes})


CALLS = [
    ({"weights": np.zeros((2, 6))}, "evaluate: weights is 6 wide; it must be 7 wide: the numeric controls"),
    ({"weights": np.full((2, 7), np.nan)}, "weights is not finite everywhere"),
    ({"order": range(7)}, "prefix is None; it must be a number of shapes"),
    ({"order": [0, 1, 2, 3, 4, 5, 5], "prefix": 2}, "order is holding 5; it must be each shape once"),
    ({"order": [0, 1, 2, 3, 4, 5, 7], "prefix": 2}, "order is holding 7"),
    ({"order": [0, 1, 2], "prefix": 2}, r"order is \(3,\); it must be \(7,\)"),
    ({"prefix": 8}, "prefix is 8; it must be 0 to 7"),
    ({"prefix": -1}, "prefix is -1"),
    ({"prefix": 1.5}, "prefix is float64"),
    ({"prefix": [1, 2, 3]}, r"prefix is \(3,\); it must be \(2,\)"),
    ({"prefix": 3, "out": np.zeros((2, 60, 3))}, "out is float64"),
    ({"device": "abacus"}, "device is 'abacus'"),
    ({"device": "abacus", "prefix": 3}, "device is 'abacus'"),
]


@pytest.mark.parametrize(("arguments", "text"), CALLS, ids=[text for _, text in CALLS])
def test_a_wrong_call_is_named(arguments, text):
    rig = random_rig()
    with pytest.raises(ValueError, match=text):
        rig.evaluate(**{"weights": np.zeros((2, 7)), **arguments})


def test_numbers_that_do_not_fit_are_refused_where_warnings_are_errors():
    rig = random_rig()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (rig.evaluate, rig.activations):
            with pytest.raises(ValueError, match=r"weights is float64 .* with numbers that do not fit"):
                call(np.full((2, 7), 1e300))


def test_columns_out_of_range_are_refused():
    rig = random_rig()
    for n in (-1, 14):
        with pytest.raises(ValueError, match=f"column: n is {n}; it must be a column below 14"):
            rig.column(n)


TENSORS = {storage: random_rig(storage=storage).tensors() for storage in ("float32", "int16")}
METADATA = json.dumps(random_rig().metadata)


FLOAT32, INT16 = TENSORS["float32"], TENSORS["int16"]

FILES = [
    ({"blendshape.delta": None}, "without tensor 'blendshape.delta'"),
    ({"blendshape.delta": FLOAT32["blendshape.delta"][1:]}, r"blendshape.delta is F32\["),
    (replaced(FLOAT32, "blendshape.delta", 5, np.nan), "blendshape.delta is not finite"),
    (replaced(FLOAT32, "blendshape.factor.shape", 0, 7), "correction 0 is 7; it must be a shape below 7"),
    (replaced(FLOAT32, "blendshape.factor.shape", 0, -1), "correction 0 is -1"),
    (replaced(FLOAT32, "blendshape.factor.shape", 0, int(FLOAT32["blendshape.factor.shape"][1])), "shape . twice"),
    (replaced(FLOAT32, "blendshape.factor.tent", (0, 0), 5.0), "tent of correction 0 is 5"),
    (replaced(FLOAT32, "blendshape.factor.offset", 1, 1), "correction 0 is 1 drivers"),
    (replaced(FLOAT32, "blendshape.factor.offset", 0, 1), "blendshape.factor.offset is not ascending from 0"),
    ({"blendshape.factor.offset": np.zeros(0, np.int32)}, "blendshape.factor.offset is empty"),
    (replaced(FLOAT32, "blendshape.group.vertex", 0, 60), "blendshape.group.vertex is holding 60"),
    (replaced(FLOAT32, "blendshape.group.vertex", 0, -1), "blendshape.group.vertex is holding -1"),
    (
        replaced(FLOAT32, "blendshape.group.vertex", 0, int(FLOAT32["blendshape.group.vertex"][1])),
        "each vertex at most once",
    ),
    (replaced(FLOAT32, "blendshape.group.offset", 1, 0), "group 0 is empty; it must be one vertex or more"),
    (replaced(FLOAT32, "blendshape.group.offset", -1, 10**9), "blendshape.group.offset is not ascending from 0"),
    (replaced(FLOAT32, "blendshape.group.columns", 0, -1), "beyond the last column; it must be bits below 14"),
    (replaced(FLOAT32, "blendshape.group.columns", 1, 0), r"blendshape.delta is F32\["),
    (replaced(FLOAT32, "control_ranges", (2, 0), 3.0), "control_ranges of shape 2"),
]


@pytest.mark.parametrize(("changes", "text"), FILES, ids=[text for _, text in FILES])
def test_what_is_wrong_with_a_file_is_named(changes, text):
    tensors = without_missing(FLOAT32, changes)
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(tensors, METADATA)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (replaced(INT16, "blendshape.scale", 3, -1.0), "blendshape.scale is negative"),
        ({"blendshape.scale": np.ones(3, np.float32)}, r"blendshape.scale is F32\[3\]"),
        ({"blendshape.delta16": np.ones(3, np.int32)}, r"blendshape.delta16 is I32\[3\]"),
    ],
)
def test_what_is_wrong_with_sixteen_bits_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(INT16 | changes, METADATA)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joint_names": ["root"]}, "skeleton"),
        ({"numeric_controls": list("abcdefa")}, "'a' twice"),
        ({"numeric_controls": []}, r"control_ranges is F32\[7, 2\]"),
        ({"constructed": 5}, "metadata.constructed is not a list of names"),
    ],
)
def test_what_is_wrong_with_the_metadata_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(FLOAT32, json.dumps({**json.loads(METADATA), **changes}))


INTEGERS = st.sampled_from([-(2**31), -1, 0, 1, 7, 59, 60, 2**14 - 1, 2**31 - 1])
FLOATS = st.sampled_from([np.nan, np.inf, 1e38, -1.0, 0.0, 0.5])


@settings(max_examples=300)
@given(st.sampled_from([FLOAT32, INT16]).flatmap(lambda good: damaged_tensors(good, INTEGERS, FLOATS)))
def test_mutated_rigs_are_refused_or_work(tensors):
    refusal = None
    try:
        rig = _core.model_from_tensors(tensors, METADATA)
    except ValueError as error:
        refusal = str(error)
    if refusal is not None:
        assert refusal.startswith(("load:", "TensorFile.add:", "model_from_tensors:"))
        return
    weights = np.full((20, 7), 0.5, np.float32)
    try:
        vertices = rig.evaluate(weights)
    except ValueError as error:
        assert "overflow" in str(error)
        assert max(np.abs(t).max(initial=0) for t in tensors.values() if t.dtype == np.float32) > 1e30
        return
    assert vertices.shape == (20, len(rig.rest_vertices), 3)  # a vertex more is one that nothing moves
    assert rig.evaluate(weights[0]).tobytes() == vertices[0].tobytes()
    assert rig.vjp(weights, np.ones_like(vertices)).shape == weights.shape
