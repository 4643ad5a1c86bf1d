"""Symmetric pairs: shapes whose weights are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import bad_argument

Float64 = NDArray[np.float64]


def tie_list(
    rig: BlendshapeRig, symmetric: Sequence[tuple[int | str, int | str]] | None, num_shapes: int
) -> NDArray[np.int64]:
    """(K,): the shape whose weight each shape copies, itself where it is free; of names or indices, checked."""
    ties = np.arange(num_shapes)
    used: set[int] = set()
    pairs = np.asarray([] if symmetric is None else symmetric, object)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise bad_argument("solve", "symmetric", repr(symmetric), "a sequence of pairs of shapes")
    for pair in pairs:
        left, right = (_shape_index(rig, shape, num_shapes) for shape in pair)
        if left == right or used & {left, right}:
            raise bad_argument("solve", "symmetric", f"{tuple(pair)} with a shape used twice", "disjoint pairs")
        used |= {left, right}
        ties[right] = left
    return ties


def _shape_index(rig: BlendshapeRig, shape: int | str, num_shapes: int) -> int:
    if isinstance(shape, str):
        if shape not in rig.shape_names:
            raise bad_argument("solve", "symmetric", repr(shape), "a name of the rig's shapes")
        return list(rig.shape_names).index(shape)
    if not isinstance(shape, (int, np.integer)) or not 0 <= shape < num_shapes:
        raise bad_argument("solve", "symmetric", repr(shape), f"shape indices below {num_shapes}")
    return int(shape)


def tie_boxes(ties: NDArray[np.int64], tied: NDArray[np.int64], lower: Float64, upper: Float64) -> None:
    """Both shapes of a pair get the part of the box that they share."""
    for right in tied:
        left = ties[right]
        low = np.maximum(lower[:, left], lower[:, right])
        high = np.minimum(upper[:, left], upper[:, right])
        if (low > high).any():
            got = f"({left}, {right}) with bounds or pins that share no value"
            raise bad_argument("solve", "symmetric", got, "pairs that can be equal")
        lower[:, left] = lower[:, right] = low
        upper[:, left] = upper[:, right] = high
