"""What a row of the CUDA lane is: inputs, the operation on the CPU, the same on the device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Inputs = dict[str, Any]
T = 64  # poses, and outputs, of a tile: the sizes below lie on, beside and far from its multiples


@dataclass(frozen=True)
class Operation:
    """One row. `cpu` and `device` give the same array from the same inputs, but for rounding."""

    name: str
    inputs: Callable[[np.random.Generator], Inputs]
    cpu: Callable[..., np.ndarray]
    device: Callable[..., np.ndarray]  # its first argument is the extension
    bound: str  # the row of the tolerance table for the largest error over the largest result
    dtype: type = np.float32


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)
