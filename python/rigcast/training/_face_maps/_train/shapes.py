"""The interface of the networks of map segments, whatever draws the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast.training._optimizers import Arrays

FIRST = 8  # texels along an axis of the first, or smallest, map
SLOPE = 0.2  # of the leaky ReLU, below 0


@dataclass(frozen=True)
class Scaling:
    """Numbers around a network: z = (x - mean) / deviation, offsets = map * scale.

    Attributes
    ----------
    mean, deviation : (n,) float64
    scale : float
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    scale: float


class MapShape(Protocol):
    """The network of a segment: its sizes, and what is done with weights of these sizes.

    Weights are kept as (1, outputs, inputs), biases as (1, 1, outputs), which is what the optimizers take.
    """

    @property
    def inputs(self) -> int: ...

    @property
    def resolution(self) -> int:
        """Texels along an axis of the map."""

    def multiply_adds(self) -> int:
        """Multiply-adds of one pose as the engine runs it, every texel computed."""

    def initial_weights(self, seed: list[int]) -> Arrays:
        """``NAME.weight`` and ``NAME.bias`` of the layers that do not follow from the data."""

    def forward(self, torch: Any, weights: dict[str, Any], inputs: Any) -> Any:
        """Maps (B, 3, R, R), scaled, of normalized inputs (B, n)."""

    def file_layers(self, weights: Arrays, scaling: Scaling) -> dict[str, NDArray[np.float32]]:
        """The layers as a model file has them: on raw inputs, to offsets."""
