"""Damaged models are refused with a sentence that names the tensor, or they work: never a crash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigcast import _core
from tests.support.damage import damaged_tensors, replaced, without_missing
from tests.support.made.models import random_body_tensors, random_poses

TENSORS, METADATA = random_body_tensors(num_vertices=30)


def wrong_weights():
    weight = TENSORS["sets.weight"].copy()
    weight[np.flatnonzero(TENSORS["sets.vertex"] == 7)] *= 0.5
    return {"sets.weight": weight}


CASES = [
    ({"sets.joint": None}, "without tensor 'sets.joint'"),
    (replaced(TENSORS, "sets.joint", 2, 6), "sets.joint is holding 6; it must be joints below 6"),
    (replaced(TENSORS, "sets.joint", 2, -1), "sets.joint is holding -1"),
    (replaced(TENSORS, "sets.vertex", 0, 30), "sets.vertex is holding 30; it must be vertices below 30"),
    (replaced(TENSORS, "sets.vertex", 1, int(TENSORS["sets.vertex"][0])), "sets.vertex is not ascending inside set 0"),
    (replaced(TENSORS, "sets.weight", 3, -0.5), "sets.weight is holding -0.5"),
    (replaced(TENSORS, "sets.weight", 3, np.nan), "sets.weight is not finite"),
    (wrong_weights(), "sets.weight at vertex 7 is of sum 0.5"),
    (replaced(TENSORS, "sets.offset", 0, 1), "sets.offset is not ascending from 0"),
    (replaced(TENSORS, "sets.offset", 2, 10**9), "sets.offset is not ascending from 0"),
    (replaced(TENSORS, "inputs.offset", -1, 3), "inputs.offset is not ascending from 0"),
    (replaced(TENSORS, "inputs.column", 0, 74), "inputs.column is holding 74; it must be pose columns below 74"),
    ({"inputs.column": np.int32([])}, "inputs.offset is not ascending from 0 to 0"),
    ({"set.000.layer1.weight": None}, "without tensor 'set.000.layer1.weight'"),
    ({"set.000.layer1.weight": TENSORS["set.000.layer1.weight"][:, 1:]}, r"set.000.layer1.weight is F32\["),
    ({"set.000.layer1.weight": TENSORS["set.000.layer1.weight"][:0]}, "set.000.layer1.bias"),
    ({"set.000.layer2.bias": TENSORS["set.000.layer2.bias"][1:]}, r"set.000.layer2.bias is F32\[22\]"),
    ({"set.000.layer3.weight": TENSORS["set.000.layer3.weight"][1:]}, r"set.000.layer3.weight is F32\[6, 23\]"),
    ({"set.000.basis": TENSORS["set.000.basis"][1:]}, r"set.000.basis is F32\["),
    ({"set.000.basis": TENSORS["set.000.basis"].astype(np.int32)}, r"set.000.basis is I32\["),
    ({"set.001.basis": np.zeros((len(TENSORS["set.001.mean"]), 2), np.float32)}, r"set.001.basis is F32\["),
    ({"set.004.mean": np.zeros(1, np.float32)}, r"set.004.mean is F32\[1\]"),
    (replaced(TENSORS, "set.004.mean", 0, np.inf), "set.004.mean is not finite"),
]


@pytest.mark.parametrize(("changes", "text"), CASES, ids=[text for _, text in CASES])
def test_what_is_wrong_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(without_missing(TENSORS, changes), METADATA)


def test_a_layer_without_rows_is_refused():
    changes = {
        "set.000.layer1.weight": TENSORS["set.000.layer1.weight"][:0],
        "set.000.layer1.bias": np.zeros(0, np.float32),
        "set.000.layer2.weight": TENSORS["set.000.layer2.weight"][:, :0],
    }
    with pytest.raises(ValueError, match=r"set.000.layer1.weight is without rows"):
        _core.model_from_tensors(without_missing(TENSORS, changes), METADATA)


INTEGERS = st.one_of(st.sampled_from([-(2**31), -1, 0, 1, 2, 29, 30, 74, 2**31 - 1]), st.integers(-5, 100))
FLOATS = st.one_of(st.sampled_from([np.nan, np.inf, 1e38, -1e38, 1e-45, 0.0]), st.floats(-2, 2, width=32))


@settings(max_examples=400)
@given(damaged_tensors(TENSORS, INTEGERS, FLOATS))
def test_mutated_models_are_refused_or_work(tensors):
    refusal = None
    try:
        model = _core.model_from_tensors(tensors, METADATA)
    except ValueError as error:
        refusal = str(error)
    if refusal is not None:
        assert refusal.startswith(("load:", "Skeleton:", "TensorFile.add:", "model_from_tensors:"))
        return
    poses = random_poses(model.skeleton, 2, numeric=2)
    try:
        vertices = model.evaluate(poses)
        gradients = model.vjp(poses, np.ones_like(vertices))
    except ValueError as error:
        assert "overflow" in str(error)  # constants so large that no pose has finite vertices
        return
    assert np.isfinite(vertices).all()
    assert gradients.shape == poses.shape
