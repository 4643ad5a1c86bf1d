"""Checks of what the functions of this package share: orders, weights, and one value a head."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._core import BlendshapeRig
from rigwright._validate import as_array, bad_argument


def checked_rig(function: str, rig: object) -> BlendshapeRig:
    """A blendshape rig, or a ``ValueError``."""
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument(function, "rig", f"a {type(rig).__name__}", "a rigwright.BlendshapeRig")
    return rig


def checked_order(function: str, order: ArrayLike | None, num_shapes: int) -> NDArray[np.int32]:
    """(K,) int32, a permutation of the shapes; None stands for the order that the rig has them in."""
    if order is None:
        return np.arange(num_shapes, dtype=np.int32)
    array = as_array(function, "order", order, f"a permutation of 0 to {num_shapes - 1}")
    if array.dtype.kind not in "iu" or array.shape != (num_shapes,):
        got = f"{array.dtype} {array.shape}"
        raise bad_argument(function, "order", got, f"a permutation of 0 to {num_shapes - 1}, whole numbers")
    if not np.array_equal(np.sort(array), np.arange(num_shapes)):
        counts = np.bincount(array[(array >= 0) & (array < num_shapes)], minlength=num_shapes)
        got = f"without shape {np.flatnonzero(counts == 0)[0]}"
        raise bad_argument(function, "order", got, f"a permutation of 0 to {num_shapes - 1}")
    return array.astype(np.int32)


def checked_weights(function: str, argument: str, weights: ArrayLike, rig: BlendshapeRig) -> NDArray[np.float32]:
    """(T, K) float32 of at least one frame, finite, inside the rig's ``weight_limit``."""
    num_shapes = rig.num_shapes
    expected = f"numbers (T, {num_shapes}) with T at least 1"
    # ragged is, for instance, a pair of weights and their rate, as they are read from a file
    array = as_array(function, argument, weights, expected)
    if array.dtype.kind not in "iuf" or array.ndim != 2 or array.shape[1] != num_shapes or not len(array):
        got = f"{array.dtype} {array.shape}"
        raise bad_argument(function, argument, got, expected)
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(narrow).all():
        raise bad_argument(function, argument, "not finite everywhere", "finite")
    largest = float(np.abs(narrow).max())
    if largest > rig.weight_limit:
        expected = f"at most {rig.weight_limit:.3g}, the rig's weight_limit"
        raise bad_argument(function, argument, f"{largest:.3g} in magnitude somewhere", expected)
    return narrow


def checked_clips(function: str, argument: str, clips: Any, rig: BlendshapeRig) -> list[NDArray[np.float32]]:
    """Each of one clip or more as (T, K) float32; a clip by itself is as good as a list of one."""
    several = isinstance(clips, Sequence | np.ndarray) and not isinstance(clips, str)
    if not several or not len(clips):
        got = "empty" if several else f"a {type(clips).__name__}"
        raise bad_argument(function, argument, got, f"a sequence of clips (T, {rig.num_shapes})")
    alone = False
    with contextlib.suppress(ValueError):  # clips of different lengths are no array
        alone = np.ndim(clips) == 2
    if alone:
        return [checked_weights(function, argument, clips, rig)]
    return [checked_weights(function, f"{argument}[{i}]", clip, rig) for i, clip in enumerate(clips)]


def whole_per_head(function: str, argument: str, values: ArrayLike, last: int) -> NDArray[np.int32]:
    """Whole numbers from 0 to ``last``, () or (H,)."""
    expected = "whole numbers (H,), or one for all"
    array = as_array(function, argument, values, expected)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    refuse(function, argument, array, (array < 0) | (array > last), f"from 0 to {last}")
    return array.astype(np.int32)


def numbers_per_head(function: str, argument: str, values: ArrayLike) -> NDArray[np.float64]:
    """Finite numbers, () or (H,)."""
    expected = "numbers (H,), or one for all"
    array = as_array(function, argument, values, expected)
    if array.dtype.kind not in "iuf" or array.ndim > 1:
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    wide = array.astype(np.float64)
    refuse(function, argument, wide, ~np.isfinite(wide), "finite")
    return wide


def refuse(function: str, argument: str, values: NDArray[Any], wrong: NDArray[Any], expected: str) -> None:
    """Raise a ``ValueError`` that names the first value that is wrong, and its head."""
    if wrong.any():
        head = int(np.flatnonzero(wrong)[0])
        value = values.reshape(-1)[head]
        raise bad_argument(function, argument, f"{value}" + (f" for head {head}" if values.ndim else ""), expected)


def positive(function: str, argument: str, value: float, below: float = np.inf) -> float:
    """A finite number above 0, and below ``below``."""
    number = np.asarray(value)
    if number.dtype.kind not in "iuf" or number.ndim or not 0.0 < number < below:
        expected = "a finite number above 0" + (f" and below {below:g}" if np.isfinite(below) else "")
        raise bad_argument(function, argument, repr(value), expected)
    return float(number)
