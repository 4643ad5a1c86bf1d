"""A shot to invert, checked: targets as offsets from the neutral, bounds, pins, priors, ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, ProductModel
from rigcast._validate import Arguments, bad_argument
from rigcast.inverse._gram import Gram
from rigcast.inverse._projection import project
from rigcast.inverse._ties import tie_boxes, tie_list

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


@dataclass(frozen=True)
class Problem:
    """What a method minimizes; ``solve`` states the objective.

    Attributes
    ----------
    gram : Gram
        The rig seen from the chosen vertices: columns, their Gram matrix, activations.
    targets : (T, V, 3) or (T, M, 3) float32
        As given: all vertices of the rig, or the chosen ones.
    projections : (T, N) float64
        Phi^T Omega offsets.
    energies : (T,) float64
        |offsets|^2, weighted.
    alpha, smoothness : float
    lower, upper : (T, K) float64
        The box; pinned weights have ``lower == upper``.
    init : (T, K) float64, optional
        Where the caller wants methods to start, inside the box.
    prior_target, prior_strength : (T, K) float64
        The term ``sum_k strength (w_k - target)^2`` of a frame; strength 0 where there is none.
    ties : (K,) int
        ``ties[k]`` is the shape whose weight shape k copies: itself, or its symmetric partner.
    given : Given
        The arguments of ``solve`` that made box, priors and ties.
    warnings : list of str
    """

    gram: Gram
    targets: NDArray[np.float32]
    projections: Float64
    energies: Float64
    alpha: float
    smoothness: float
    lower: Float64
    upper: Float64
    init: Float64 | None
    prior_target: Float64
    prior_strength: Float64
    ties: NDArray[np.int64]
    given: Given = field(default_factory=Given)
    warnings: list[str] = field(default_factory=list)

    @property
    def rig(self) -> BlendshapeRig:
        """The rig whose weights are sought."""
        return self.gram.rig

    @property
    def num_frames(self) -> int:
        """T."""
        return len(self.targets)

    @cached_property
    def offsets(self) -> NDArray[np.float32]:
        """(T, M, 3): targets minus the neutral, on the chosen vertices."""
        return self.gram.offsets(self.targets)

    @cached_property
    def products(self) -> ProductModel:
        """The engine's view of the rig's columns, tied shapes as one variable."""
        return ProductModel(self.gram.rig, self.ties)

    def terms(self) -> tuple[Float64, ...]:
        """What the engine minimizes: projections, then linear term, quadratic term, bounds of each variable (T, K).

        Tied shapes are one variable, the first shape of the pair; it carries the terms of both.
        """
        linear, quadratic = self.linear, self.prior_strength
        tied = np.flatnonzero(self.ties != np.arange(self.num_shapes))
        if len(tied):
            linear, quadratic = linear.copy(), quadratic.copy()
            for terms in (linear, quadratic):
                terms[:, self.ties[tied]] += terms[:, tied]
                terms[:, tied] = 0.0
        return self.projections, linear, quadratic, self.lower, self.upper

    @property
    def num_shapes(self) -> int:
        """K."""
        return int(self.lower.shape[1])

    @property
    def linear(self) -> Float64:
        """(T, K): the objective's linear term in the weights, alpha and priors together."""
        return np.asarray(self.alpha - 2.0 * self.prior_strength * self.prior_target)

    def start(self) -> Float64:
        """(T, K): ``init`` where given, else the point of the box nearest to zero."""
        return np.clip(0.0, self.lower, self.upper) if self.init is None else np.array(self.init)

    def frames(self, first: int, last: int) -> Problem:
        """The same problem for frames ``first`` to ``last`` - 1."""
        return self.at(slice(first, last))

    def at(self, frames: slice | NDArray[np.int64]) -> Problem:
        """The same problem for some frames."""
        own = {name: getattr(self, name)[frames] for name in _PER_FRAME}
        init = None if self.init is None else self.init[frames]
        return Problem(self.gram, alpha=self.alpha, smoothness=self.smoothness, init=init, ties=self.ties, **own)


LARGEST_WEIGHT, LARGEST_TERM = 1e12, 1e304  # beyond them the objective may overflow

_PER_FRAME = ("targets", "projections", "energies", "lower", "upper", "prior_target", "prior_strength")


def make_problem(
    gram: Gram,
    targets: ArrayLike,
    *,
    alpha: float,
    smoothness: float = 0.0,
    init: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    symmetric: Sequence[tuple[int | str, int | str]] | None = None,
    threads: int = 0,
    device: str = "cpu",
) -> Problem:
    """Check what a user gave to ``solve``; see there for the arguments.

    Raises
    ------
    ValueError
        Naming function, argument, what it is and what it must be.
    """
    for name, value in (("alpha", alpha), ("smoothness", smoothness)):
        if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value >= 0):
            raise bad_argument("solve", name, repr(value), 'a finite number >= 0, or "auto"')
    rows = gram.checked(targets)
    shape = (len(rows), gram.activations.num_shapes)
    lower, upper = box(gram.rig, bounds, fixed, shape)
    target, strength = prior_terms(priors, shape)
    ties = tie_list(gram.rig, symmetric, shape[1])
    tied = np.flatnonzero(ties != np.arange(shape[1]))
    for name, value in (("alpha", alpha), ("smoothness", smoothness)):
        if value > largest_strength(lower, upper):
            raise bad_argument("solve", name, f"{value:g}", "so small that the objective does not overflow")
    given = _given(bounds, fixed, (target, strength), np.column_stack([ties[tied], tied]), shape)
    tie_boxes(ties, tied, lower, upper)
    asked_for = strength.any(axis=0) | ((smoothness > 0) & (lower == upper).any(axis=0))
    _rest(gram.idle & ~asked_for, ties, lower, upper)
    projections, energies = project(gram, rows, threads, device)
    return Problem(
        gram=gram,
        targets=rows,
        projections=projections,
        energies=energies,
        alpha=float(alpha),
        smoothness=float(smoothness),
        lower=lower,
        upper=upper,
        init=_init(init, lower, upper, ties),
        prior_target=target,
        prior_strength=strength,
        ties=ties,
        given=given,
        warnings=list(gram.warnings),
    )


def largest_strength(lower: Float64, upper: Float64) -> float:
    """The largest alpha or smoothness whose terms do not overflow in a box (T, K)."""
    return float(LARGEST_TERM / (16.0 * lower.size * (1.0 + max(np.abs(lower).max(), np.abs(upper).max())) ** 2))


def _given(
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


def _rest(idle: NDArray[np.bool_], ties: NDArray[np.int64], lower: Float64, upper: Float64) -> None:
    """Pins idle shapes, unless their partner moves something, at the point of their box nearest to zero."""
    moved = np.bincount(ties, weights=~idle, minlength=len(ties))[ties] > 0
    lower[:, ~moved] = upper[:, ~moved] = np.clip(0.0, lower[:, ~moved], upper[:, ~moved])


def _init(init: ArrayLike | None, lower: Float64, upper: Float64, ties: NDArray[np.int64]) -> Float64 | None:
    if init is None:
        return None
    start = _broadcast("init", init, (lower.shape[0], lower.shape[1]))
    pinned = lower == upper  # pins win over the start
    _check_inside("init", start, ~pinned, lower, upper)
    return np.clip(start[:, ties], lower, upper)
