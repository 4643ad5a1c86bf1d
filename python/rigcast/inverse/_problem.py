"""A shot to invert, checked: targets as offsets from the neutral, bounds, pins, priors, ties."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
from rigcast.inverse._request import Request, is_auto

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class InverseProblem:
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

    def at(self, frames: slice | NDArray[np.int64]) -> InverseProblem:
        """Return the same problem for some frames."""
        own = {name: getattr(self, name)[frames] for name in _PER_FRAME}
        init = None if self.init is None else self.init[frames]
        return InverseProblem(self.gram, alpha=self.alpha, smoothness=self.smoothness, init=init, ties=self.ties, **own)

    def warning(self, notes: list[str]) -> InverseProblem:
        """Return the same problem with further warnings for its solution."""
        return replace(self, warnings=self.warnings + notes)

    def with_alpha(self, alpha: float) -> InverseProblem:
        """Return the same problem with another alpha."""
        return replace(self, alpha=float(alpha))

    def with_smoothness(self, smoothness: float) -> InverseProblem:
        """Return the same problem with another temporal term."""
        return replace(self, smoothness=smoothness)

    def starting_at(self, init: Float64 | None) -> InverseProblem:
        """Return the same problem with another start (T, K), inside the box."""
        return replace(self, init=init)

    def without_priors(self) -> InverseProblem:
        """Return the same problem without priors."""
        return replace(self, prior_strength=np.zeros_like(self.prior_strength))

    def with_priors_of(self, other: InverseProblem) -> InverseProblem:
        """Return the same problem with the priors of another of the same shape."""
        return replace(self, prior_target=other.prior_target, prior_strength=other.prior_strength)

    def resting(self, shapes: NDArray[np.bool_]) -> InverseProblem:
        """Return the same problem with shapes (K,) pinned at the point of their box nearest to 0."""
        rest = np.clip(0.0, self.lower, self.upper)
        lower, upper = np.where(shapes, rest, self.lower), np.where(shapes, rest, self.upper)
        init = None if self.init is None else np.clip(self.init, lower, upper)
        return replace(self, lower=lower, upper=upper, init=init)

    def with_targets(self, targets: NDArray[np.float32], request: Request) -> InverseProblem:
        """Return the same problem for other targets (T, V, 3) or (T, M, 3), projected as a request says."""
        projections, energies = project(self.gram, targets, request.threads, request.device)
        return replace(self, targets=targets, projections=projections, energies=energies)


_PER_FRAME = ("targets", "projections", "energies", "lower", "upper", "prior_target", "prior_strength")


def make_problem(request: Request) -> InverseProblem:
    """Check the arrays of a request and project its targets; an alpha that is not chosen yet is 0.

    Raises
    ------
    ValueError
        Naming function, argument, what it is and what it must be.
    """
    gram = request.gram
    alpha, smoothness = (0.0 if is_auto(term) else float(term) for term in (request.alpha, request.smoothness))
    rows = gram.checked(request.targets)
    shape = (len(rows), gram.activations.num_shapes)
    lower, upper = box(gram.rig, request.bounds, request.fixed, shape)
    target, strength = prior_terms(request.priors, shape)
    ties = tie_list(gram.rig, request.symmetric, shape[1])
    tied = np.flatnonzero(ties != np.arange(shape[1]))
    for name, value in (("alpha", alpha), ("smoothness", smoothness)):
        if value > largest_strength(lower, upper):
            raise bad_argument("solve", name, f"{value:g}", "so small that the objective does not overflow")
    pairs = np.column_stack([ties[tied], tied])
    given = given_arguments(request.bounds, request.fixed, (target, strength), pairs, shape)
    tie_boxes(ties, tied, lower, upper)
    asked_for = strength.any(axis=0) | ((smoothness > 0) & (lower == upper).any(axis=0))
    fix_idle(gram.idle & ~asked_for, ties, lower, upper)
    projections, energies = project(gram, rows, request.threads, request.device)
    return InverseProblem(
        gram=gram,
        targets=rows,
        projections=projections,
        energies=energies,
        alpha=alpha,
        smoothness=smoothness,
        lower=lower,
        upper=upper,
        init=checked_start(request.init, lower, upper, ties),
        prior_target=target,
        prior_strength=strength,
        ties=ties,
        given=given,
        warnings=list(gram.warnings),
    )
