"""Blendshapes by the sparse product of a library: the vertices, prefixes and derivatives of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes


def evaluate(on_device, weights, num_vertices, **prefix):
    out = np.full((len(weights), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(weights, out, **prefix)
    return out


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("num_vertices", [60, 1100])  # a part of a window, and three windows
@pytest.mark.parametrize("heads", [1, 70])
def test_vertices_are_those_of_slow_sums(library_lane, tolerance, storage, num_vertices, heads):
    arrays = random_arrays(num_vertices)
    rig = rc.BlendshapeRig(*arrays, storage=storage)
    weights = random_weights(rig, heads)
    result = evaluate(library_lane.ResidentModel(rig, libraries=True), weights, num_vertices)
    stored = arrays if storage == "float32" else (arrays[0], *stored_arrays(rig, arrays))
    expected = np.stack([slow_blendshapes(*stored, row) for row in weights])
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"])


def stored_arrays(rig, arrays):
    """Deltas and combinations as int16 stores them."""
    columns = rig.columns().reshape(rig.num_columns, -1, 3)
    num_shapes = len(arrays[1])
    factors = [drivers for drivers, _ in arrays[2]]
    return columns[:num_shapes], list(zip(factors, columns[num_shapes:], strict=True))


def test_prefixes_are_honored_in_any_order_and_chunk(library_lane, tolerance):
    rig = random_rig(num_vertices=200)
    weights = random_weights(rig, 150)
    whole = library_lane.ResidentModel(rig, libraries=True)
    for seed in (0, 1, 0):
        rng = np.random.default_rng(seed)
        order, lengths = rng.permutation(7).astype(np.int32), rng.integers(0, 8, 150).astype(np.int32)
        expected = rig.evaluate(weights, order=order, prefix=lengths)
        for on_device in (whole, library_lane.ResidentModel(rig, libraries=True, workspace=60_000)):
            result = evaluate(on_device, weights, 200, order=order, lengths=lengths)
            np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"])
    np.testing.assert_allclose(evaluate(whole, weights, 200), rig.evaluate(weights), atol=tolerance["float32_sum"])


def test_batches_of_any_size_follow_each_other(library_lane, tolerance):
    rig = random_rig()
    weights = random_weights(rig, 40)
    on_device = library_lane.ResidentModel(rig, libraries=True)
    for count in (40, 1, 7, 40):  # each one is another product to the library
        result = evaluate(on_device, weights[:count], 60)
        np.testing.assert_allclose(result, rig.evaluate(weights[:count]), rtol=0, atol=tolerance["float32_sum"])
    assert evaluate(on_device, weights[:0], 60).shape == (0, 60, 3)


def test_derivatives_are_those_of_the_cpu(library_lane, tolerance):
    rig = random_rig(num_vertices=90)
    weights = random_weights(rig, 5)
    tangents = np.random.default_rng(1).standard_normal(weights.shape).astype(np.float32)
    on_device = library_lane.ResidentModel(rig, libraries=True, workspace=20_000)
    along = np.full((5, 90, 3), np.nan, np.float32)
    on_device.jvp(weights, tangents, along)
    np.testing.assert_allclose(along, rig.jvp(weights, tangents), rtol=0, atol=tolerance["float32_sum"])
    jacobian = np.full((5, 270, 7), np.nan, np.float32)
    on_device.jacobian(weights, jacobian)
    np.testing.assert_allclose(jacobian, rig.jacobian(weights), rtol=0, atol=tolerance["float32_sum"])


def test_restricted_rigs_have_the_vertices_of_the_whole(library_lane, tolerance):
    rig = random_rig(num_vertices=90)
    weights, chosen = random_weights(rig, 5), [80, 3, 89, 3]
    few = library_lane.ResidentModel(rig, libraries=True).restricted(chosen)
    np.testing.assert_allclose(
        evaluate(few, weights, 4), rig.evaluate(weights)[:, chosen], rtol=0, atol=tolerance["float32_sum"]
    )


def test_a_head_is_one_sparse_product_of_the_library(emulated_lane):
    """Sums of the emulated library are double: bytes that differ from our own kernel's show that it was used."""
    rig = random_rig(num_vertices=500)
    weights = random_weights(rig, 30)
    own, library = (evaluate(emulated_lane.ResidentModel(rig, libraries=given), weights, 500) for given in (0, 1))
    assert own.tobytes() != library.tobytes()


def test_dense_offsets_are_refused_by_name(library_lane):
    with pytest.raises(ValueError, match="dense is chosen together with libraries; it must be left out"):
        library_lane.ResidentModel(random_rig(), libraries=True, dense=True)
