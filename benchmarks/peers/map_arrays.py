"""A face on deformation maps as plain arrays, for the peers: PyTorch and ONNX Runtime."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import rigcast as rc


@dataclass(frozen=True)
class MapArrays:
    """One segment with M vertices: its layers by name, inputs and samples."""

    column: NDArray[np.int64]
    layers: dict[str, NDArray[np.float32]]
    vertex: NDArray[np.int64]
    uv: NDArray[np.float32]  # (M, 2)
    share: NDArray[np.float32]  # (M,)
    is_refinement: bool

    @property
    def convolutions(self) -> int:
        return sum(name.startswith("conv") and name.endswith("weight") for name in self.layers)

    @property
    def dense(self) -> list[tuple[str, bool]]:
        """Pairs of a dense layer's name and True if a leaky ReLU follows, in order; the basis is last."""
        count = sum(name.startswith("dense") and name.endswith("weight") for name in self.layers)
        names = [(f"dense{layer + 1}", layer + 1 < count) for layer in range(count)]
        return names if self.convolutions else [*names, ("basis", False)]

    @property
    def channels(self) -> int:
        """Of the base map."""
        return int(self.layers["conv1.weight"].shape[1]) if self.convolutions else 3

    @property
    def base(self) -> int:
        """Texels per row of the base map."""
        return math.isqrt(len(self.layers[f"{self.dense[-1][0]}.bias"]) // self.channels)

    @property
    def resolution(self) -> int:
        return int(self.base * 2 ** max(self.convolutions - 1, 0))

    def samples(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(M, 4) texels of the flat map that vertices sample, and their weights."""
        side = self.resolution
        at = self.uv.astype(np.float64) * (side - 1)
        first = np.minimum(at.astype(np.int64), side - 2)
        a, b = (at - first).T
        texel = (first[:, 1] * side + first[:, 0])[:, None] + np.array([0, 1, side, side + 1])
        weight = np.stack([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b], axis=1)
        return texel, (self.share[:, None] * weight).astype(np.float32)

    @property
    def shape(self) -> tuple[object, ...]:
        """Equal for segments whose networks differ in their inputs alone."""
        return tuple((name, value.shape) for name, value in sorted(self.layers.items()) if name != "dense1.weight")


def map_arrays(model: rc.Deformer) -> list[MapArrays]:
    """The segments of a face that have a network; rigid parts are left out."""
    tensors = model.tensors()
    found = []
    for s, level in enumerate(tensors["segments.level"]):
        begin = f"segment.{s:03d}."
        layers = {name[len(begin) :]: value for name, value in tensors.items() if name.startswith(begin)}
        if not layers:
            continue
        member = slice(*tensors["segments.offset"][s : s + 2])
        share = tensors["segments.weight"][member]
        column = tensors["inputs.column"][slice(*tensors["inputs.offset"][s : s + 2])].astype(np.int64)
        vertex = tensors["segments.vertex"][member].astype(np.int64)
        found.append(MapArrays(column, layers, vertex, tensors["segments.uv"][member], share, bool(level)))
    return found
