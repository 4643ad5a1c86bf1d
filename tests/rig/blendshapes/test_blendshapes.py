"""Blendshapes with corrections of any order against slow NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes
from tests.support.made.skinning import check_vjp


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("num_vertices", [60, 1300])
def test_evaluate_matches_numpy(seed, num_vertices, tolerance):
    arrays = random_arrays(num_vertices=num_vertices, seed=seed)
    rig = rc.BlendshapeRig(*arrays)
    weights = random_weights(rig, 5, seed)
    expected = np.stack([slow_blendshapes(*arrays, row) for row in weights])
    np.testing.assert_allclose(rig.evaluate(weights), expected, atol=tolerance["float32_sum"])


def test_weights_of_zero_give_the_neutral():
    neutral, deltas, combinations = random_arrays()
    rig = rc.BlendshapeRig(neutral, deltas, combinations[:6])  # the last one is not 0 at 0
    np.testing.assert_array_equal(rig.evaluate(np.zeros(7)), neutral)


def test_one_row_of_weights_gives_one_head():
    rig = random_rig()
    weights = random_weights(rig, 3)
    np.testing.assert_array_equal(rig.evaluate(weights[1]), rig.evaluate(weights)[1])


@pytest.mark.parametrize("seed", range(3))
def test_vjp_matches_finite_differences(seed, tolerance):
    rig = random_rig(seed=seed)
    rng = np.random.default_rng(seed)
    # Away from the corners of the tents by more than the step: 0, 0.25, 0.5, 0.75, 1.
    weights = (rng.integers(0, 4, (4, 7)) + rng.uniform(0.1, 0.9, (4, 7))) / 4
    check_vjp(rig, weights.astype(np.float32), tolerance)


def test_a_corner_of_a_tent_has_the_slope_of_larger_weights():
    rng = np.random.default_rng(0)
    neutral, deltas = rng.standard_normal((5, 3)), np.zeros((1, 5, 3))
    delta = np.zeros((5, 3))
    delta[2, 1] = 1.0
    rig = rc.BlendshapeRig(neutral, deltas, [((rc.Tent(0, 0.25, 0.5, 1.0),), delta)])
    weights = np.float32([[0.0], [0.25], [0.375], [0.5], [0.75], [1.0], [1.5]])
    slopes = rig.vjp(weights, np.ones((7, 5, 3)))[:, 0]
    np.testing.assert_array_equal(slopes, np.float32([0, 4, 4, -2, -2, 0, 0]))


def test_activations_and_columns_are_the_rig():
    arrays = random_arrays(num_vertices=700)
    rig = rc.BlendshapeRig(*arrays)
    _neutral, deltas, combinations = arrays
    np.testing.assert_array_equal(rig.columns(), np.stack([*deltas, *(delta for _, delta in combinations)]))
    np.testing.assert_array_equal(rig.column(3), deltas[3])
    assert rig.combinations == [factors for factors, _ in combinations]
    assert (rig.num_shapes, rig.num_columns) == (7, 14)
    weights = random_weights(rig, 4)
    activations = rig.activations(weights)
    np.testing.assert_array_equal(activations[:, :7], weights)
    np.testing.assert_array_equal(rig.activations(weights[2]), activations[2])


@pytest.mark.parametrize("seed", range(3))
def test_a_prefix_keeps_the_first_shapes_and_the_corrections_among_them(seed, tolerance):
    arrays = random_arrays(seed=seed)
    rig = rc.BlendshapeRig(*arrays)
    order = np.random.default_rng(seed).permutation(7)
    weights = random_weights(rig, 8, seed)
    lengths = np.arange(8)
    got = rig.evaluate(weights, order=order, prefix=lengths)
    for row, length, vertices in zip(weights, lengths, got, strict=True):
        expected = slow_blendshapes(*arrays, row, kept=order[:length])
        np.testing.assert_allclose(vertices, expected, atol=tolerance["float32_sum"])
        np.testing.assert_array_equal(rig.evaluate(row, order=order, prefix=length), vertices)
    np.testing.assert_array_equal(rig.evaluate(weights, prefix=7), rig.evaluate(weights))


@pytest.mark.parametrize("storage", ["float32", "int16"])
def test_a_saved_rig_is_the_same_rig(tmp_path, storage):
    rig = rc.BlendshapeRig(
        *random_arrays(),
        names=list("abcdefg"),
        bounds=np.tile([-0.5, 1.0], (7, 1)),
        faces=[[0, 1, 2], [2, 3, 4]],
        storage=storage,
        metadata={"constructed": ["a*b"], "meters_per_unit": 0.01},
    )
    rig.save(tmp_path / "rig.safetensors")
    loaded = rc.load(tmp_path / "rig.safetensors")
    assert isinstance(rig, rc.BlendshapeRig)
    assert isinstance(loaded, rc.BlendshapeRig)
    assert isinstance(loaded, rc.Deformer)
    assert loaded.kind == "blendshape"
    assert loaded.skeleton is None
    assert loaded.shape_names == loaded.control_names == list("abcdefg")
    assert loaded.combinations == rig.combinations
    assert loaded.constructed == ["a*b"]
    assert loaded.metadata == rig.metadata
    assert loaded.storage == storage
    np.testing.assert_array_equal(loaded.bounds, np.tile(np.float32([-0.5, 1.0]), (7, 1)))
    np.testing.assert_array_equal(loaded.faces, [[0, 1, 2, -1], [2, 3, 4, -1]])
    weights = random_weights(rig, 3)
    np.testing.assert_array_equal(loaded.evaluate(weights), rig.evaluate(weights))
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "rig.safetensors").read_bytes()
