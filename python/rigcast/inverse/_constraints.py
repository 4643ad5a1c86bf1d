"""The constraints of a request as full arrays of numbers and shape indices, which the engine checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument
from rigcast.inverse._request import Request

Float64 = NDArray[np.float64]


class Given(TypedDict, total=False):
    """Arguments of ``solve`` in full shape; without those that were not given.

    ``bounds`` (K, 2), ``fixed`` (T, K), ``prior_target`` and ``prior_strength`` (T, K), ``symmetric`` (P, 2).
    """

    bounds: Float64
    fixed: Float64
    prior_target: Float64
    prior_strength: Float64
    symmetric: NDArray[np.int64]


def given_arrays(request: Request, frames: int) -> Given:
    """Return bounds, pins and priors of a request for a number of frames.

    Raises
    ------
    ValueError
        If one is no array of numbers of a shape that fits.
    """
    result: Given = {}
    shapes, priors = request.gram.rig.num_shapes, request.priors
    if request.bounds is not None:
        bounds = Arguments("solve", K=shapes).numbers("bounds", request.bounds, "2", "K 2")
        result["bounds"] = np.array(np.broadcast_to(bounds, (shapes, 2)))
    if request.fixed is not None:
        result["fixed"] = _broadcast("fixed", request.fixed, (frames, shapes), missing=True)
    if priors is not None:
        if not isinstance(priors, (tuple, list)) or len(priors) != 2:
            raise bad_argument("solve", "priors", f"a {type(priors).__name__}", "a pair (targets, strengths)")
        result["prior_target"] = _broadcast("priors[0]", priors[0], (frames, shapes))
        result["prior_strength"] = _broadcast("priors[1]", priors[1], (frames, shapes))
    return result


def given_start(request: Request, frames: int) -> Float64 | None:
    """Return ``init`` as (T, K); None if it is not given."""
    return None if request.init is None else _broadcast("init", request.init, (frames, request.gram.rig.num_shapes))


def _broadcast(argument: str, value: ArrayLike, shape: tuple[int, int], *, missing: bool = False) -> Float64:
    check = Arguments("solve", T=shape[0], K=shape[1])
    return np.array(np.broadcast_to(check.numbers(argument, value, "", "K", "T K", missing=missing), shape))


def shape_pairs(rig: BlendshapeRig, symmetric: Sequence[tuple[int | str, int | str]] | None) -> list[tuple[int, int]]:
    """Return pairs of shape indices, from names or indices.

    Raises
    ------
    ValueError
        Naming ``symmetric``.
    """
    pairs = np.asarray([] if symmetric is None else symmetric, object)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise bad_argument("solve", "symmetric", repr(symmetric), "a sequence of pairs of shapes")
    return [(_shape_index(rig, left), _shape_index(rig, right)) for left, right in pairs]


def _shape_index(rig: BlendshapeRig, shape: object) -> int:
    if isinstance(shape, str):
        if shape not in rig.shape_names:
            raise bad_argument("solve", "symmetric", repr(shape), "a name of the rig's shapes")
        return list(rig.shape_names).index(shape)
    if not isinstance(shape, (int, np.integer)) or not 0 <= shape < rig.num_shapes:
        raise bad_argument("solve", "symmetric", repr(shape), f"shape indices below {rig.num_shapes}")
    return int(shape)
