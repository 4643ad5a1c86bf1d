"""The networks of regions: weights, their forward pass in PyTorch, and their tensors in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_ik._regions import Region
from rigcast.training._optimizers import Arrays

SLOPE = 0.2  # of leaky ReLU below 0, as in the engine
LAYERS = 3


def initial_weights(regions: list[Region], dimensions: int, hidden: int, seed: int) -> Arrays:
    """He-normal weights (1, inputs, outputs) and zero biases (1, 1, outputs); the last layers are small."""
    result: Arrays = {}
    for number, region in enumerate(regions):
        rng = np.random.default_rng([seed, 2, number])
        widths = [dimensions * len(region.points), hidden, hidden, len(region.parameters)]
        for i in range(LAYERS):
            gain = np.sqrt(2.0 / (1.0 + SLOPE**2)) if i < LAYERS - 1 else 0.1
            weight = rng.standard_normal((1, widths[i], widths[i + 1])) * gain / np.sqrt(widths[i])
            result[f"{number:03d}.weight{i + 1}"] = weight.astype(np.float32)
            result[f"{number:03d}.bias{i + 1}"] = np.zeros((1, 1, widths[i + 1]), np.float32)
    return result


def forward(torch: Any, weights: dict[str, Any], number: int, inputs: Any) -> Any:
    """Outputs (B, n) of a region's network for inputs (B, dimensions M)."""
    x = inputs[None]
    for i in range(1, LAYERS + 1):
        x = torch.baddbmm(weights[f"{number:03d}.bias{i}"], x, weights[f"{number:03d}.weight{i}"])
        if i < LAYERS:
            x = torch.nn.functional.leaky_relu(x, SLOPE)
    return x[0]


def network_tensors(
    regions: list[Region], weights: Arrays, input_scale: float, output_scale: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """The tensors ``regions.*`` and ``region.NNN.*``: scales are part of the first and the last layer."""
    result: dict[str, NDArray[Any]] = {}
    for kind in ("point", "parameter"):
        lists = [getattr(region, f"{kind}s") for region in regions]
        result[f"regions.{kind}"] = np.concatenate([np.zeros(0), *lists]).astype(np.int32)
        result[f"regions.{kind}_offset"] = np.array([0, *np.cumsum([len(x) for x in lists])], np.int32)
    for number, region in enumerate(regions):
        for i in range(1, LAYERS + 1):
            weight = weights[f"{number:03d}.weight{i}"][0].T.astype(np.float64)
            bias = weights[f"{number:03d}.bias{i}"][0, 0].astype(np.float64)
            if i == 1:
                weight = weight / input_scale
            if i == LAYERS:
                weight = weight * output_scale[region.parameters][:, None]
                bias = bias * output_scale[region.parameters]
            name = f"region.{number:03d}.layer{i}"
            result[f"{name}.weight"] = np.ascontiguousarray(weight, np.float32)
            result[f"{name}.bias"] = bias.astype(np.float32)
    return result
