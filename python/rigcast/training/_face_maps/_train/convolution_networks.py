"""The published network of a map segment: from the controls that move it to a map of offsets (Bailey 2020, 3.3).

With n inputs z, H hidden units, C0 first channels, C channels, and U doublings of the resolution:

    h = leaky(W1 z + b1),  m = W2 h + b2 as C0 maps of 8 x 8 texels,
    U times: nearest-neighbor x 2, then a 3 x 3 convolution to C channels, leaky;
    a 3 x 3 convolution, leaky; a 1 x 1 convolution to 3 channels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.errors import ArgumentError
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._face_maps._train.shapes import FIRST, SLOPE, Scaling
from rigcast.training._optimizers import Arrays

LEAST_CHANNELS = 8  # of the first map, as published
LAST_GAIN = 0.1  # of the last layer's initial weights: a network begins near its mean


@dataclass(frozen=True)
class ConvolutionShape:
    """Sizes of a network that ends in convolutions: see :class:`MapShape`.

    Attributes
    ----------
    inputs, hidden, first_channels, channels, doublings : int
    """

    inputs: int
    hidden: int
    first_channels: int
    channels: int
    doublings: int

    @property
    def resolution(self) -> int:
        """Texels along an axis of the map."""
        return FIRST << self.doublings

    def layers(self) -> dict[str, tuple[int, int]]:
        """Outputs and inputs of each layer's weight, by its name in the model file."""
        first, c = self.first_channels, self.channels
        sizes = {"dense1": (self.hidden, self.inputs), "dense2": (first * FIRST * FIRST, self.hidden)}
        for layer in range(self.doublings + 1):
            sizes[f"conv{layer + 1}"] = (c, 9 * (first if layer == 0 else c))
        return sizes | {"output": (3, c)}

    def multiply_adds(self) -> int:
        """Multiply-adds of one pose as the engine runs it, every texel computed: upsampling costs 4 taps, not 9."""
        sizes = self.layers()
        dense = sum(sizes[name][0] * sizes[name][1] for name in ("dense1", "dense2"))
        texels = [(FIRST << layer) ** 2 for layer in range(1, self.doublings + 1)]
        up = sum(4 * t * sizes[f"conv{i + 1}"][0] * sizes[f"conv{i + 1}"][1] // 9 for i, t in enumerate(texels))
        last = sizes[f"conv{self.doublings + 1}"]
        return dense + up + self.resolution**2 * (last[0] * last[1] + 3 * self.channels)

    def initial_weights(self, seed: list[int]) -> Arrays:
        """He-normal weights for leaky layers, zero biases; ``NAME.weight`` and ``NAME.bias`` for each layer."""
        rng = np.random.default_rng(seed)
        result: Arrays = {}
        for name, (rows, columns) in self.layers().items():
            gain = {"dense2": 1.0, "output": LAST_GAIN}.get(name, np.sqrt(2.0 / (1.0 + SLOPE**2)))
            values = rng.standard_normal((1, rows, columns)) * (gain / np.sqrt(columns))
            result[f"{name}.weight"] = values.astype(np.float32)
            result[f"{name}.bias"] = np.zeros((1, 1, rows), np.float32)
        return result

    def forward(self, torch: Any, weights: dict[str, Any], inputs: Any) -> Any:
        """Maps (B, 3, R, R), scaled, of normalized inputs (B, n)."""
        act = torch.nn.functional.leaky_relu

        def dense(x: Any, name: str) -> Any:
            return torch.addmm(weights[f"{name}.bias"][0], x, weights[f"{name}.weight"][0].mT)

        def conv(x: Any, name: str, side: int) -> Any:
            weight = weights[f"{name}.weight"]
            kernel = weight.view(weight.shape[1], -1, side, side)
            return torch.nn.functional.conv2d(x, kernel, weights[f"{name}.bias"][0, 0], padding=side // 2)

        hidden = act(dense(inputs, "dense1"), SLOPE)
        maps = dense(hidden, "dense2").view(len(inputs), self.first_channels, FIRST, FIRST)
        maps = maps.contiguous(memory_format=torch.channels_last)
        for layer in range(self.doublings):
            maps = act(conv(_doubled(torch, maps), f"conv{layer + 1}", 3), SLOPE)
        maps = act(conv(maps, f"conv{self.doublings + 1}", 3), SLOPE)
        return conv(maps, "output", 1)

    def file_layers(self, weights: Arrays, scaling: Scaling) -> dict[str, NDArray[np.float32]]:
        """The layers as a model file has them: on raw inputs, to offsets; convolutions as (outputs, inputs, 3, 3)."""
        result = {}
        for name, (rows, _) in self.layers().items():
            weight = weights[f"{name}.weight"][0].astype(np.float64)
            bias = weights[f"{name}.bias"][0, 0].astype(np.float64)
            if name == "dense1":
                weight = weight / scaling.deviation
                bias = bias - weight @ scaling.mean
            if name == "output":
                weight, bias = weight * scaling.scale, bias * scaling.scale
            if name.startswith("conv"):
                weight = weight.reshape(rows, -1, 3, 3)
            result[f"{name}.weight"] = np.ascontiguousarray(weight, np.float32)
            result[f"{name}.bias"] = np.ascontiguousarray(bias, np.float32)
        return result


def doublings_of(resolution: int) -> int:
    """The number of doublings of the first map for a resolution of 8, 16, 32, 64, ...

    Raises
    ------
    ValueError
        For any other resolution.
    """
    count = int(resolution // FIRST).bit_length() - 1
    if FIRST << max(count, 0) != resolution:
        raise ArgumentError("face_maps", "", f"a map of {resolution} texels", "8, 16, 32, 64, ...")
    return count


def first_channels(most: int, doublings: int) -> int:
    """Channels of the first map: at most so many, and above 8 no more than a map of that size has numbers.

    The second dense layer has most of a file's numbers, one row per number of the first map. A map of R x R texels and
    3 axes has 3 (R / 8)^2 numbers per texel of the first.
    """
    return min(most, max(LEAST_CHANNELS, 3 << (2 * doublings)))


def _doubled(torch: Any, maps: Any) -> Any:
    """Nearest-neighbor x 2; on a GPU without torch's own, whose gradient is not deterministic there."""
    if maps.device.type == "cpu":
        return torch.nn.functional.interpolate(maps, scale_factor=2, mode="nearest")
    return maps.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)


def with_convolutions(problem: LevelProblem, settings: FaceMapsSettings) -> LevelProblem:
    """The problem with a network per segment that ends in convolutions."""
    shapes = []
    for segment in problem.level.segments:
        doublings = doublings_of(segment.resolution)
        first = first_channels(settings.first_channels, doublings)
        shapes.append(ConvolutionShape(len(segment.columns), settings.hidden, first, settings.channels, doublings))
    return replace(problem, shapes=shapes, fitted=[{} for _ in shapes])
