"""Shapes of blocks of the products on the matrix units on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.tiles``.

Grouped products (a body's 30 networks, a large square layer) and the convolutions of deformation maps, layer by layer
as the face of the paper's size has them, in every shape that the tests' extension holds (tests/cuda/tiles.cu). "As
chosen" is what the engine does for a number of frames: a shape that is faster everywhere belongs into
``products/resident_product.h`` or ``face/resident_layers.h``. Long sums have to be summed in pieces: of a layer of
2,048 inputs, the other shapes are shown for comparison alone.

Times lie between two events around one layer (median, after a run to warm up). The floor are the layer's operations at
a third of the rate of the matrix units for TF32, as ``floors.py`` counts products in two parts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.cuda.conftest import find_extension, load_extension

from benchmarks.systems.cuda.floors import SPLIT_PRODUCTS
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import NOT_RUN, AbsentError, Found, Headline, Plan, Script, markdown

FRAMES = [1, 16, 256, 4096]
REPEATS = 7
CLOSE = 1.05  # a choice within this factor of the fastest shape is as good


@dataclass(frozen=True)
class Layer:
    """One layer to time.

    Attributes
    ----------
    name : str
    multiply_adds : int
        Of a frame.
    shapes : sequence of str
        The first is what the engine chooses.
    milliseconds : callable
        From a number of frames and one of repeats to times (shapes, repeats).
    """

    name: str
    multiply_adds: int
    shapes: Sequence[str]
    milliseconds: Callable[[int, int], list[list[float]]]


def kernels() -> Any:
    """The tests' extension with the single kernels. Raises `AbsentError` if it is not built."""
    path = find_extension("_cuda_operations")
    if path is None:
        raise AbsentError("no build of the single kernels for a GPU: cmake --preset cuda")
    return load_extension("_cuda_operations", path)


def grouped(lane: Any, name: str, count: int, outputs: int, inputs: int) -> Layer:
    """Groups of (outputs, inputs) that read columns side by side."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((count, outputs, inputs), np.float32)
    groups = [(i * inputs, weights[i], np.zeros(outputs, np.float32)) for i in range(count)]
    return Layer(
        name,
        count * outputs * inputs,
        lane.product_shapes(),
        lambda frames, repeats: lane.product_milliseconds(groups, count * inputs, frames, repeats),
    )


def disc(side: int, share: float) -> NDArray[np.uint8]:
    """The texels of a disc that is a share of the square, whose corners it may leave."""
    at = (np.arange(side) + 0.5) / side - 0.5
    distance = np.hypot(at[:, None], at)
    inside: NDArray[np.uint8] = (distance <= np.quantile(distance, share)).astype(np.uint8)
    return inside


def convolutions(lane: Any, name: str, maps: Sequence[tuple[int, int, int, bool, float]]) -> Layer:
    """``maps``: how many, side of the result, inputs, whether it is upsampled, share of needed texels; 16 outputs."""
    rng = np.random.default_rng(0)
    layers, first, multiply_adds = [], 0, 0
    for count, side, inputs, upsamples, share in maps:
        needed, before = disc(side, share), side // 2 if upsamples else side
        for _ in range(count):
            weight = rng.standard_normal((16, inputs, 3, 3), np.float32)
            layers.append((first, weight, np.zeros(16, np.float32), upsamples, needed))
            first += before * before * inputs
            multiply_adds += int(needed.sum()) * 16 * inputs * (4 if upsamples else 9)
    return Layer(
        name,
        multiply_adds,
        lane.texel_shapes(),
        lambda frames, repeats: lane.texel_milliseconds(layers, first, frames, repeats),
    )


def layers_of(lane: Any) -> list[Layer]:
    """Layers of the sizes that the other scripts measure as whole models."""
    return [
        grouped(lane, "30 of 128 x 200", 30, 128, 200),
        grouped(lane, "2,048 x 2,048", 1, 2048, 2048),
        convolutions(lane, "maps, layer 1", [(14, 16, 8, True, 0.97)]),
        convolutions(lane, "maps, layer 2", [(14, 32, 16, True, 0.89)]),
        convolutions(lane, "maps, layer 3", [(10, 32, 16, False, 0.78), (4, 64, 16, True, 0.79)]),
        convolutions(lane, "maps, layer 4", [(4, 64, 16, False, 0.59)]),
    ]


def sweep(layers: Sequence[Layer], frames: Sequence[int], repeats: int) -> list[Found]:
    """A row per layer, number of frames and shape."""
    rows = []
    for layer in layers:
        for count in frames:
            operations = 2.0 * count * layer.multiply_adds
            for shape, times in zip(layer.shapes, layer.milliseconds(count, repeats), strict=True):
                ms = median(times)
                rows.append(
                    {
                        "layer": layer.name,
                        "frames": count,
                        "shape": shape,
                        "is_default": shape == layer.shapes[0],
                        "ms": ms,
                        "tflops": 1e-9 * operations / ms,
                    }
                )
    return rows


def plan(given: argparse.Namespace) -> Plan:
    """Numbers of frames."""
    return {"frames": list(given.frames)}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """Times of all shapes."""
    return {"shapes": sweep(layers_of(kernels()), plan["frames"], given.repeats)}


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown: the shapes of a layer, the fastest first."""
    about = f"Floors of {gpu.name}: {gpu.tf32 / SPLIT_PRODUCTS / 1e12:.0f} TFLOP/s for products in two parts of TF32."
    if found is None:
        return [about, "", f"All shapes: {NOT_RUN}."]
    every = found["shapes"]
    order = {key: i for i, key in enumerate(dict.fromkeys((row["layer"], row["frames"]) for row in every))}
    rows = [
        [
            row["layer"],
            f"{row['frames']:,}",
            row["shape"],
            f"{row['ms']:.4f}",
            f"{row['tflops']:.1f}",
            f"{SPLIT_PRODUCTS * 1e12 * row['tflops'] / gpu.tf32:.0%}",
            "default" if row["is_default"] else "",
        ]
        for row in sorted(every, key=lambda row: (order[row["layer"], row["frames"]], row["ms"]))
    ]
    return [about, "", *markdown(["layer", "frames", "shape", "ms", "TFLOP/s", "of floor", "default"], rows)]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The cases in which the engine's choice is as good as the fastest shape."""
    if found is None:
        return Headline("the default is the fastest shape")
    best: dict[tuple[str, int], float] = {}
    for row in found["shapes"]:
        key = row["layer"], row["frames"]
        best[key] = min(row["ms"], best.get(key, row["ms"]))
    chosen = [row for row in found["shapes"] if row["is_default"]]
    good = sum(row["ms"] <= CLOSE * best[row["layer"], row["frames"]] for row in chosen)
    measured = f"the default is within 5 % of the fastest shape in {good} of {len(chosen)} cases"
    return Headline("the default is the fastest shape", measured)


def options(parser: argparse.ArgumentParser) -> None:
    """Numbers of frames, and runs of each."""
    parser.add_argument(
        "--frames", type=int, nargs="+", default=FRAMES, help="frames of batches (default: %(default)s)"
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, help="timed runs of a shape (default: %(default)s)")


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
