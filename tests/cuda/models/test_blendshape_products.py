"""The product of blendshapes on the device: beside float64, in teams of every shape, at every place in memory."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.test_device_arrays import ByInterface
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes

# Windows have 256 vertices, tiles 16, steps 16 rows, teams 8 to 32 heads; sizes lie on, beside and far from these.
SIZES = [(1, 1), (7, 15), (8, 256), (9, 257), (16, 85), (17, 300), (31, 512), (33, 86), (70, 601)]


def evaluated(on_device, weights, num_vertices, **prefix):
    out = np.full((len(weights), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(weights, out, **prefix)
    return out


def slow(model, combinations, weights, order=None, lengths=None):
    """Vertices in float64 from the offsets that the rig stores."""
    columns = model.columns().astype(np.float64)
    products = [(factors, columns[model.num_shapes + c]) for c, (factors, _) in enumerate(combinations)]
    kept = [None] * len(weights) if order is None else [order[:length] for length in lengths]
    neutral = np.asarray(model.rest_vertices, np.float64)
    rows = zip(weights, kept, strict=True)
    return np.stack([slow_blendshapes(neutral, columns[: model.num_shapes], products, w, k) for w, k in rows])


@pytest.mark.parametrize("with_prefixes", [False, True])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize(("heads", "num_vertices"), SIZES)
def test_vertices_are_those_of_float64(lane, heads, num_vertices, storage, dense, with_prefixes, tolerance):
    sizes = {"num_vertices": num_vertices, "num_shapes": 37, "seed": heads, "reach": 0.3}
    model, (_, _, combinations) = random_rig(storage=storage, **sizes), random_arrays(**sizes)
    weights, rng, prefix = random_weights(model, heads, seed=3), np.random.default_rng(heads), {}
    if with_prefixes:
        prefix = {"order": rng.permutation(37).astype(np.int32), "lengths": rng.integers(0, 38, heads).astype(np.int32)}
    expected = slow(model, combinations, weights, **prefix)
    result = evaluated(lane.ResidentModel(model, dense), weights, num_vertices, **prefix)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"] * np.abs(expected).max())


@pytest.mark.parametrize("num_vertices", [60, 301, 600])  # one window, two and three: teams have other shapes
@pytest.mark.parametrize(("storage", "num_shapes"), [("float32", 37), ("int16", 11)])
def test_a_head_has_the_same_bytes_alone_and_in_teams_of_any_shape(lane, num_vertices, storage, num_shapes):
    model = random_rig(num_vertices=num_vertices, num_shapes=num_shapes, storage=storage)
    weights, on_device = random_weights(model, 64), lane.ResidentModel(model)
    alone = np.concatenate([evaluated(on_device, row[None], num_vertices) for row in weights])
    for heads in (*range(1, 41), 48, 57, 64):
        assert evaluated(on_device, weights[:heads], num_vertices).tobytes() == alone[:heads].tobytes(), heads
        again = evaluated(on_device, weights[-heads:], num_vertices)  # few heads are recorded when they come twice
        assert again.tobytes() == alone[-heads:].tobytes(), heads


@pytest.mark.parametrize("num_vertices", [60, 600])
def test_a_prefix_has_the_same_bytes_beside_any_other(lane, num_vertices):
    model = random_rig(num_vertices=num_vertices, num_shapes=37)
    weights, on_device, rng = random_weights(model, 40), lane.ResidentModel(model), np.random.default_rng(1)
    order, lengths = rng.permutation(37).astype(np.int32), rng.integers(0, 38, 40).astype(np.int32)

    def of(rows):
        return evaluated(on_device, weights[rows], num_vertices, order=order, lengths=lengths[rows])

    alone = np.concatenate([of(slice(t, t + 1)) for t in range(40)])
    for heads in (2, 5, 8, 9, 16, 17, 24, 25, 33, 40):
        rows = rng.permutation(40)[:heads]
        assert of(rows).tobytes() == alone[rows].tobytes(), heads


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("heads", [5, 13, 23, 31])
def test_whole_numbers_are_exact(lane, heads, dense):
    """Each offset of 14 bits is told apart: a number that a lane takes from a wrong place shows, even a small one."""
    rng = np.random.default_rng(heads)
    deltas = rng.integers(-9000, 9000, (40, 777, 3)) * (rng.random((40, 777, 1)) < 0.4)
    neutral = rng.integers(-9000, 9000, (777, 3))
    weights = rng.integers(-3, 4, (heads, 40))
    weights[:3] = np.eye(40, dtype=int)[[0, 17, 39]]
    expected = neutral + np.einsum("tk,kvi->tvi", weights, deltas)
    on_device = lane.ResidentModel(rc.BlendshapeRig(neutral, deltas), dense)
    np.testing.assert_array_equal(evaluated(on_device, weights.astype(np.float32), 777), expected)


def test_more_columns_than_a_team_computes_itself(lane, tolerance):
    sizes = {"num_vertices": 20, "num_shapes": 1100, "reach": 0.05}
    model, (_, _, combinations) = random_rig(**sizes), random_arrays(**sizes)
    weights = random_weights(model, 9)
    expected = slow(model, combinations, weights)
    on_device = lane.ResidentModel(model)
    for heads in (1, 9):
        result = evaluated(on_device, weights[:heads], 20)
        bound = tolerance["float32_sum"] * np.abs(expected).max()
        np.testing.assert_allclose(result, expected[:heads], rtol=0, atol=bound)


@pytest.mark.parametrize("heads", [3, 20])  # activations in the product, and before it
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_spoils_its_own_head_alone(emulated_lane, bad, heads):
    model = random_rig(num_vertices=300)
    weights = random_weights(model, heads)
    clean = np.from_dlpack(model.evaluate_on_device(ByInterface(weights), device="cuda"))
    with pytest.raises(ValueError, match="evaluate"):
        model.evaluate(np.where(np.arange(7) == 2, bad, weights).astype(np.float32), device="cuda")
    weights[1, 2] = bad
    spoiled = np.from_dlpack(model.evaluate_on_device(ByInterface(weights), device="cuda"))
    others = np.arange(heads) != 1
    assert spoiled[others].tobytes() == clean[others].tobytes()
    moved = np.any(model.columns()[2] != 0, axis=-1)
    assert moved.any()
    assert not np.isfinite(spoiled[1, moved]).any()


@pytest.mark.parametrize("heads", [1, 20])
def test_weights_on_the_device_are_all_that_a_call_needs(emulated_lane, heads):
    model = random_rig(num_vertices=300)
    weights = random_weights(model, heads)
    order, lengths = np.arange(7)[::-1].astype(np.int32), np.full(heads, 3, np.int32)
    model.evaluate_on_device(ByInterface(weights), device="cuda")
    model.evaluate(weights, device="cuda", order=order, prefix=lengths)  # uses an order of its own
    expected = np.from_dlpack(model.evaluate_on_device(ByInterface(weights), device="cuda")).tobytes()
    before = emulated_lane.bytes_to_device()
    again = np.from_dlpack(model.evaluate_on_device(ByInterface(weights), device="cuda"))
    assert emulated_lane.bytes_to_device() == before
    assert again.tobytes() == expected
    assert again.tobytes() == model.evaluate(weights, device="cuda").tobytes()
