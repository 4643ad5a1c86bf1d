"""Products in blocks of every shape: the formula, the same bytes in all of them, and the table of their times."""

from __future__ import annotations

import argparse
import json
from types import ModuleType

import numpy as np
import pytest
from benchmarks.systems.cuda import tiles
from benchmarks.systems.cuda.gpus import H100
from benchmarks.systems.cuda.script import AbsentError

from tests.cuda.operation import normal
from tests.cuda.operations import kernel

SLOPE = 0.2
Layer = tuple[int, np.ndarray, np.ndarray, bool, np.ndarray]
NO_DETAIL = np.zeros((0, 0), np.float32)


def leaky(y: np.ndarray) -> np.ndarray:
    return np.where(y > 0, y, SLOPE * y)


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, upsamples: bool) -> np.ndarray:
    """Maps (T, R, R, inputs) to (T, R', R', outputs) in float64."""
    x = x.astype(np.float64)
    if upsamples:
        x = x.repeat(2, axis=1).repeat(2, axis=2)
    side = x.shape[1]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    taps = [(i, j) for i in range(3) for j in range(3)]
    return leaky(bias + sum(padded[:, i : i + side, j : j + side] @ weight[:, :, i, j].T for i, j in taps))


def texel_layers(rng: np.random.Generator, sizes: list[tuple[int, int, int, bool, float]]) -> tuple[list[Layer], int]:
    """`sizes`: side of the result, inputs, outputs, whether it upsamples, share of needed texels. Maps side by side."""
    layers, first = [], 3  # columns before the first are of no layer
    for side, inputs, outputs, upsamples, share in sizes:
        weight = normal(rng, outputs, inputs, 3, 3) / np.float32(np.sqrt(9 * inputs))
        needed = (rng.random((side, side)) < share).astype(np.uint8)
        layers.append((first, weight, normal(rng, outputs), upsamples, needed))
        first += (side // 2 if upsamples else side) ** 2 * inputs
    return layers, first


def cpu_texels(x: np.ndarray, layers: list[Layer]) -> np.ndarray:
    columns = []
    for first, weight, bias, upsamples, needed in layers:
        side, inputs = len(needed) // (2 if upsamples else 1), weight.shape[1]
        maps = x[:, first : first + side * side * inputs].reshape(-1, side, side, inputs)
        columns.append(convolved(maps, weight, bias, upsamples)[:, needed != 0].reshape(len(x), -1))
    return np.concatenate(columns, axis=1)


def texels(lane: ModuleType, shape: int, x: np.ndarray, layers: list[Layer], detail: np.ndarray = NO_DETAIL):
    return kernel(lane, "texel_product_in")(shape, x, layers, detail)


LAYERS: dict[str, list[tuple[int, int, int, bool, float]]] = {
    "one texel": [(1, 1, 1, False, 1.0)],
    "odd sides and channels": [(5, 3, 5, False, 1.0), (7, 17, 19, False, 0.5), (6, 1, 33, True, 0.8)],
    "those of a face": [(16, 8, 16, True, 0.9), (16, 16, 16, True, 0.7), (13, 16, 16, False, 0.6)],
    "no texel": [(4, 2, 3, True, 0.0), (4, 4, 4, True, 0.4)],
    "many channels": [(4, 35, 20, True, 0.7), (3, 50, 18, False, 0.7)],
}


@pytest.mark.parametrize("what", LAYERS)
@pytest.mark.parametrize("frames", [1, 5, 19])
def test_convolutions_are_those_of_the_formula(what, frames, lane, tolerance):
    rng = np.random.default_rng(2)
    layers, width = texel_layers(rng, LAYERS[what])
    x = normal(rng, frames, width + 2)
    expected = cpu_texels(x, layers)
    result = texels(lane, 0, x, layers)
    assert result.shape == expected.shape
    scale = np.abs(expected).max(initial=0.0) or 1.0
    np.testing.assert_allclose(result / scale, expected / scale, rtol=0, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("what", ["odd sides and channels", "those of a face", "many channels"])
def test_all_shapes_of_convolutions_give_the_same_bytes(what, lane):
    rng = np.random.default_rng(3)
    layers, width = texel_layers(rng, LAYERS[what])
    x = normal(rng, 18, width)
    expected = texels(lane, 0, x, layers).tobytes()
    for shape, name in enumerate(kernel(lane, "texel_shapes")()):
        assert texels(lane, shape, x, layers).tobytes() == expected, name
    alone = [texels(lane, 0, x[t : t + 1], layers) for t in range(18)]
    assert np.concatenate(alone).tobytes() == expected


def test_what_detail_leaves_out_is_not_written_in_any_shape(lane):
    """Overflowing maps beside it change nothing, whether all frames of a block leave it out or some."""
    rng = np.random.default_rng(4)
    layers, width = texel_layers(rng, [(8, 4, 6, True, 0.8), (5, 3, 4, False, 1.0)])
    x = normal(rng, 11, width)
    detail = (rng.random((11, 2)) < 0.5).astype(np.float32)
    detail[:8, 0] = 0.0
    expected = texels(lane, 0, x, layers)
    first = layers[0][4].sum() * 6
    is_drawn = np.repeat(detail != 0, [first, expected.shape[1] - first], axis=1)
    ends = [layers[0][0], layers[1][0], layers[1][0] + 75]
    for layer in range(2):
        x[detail[:, layer] == 0, ends[layer] : ends[layer + 1]] = np.inf
    for shape, name in enumerate(kernel(lane, "texel_shapes")()):
        result = texels(lane, shape, x, layers, detail)
        assert np.isnan(result[~is_drawn]).all(), name
        assert result[is_drawn].tobytes() == expected[is_drawn].tobytes(), name


def groups_of(rng: np.random.Generator, sizes: list[tuple[int, int]]) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """`sizes`: (outputs, inputs) of each group."""
    return [(i, normal(rng, rows, depth), normal(rng, rows)) for i, (rows, depth) in enumerate(sizes)]


@pytest.mark.parametrize("frames", [1, 37, 130])
def test_all_shapes_of_products_give_the_same_bytes(frames, lane):
    """Sums of at most one piece: all shapes add the same terms in the same order."""
    rng = np.random.default_rng(5)
    groups = groups_of(rng, [(70, 200), (3, 1), (130, 37), (5, 256)])
    x = normal(rng, frames, 260)
    expected = kernel(lane, "product_in")(0, x, groups)
    for shape, name in enumerate(kernel(lane, "product_shapes")()):
        assert kernel(lane, "product_in")(shape, x, groups).tobytes() == expected.tobytes(), name


@pytest.mark.parametrize("frames", [1, 131])
def test_pieces_of_a_block_and_of_several_give_the_same_bytes(frames, lane):
    """Shape 0 sums the pieces of so few frames in blocks of their own."""
    rng = np.random.default_rng(6)
    groups = groups_of(rng, [(67, 1030), (3, 0), (9, 512), (2, 40)])
    x = normal(rng, frames, 1040)
    expected = kernel(lane, "product_in")(0, x, groups)
    names = kernel(lane, "product_shapes")()
    in_pieces = [shape for shape, name in enumerate(names) if name.endswith("in pieces")]
    assert len(in_pieces) > 1
    for shape in in_pieces:
        assert kernel(lane, "product_in")(shape, x, groups).tobytes() == expected.tobytes(), names[shape]
    whole = names.index("128 frames, steps of 32, warps of 32")
    assert kernel(lane, "product_in")(whole, x, groups).tobytes() != expected.tobytes()  # pieces round otherwise


def test_the_sweep_has_a_row_for_every_shape(emulated_lane, monkeypatch):
    def few(lane):
        maps = [(2, 8, 3, True, 0.8), (1, 5, 4, False, 1.0)]
        return [tiles.grouped(lane, "3 of 5 x 7", 3, 5, 7), tiles.convolutions(lane, "maps", maps)]

    monkeypatch.setattr(tiles, "kernels", lambda: emulated_lane)
    monkeypatch.setattr(tiles, "layers_of", few)
    given = argparse.Namespace(frames=[1, 3], repeats=2)
    plan = tiles.SCRIPT.plan(given)
    found = json.loads(json.dumps(tiles.SCRIPT.measure(given, plan)))
    shapes = len(emulated_lane.product_shapes()) + len(emulated_lane.texel_shapes())
    assert len(found["shapes"]) == 2 * shapes
    assert sum(row["is_default"] for row in found["shapes"]) == 4
    for row in found["shapes"]:
        needed = [int(tiles.disc(8, 0.8).sum()), 25]
        adds = {"3 of 5 x 7": 105, "maps": 2 * needed[0] * 16 * 3 * 4 + needed[1] * 16 * 4 * 9}[row["layer"]]
        assert row["tflops"] * row["ms"] == pytest.approx(2e-9 * adds * row["frames"])
    lines = tiles.SCRIPT.table(plan, found, H100)
    assert len(lines) == 4 + 2 * shapes
    assert all(line.count("|") == 8 for line in lines[2:])
    assert " of 4 cases" in tiles.SCRIPT.headline(plan, found, H100).measured
    assert tiles.SCRIPT.table(plan, None, H100)[-1] == "All shapes: not run."


def test_the_sweep_is_refused_without_its_extension(monkeypatch):
    monkeypatch.setattr(tiles, "find_extension", lambda name: None)
    with pytest.raises(AbsentError, match="no build of the single kernels for a GPU"):
        tiles.kernels()


def test_discs_have_the_share_that_is_asked_for():
    assert tiles.disc(5, 1.0).all()
    assert 0.58 < tiles.disc(64, 0.59).mean() < 0.60
