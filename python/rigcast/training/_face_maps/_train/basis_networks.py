"""The network of a map segment whose map is a combination of fixed maps.

With n inputs z, H hidden units and K components,

    h1 = f(W1 z + b1),  h2 = f(W2 h1 + b2),  c = W3 h2 + b3,
    map = b + sum_k c_k B_k,

with f the smooth leaky ReLU: 0.2 x below -1, x above 1, and a parabola between.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast.training._face_maps._train.shapes import SLOPE, Scaling
from rigcast.training._optimizers import Arrays

LAST_GAIN = 0.1  # of the initial weights of the last layer: a network begins near the mean of the coefficients
DENSE = ("dense1", "dense2", "dense3")

Float64 = NDArray[np.float64]


@functools.cache
def smooth_leaky_relu() -> Any:
    """f(x), differentiable: ``network::Activation`` of the engine says it.

    With r = (x + 1) / 2 inside [0, 1], f = SLOPE x + (1 - SLOPE) (r^2 + max(x - 1, 0)), f' = SLOPE + (1 - SLOPE) r. Six
    times as fast as PyTorch's own derivative of the same formula.
    """
    torch: Any = require("torch", extra="training", purpose="training a model")

    class SmoothLeakyRelu(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            r = (x + 1.0).mul_(0.5).clamp_(0.0, 1.0)
            context.save_for_backward(r)
            return torch.relu(x - 1.0).addcmul_(r, r).mul_(1.0 - SLOPE).add_(x, alpha=SLOPE)

        @staticmethod
        def backward(context: Any, outer: Any) -> Any:
            (r,) = context.saved_tensors
            return torch.addcmul(SLOPE * outer, outer, r, value=1.0 - SLOPE)

    return SmoothLeakyRelu.apply


@dataclass(frozen=True)
class BasisShape:
    """Sizes of a network that ends in a basis of maps: see :class:`MapShape`.

    Attributes
    ----------
    inputs, hidden, components, resolution : int
    """

    inputs: int
    hidden: int
    components: int
    resolution: int

    def dense_layers(self) -> dict[str, tuple[int, int]]:
        """Outputs and inputs of each dense layer in training."""
        sizes = (self.inputs, self.hidden, self.hidden, self.components)
        return {name: (sizes[i + 1], sizes[i]) for i, name in enumerate(DENSE)}

    def multiply_adds(self) -> int:
        """Multiply-adds of one pose as the engine runs it, every texel computed."""
        dense = sum(rows * columns for rows, columns in self.dense_layers().values())
        return dense + 3 * self.resolution**2 * self.components

    def initial_weights(self, seed: list[int]) -> Arrays:
        """He-normal weights of the dense layers, small ones in the last, zero biases."""
        rng = np.random.default_rng(seed)
        result: Arrays = {}
        for name, (rows, columns) in self.dense_layers().items():
            gain = LAST_GAIN if name == DENSE[-1] else np.sqrt(2.0 / (1.0 + SLOPE**2))
            values = rng.standard_normal((1, rows, columns)) * (gain / np.sqrt(columns))
            result[f"{name}.weight"] = values.astype(np.float32)
            result[f"{name}.bias"] = np.zeros((1, 1, rows), np.float32)
        return result

    def coefficients(self, torch: Any, weights: dict[str, Any], inputs: Any) -> Any:
        """Coefficients (B, K) of normalized inputs (B, n)."""

        def dense(x: Any, name: str) -> Any:
            return torch.addmm(weights[f"{name}.bias"][0], x, weights[f"{name}.weight"][0].mT)

        x = inputs
        for name in DENSE[:-1]:
            x = smooth_leaky_relu()(dense(x, name))
        return dense(x, DENSE[-1])

    def forward(self, torch: Any, weights: dict[str, Any], inputs: Any) -> Any:
        """Maps (B, 3, R, R), scaled, of normalized inputs (B, n)."""
        found = self.coefficients(torch, weights, inputs)
        flat = torch.addmm(weights["basis.bias"][0], found, weights["basis.weight"][0].mT)
        return flat.view(len(inputs), 3, self.resolution, self.resolution)

    def file_layers(self, weights: Arrays, scaling: Scaling) -> dict[str, NDArray[np.float32]]:
        """The layers as a model file has them: on raw inputs, to offsets."""
        layers = {name: (weights[f"{name}.weight"][0], weights[f"{name}.bias"][0, 0]) for name in (*DENSE, "basis")}
        result = {name: (w.astype(np.float64), b.astype(np.float64)) for name, (w, b) in layers.items()}
        first = result["dense1"][0] / scaling.deviation
        result["dense1"] = first, result["dense1"][1] - first @ scaling.mean
        result["basis"] = result["basis"][0] * scaling.scale, result["basis"][1] * scaling.scale
        parts = {f"{name}.weight": pair[0] for name, pair in result.items()}
        parts |= {f"{name}.bias": pair[1] for name, pair in result.items()}
        return {name: np.ascontiguousarray(value, np.float32) for name, value in parts.items()}
