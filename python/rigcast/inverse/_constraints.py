"""The constraints of a shot, checked: bounds, pins, priors, symmetric pairs, and where a method starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument

Float64 = NDArray[np.float64]
LARGEST_WEIGHT, LARGEST_TERM = 1e12, 1e304  # beyond them the objective may overflow


class Given(TypedDict, total=False):
    """Arguments of ``solve`` in full shape; without those that were not given.

    ``bounds`` (K, 2), ``fixed`` (T, K), ``prior_target`` and ``prior_strength`` (T, K), ``symmetric`` (P, 2).
    """

    bounds: Float64
    fixed: Float64
    prior_target: Float64
    prior_strength: Float64
    symmetric: NDArray[np.int64]


def largest_strength(lower: Float64, upper: Float64) -> float:
    """The largest alpha or smoothness whose terms do not overflow in a box (T, K)."""
    return float(LARGEST_TERM / (16.0 * lower.size * (1.0 + max(np.abs(lower).max(), np.abs(upper).max())) ** 2))


def given_arguments(
    bounds: ArrayLike | None,
    fixed: ArrayLike | None,
    priors: tuple[Float64, Float64],
    pairs: NDArray[np.int64],
    shape: tuple[int, int],
) -> Given:
    """What made a problem, as ``Problem.given`` has it."""
    result: Given = {}
    if bounds is not None:
        result["bounds"] = np.array(np.broadcast_to(np.asarray(bounds, np.float64), (shape[1], 2)))
    if fixed is not None:
        result["fixed"] = np.array(np.broadcast_to(np.asarray(fixed, np.float64), shape))
    if priors[1].any():
        result["prior_target"], result["prior_strength"] = priors
    if len(pairs):
        result["symmetric"] = pairs
    return result


def _broadcast(argument: str, value: ArrayLike, shape: tuple[int, int], *, missing: bool = False) -> Float64:
    check = Arguments("solve", T=shape[0], K=shape[1])
    return np.array(np.broadcast_to(check.numbers(argument, value, "", "K", "T K", missing=missing), shape))


def box(
    rig: BlendshapeRig, bounds: ArrayLike | None, fixed: ArrayLike | None, shape: tuple[int, int]
) -> tuple[Float64, Float64]:
    """Lower and upper bounds (T, K), equal where a weight is pinned."""
    check = Arguments("solve", K=shape[1])
    given = check.numbers("bounds", rig.bounds if bounds is None else bounds, "2", "K 2")
    given = np.broadcast_to(given, (shape[1], 2))
    wrong = np.flatnonzero(given[:, 0] > given[:, 1])
    if len(wrong):
        low, high = given[wrong[0]]
        raise bad_argument("solve", "bounds", f"[{low:g}, {high:g}] for shape {wrong[0]}", "lower <= upper")
    if np.abs(given).max(initial=0.0) > LARGEST_WEIGHT:
        raise bad_argument("solve", "bounds", f"as large as {np.abs(given).max():g}", f"at most {LARGEST_WEIGHT:g}")
    lower, upper = (np.array(np.broadcast_to(side, shape)) for side in given.T)
    if fixed is not None:
        pins = _broadcast("fixed", fixed, shape, missing=True)
        pinned = ~np.isnan(pins)
        _check_inside("fixed", pins, pinned, lower, upper)
        lower[pinned] = upper[pinned] = pins[pinned]
    return lower, upper


def _check_inside(argument: str, value: Float64, where: NDArray[np.bool_], lower: Float64, upper: Float64) -> None:
    outside = np.argwhere(where & ((value < lower) | (value > upper)))
    if len(outside):
        t, k = outside[0]
        got = f"{value[t, k]:g} at frame {t}, shape {k}"
        raise bad_argument("solve", argument, got, f"inside the bounds [{lower[t, k]:g}, {upper[t, k]:g}]")


def prior_terms(priors: tuple[ArrayLike, ArrayLike] | None, shape: tuple[int, int]) -> tuple[Float64, Float64]:
    """Targets and strengths (T, K)."""
    if priors is None:
        return np.zeros(shape), np.zeros(shape)
    if not isinstance(priors, (tuple, list)) or len(priors) != 2:
        raise bad_argument("solve", "priors", f"a {type(priors).__name__}", "a pair (targets, strengths)")
    target = _broadcast("priors[0]", priors[0], shape)
    strength = _broadcast("priors[1]", priors[1], shape)
    if (strength < 0).any():
        raise bad_argument("solve", "priors[1]", f"{strength.min():g} somewhere", "strengths >= 0")
    with np.errstate(over="ignore"):
        largest = (2.0 * strength * (1.0 + np.abs(target) + np.square(target))).max(initial=0.0)
    if not largest <= LARGEST_TERM / target.size:
        raise bad_argument("solve", "priors", "so large that its terms overflow", "smaller")
    return target, strength


def fix_idle(idle: NDArray[np.bool_], ties: NDArray[np.int64], lower: Float64, upper: Float64) -> None:
    """Pin idle shapes, unless their partner moves something, at the point of their box nearest to zero."""
    moved = np.bincount(ties, weights=~idle, minlength=len(ties))[ties] > 0
    lower[:, ~moved] = upper[:, ~moved] = np.clip(0.0, lower[:, ~moved], upper[:, ~moved])


def checked_start(init: ArrayLike | None, lower: Float64, upper: Float64, ties: NDArray[np.int64]) -> Float64 | None:
    """``init`` (T, K) inside the box, pinned weights at their pins and tied ones equal; None if it was not given."""
    if init is None:
        return None
    start = _broadcast("init", init, (lower.shape[0], lower.shape[1]))
    pinned = lower == upper  # pins win over the start
    _check_inside("init", start, ~pinned, lower, upper)
    return np.clip(start[:, ties], lower, upper)


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
