"""Checks of what the functions of this package share: orders, weights, and one value a head."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument


def checked_rig(function: str, rig: object) -> BlendshapeRig:
    """A blendshape rig, or a ``ValueError``."""
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument(function, "rig", f"a {type(rig).__name__}", "a rigcast.BlendshapeRig")
    return rig


def checked_order(function: str, order: ArrayLike | None, num_shapes: int) -> NDArray[np.int32]:
    """(K,) int32, a permutation of the shapes; None stands for the order that the rig has them in."""
    if order is None:
        return np.arange(num_shapes, dtype=np.int32)
    must = f"a permutation of 0 to {num_shapes - 1}, whole numbers"
    array: NDArray[np.int32] = Arguments(function).integers(
        "order", order, str(num_shapes), below=num_shapes, dtype=np.int32, must=must
    )
    absent = np.flatnonzero(np.bincount(array, minlength=num_shapes) == 0)
    if len(absent):
        raise bad_argument(function, "order", f"without shape {absent[0]}", must)
    return array


def checked_weights(function: str, argument: str, weights: ArrayLike, rig: BlendshapeRig) -> NDArray[np.float32]:
    """(T, K) float32 of at least one frame, finite, inside the rig's ``weight_limit``."""
    check = Arguments(function, K=rig.num_shapes)
    narrow: NDArray[np.float32] = check.numbers(argument, weights, "T+ K", dtype=np.float32)
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


def whole_per_head(function: str, argument: str, values: ArrayLike, last: int | None = None) -> NDArray[np.int32]:
    """Whole numbers, () or (H,); from 0 to ``last`` if it is given."""
    array: NDArray[np.int32] = Arguments(function).integers(
        argument, values, "", "H", low=-(2**31), dtype=np.int32, must="whole numbers (H,), or one for all"
    )
    if last is not None:
        refuse(function, argument, array, (array < 0) | (array > last), f"from 0 to {last}")
    return array


def numbers_per_head(function: str, argument: str, values: ArrayLike) -> NDArray[np.float64]:
    """Finite numbers, () or (H,)."""
    wide = Arguments(function).numbers(argument, values, "", "H", finite=False, must="numbers (H,), or one for all")
    refuse(function, argument, wide, ~np.isfinite(wide), "finite")
    return wide


def refuse(function: str, argument: str, values: NDArray[Any], wrong: NDArray[Any], expected: str) -> None:
    """Raise a ``ValueError`` that names the first value that is wrong, and its head."""
    if wrong.any():
        head = int(np.flatnonzero(wrong)[0])
        value = values.reshape(-1)[head]
        raise bad_argument(function, argument, f"{value}" + (f" for head {head}" if values.ndim else ""), expected)
