"""A shot to invert, checked: targets as offsets from the neutral, bounds, pins, priors, ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, ProductModel
from rigcast._validate import bad_argument
from rigcast.inverse._constraints import (
    Given,
    box,
    checked_start,
    fix_idle,
    given_arguments,
    largest_strength,
    prior_terms,
    tie_boxes,
    tie_list,
)
from rigcast.inverse._gram import Gram
from rigcast.inverse._projection import project

Float64 = NDArray[np.float64]


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
    given = given_arguments(bounds, fixed, (target, strength), np.column_stack([ties[tied], tied]), shape)
    tie_boxes(ties, tied, lower, upper)
    asked_for = strength.any(axis=0) | ((smoothness > 0) & (lower == upper).any(axis=0))
    fix_idle(gram.idle & ~asked_for, ties, lower, upper)
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
        init=checked_start(init, lower, upper, ties),
        prior_target=target,
        prior_strength=strength,
        ties=ties,
        given=given,
        warnings=list(gram.warnings),
    )
