"""The problem of a shot, checked and projected by the engine, with what only Python needs: targets, notes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._constraints import Given, given_arrays, given_start, shape_pairs
from rigcast.inverse._gram import Gram
from rigcast.inverse._request import Request, is_auto

Float64 = NDArray[np.float64]


class Measures(NamedTuple):
    """The figures of a shot's weights; ``Solution`` describes each."""

    objective: Float64  # (T,)
    optimality: Float64  # (T,)
    rmse: Float64  # (T,)
    gap: Float64 | None  # (T,)


@dataclass(frozen=True)
class ShotProblem:
    """The objective that every method minimizes, and its box; ``cpp/rigcast/inverse/problem.h`` states both.

    Attributes
    ----------
    gram : Gram
        The rig seen from the chosen vertices.
    targets : (T, V, 3) or (T, M, 3) float32
        As given: all vertices of the rig, or the chosen ones.
    core : _core.InverseProblem
        The same in the engine.
    given : Given
        The arguments of ``solve`` that made box, priors and ties.
    warnings : list of str
        For the solution.
    """

    gram: Gram
    targets: NDArray[np.float32]
    core: _core.InverseProblem
    given: Given = field(default_factory=Given)
    warnings: list[str] = field(default_factory=list)

    @property
    def num_frames(self) -> int:
        """T."""
        return len(self.targets)

    @property
    def num_shapes(self) -> int:
        """K."""
        return self.gram.rig.num_shapes

    @property
    def alpha(self) -> float:
        """Sparsity."""
        return self.core.alpha

    @property
    def smoothness(self) -> float:
        """Weight of the temporal term."""
        return self.core.smoothness

    @property
    def lower(self) -> Float64:
        """(T, K): the box; pinned weights have ``lower == upper``."""
        return self.core.lower

    @property
    def upper(self) -> Float64:
        """(T, K)"""
        return self.core.upper

    @property
    def init(self) -> Float64 | None:
        """(T, K): the start that the caller gave."""
        return self.core.init

    @property
    def prior_target(self) -> Float64:
        """(T, K): c of the priors."""
        return self.core.prior_target

    @property
    def prior_strength(self) -> Float64:
        """(T, K): s of the priors, 0 where there is none."""
        return self.core.prior_strength

    def measure(self, weights: Float64, threads: int = 0, device: str = "cpu", *, causal: bool = False) -> Measures:
        """Measure weights (T, K) inside the box that are equal for tied shapes.

        ``causal``: the optimality is that of each frame given the two before it, not that of the whole shot.

        Raises
        ------
        NumericalError
            If something overflows.
        """
        vertices = None
        if device == "cuda":
            vertices = on_cuda.solver(self.gram, self.core.ties).measure(self.core.vertices_alone, weights)
        return Measures(*self.core.measure(self.gram.core, weights, causal, vertices, threads))

    def at(self, frames: slice | NDArray[np.int64]) -> ShotProblem:
        """Return the same problem for some frames."""
        rows = np.arange(self.num_frames)[frames]
        return ShotProblem(self.gram, self.targets[frames], self.core.at(rows))

    def warning(self, notes: list[str]) -> ShotProblem:
        """Return the same problem with further warnings for its solution."""
        return replace(self, warnings=self.warnings + notes)

    def with_alpha(self, alpha: float) -> ShotProblem:
        """Return the same problem with another alpha."""
        return replace(self, core=self.core.with_alpha(alpha))

    def with_smoothness(self, smoothness: float) -> ShotProblem:
        """Return the same problem with another temporal term."""
        return replace(self, core=self.core.with_smoothness(smoothness))

    def without_priors(self) -> ShotProblem:
        """Return the same problem without priors."""
        return replace(self, core=self.core.without_priors())

    def starting_at(self, init: Float64 | None) -> ShotProblem:
        """Return the same problem with another start (T, K), inside the box."""
        return replace(self, core=self.core.starting_at(init))

    def resting(self, shapes: NDArray[np.bool_]) -> ShotProblem:
        """Return the same problem with shapes (K,) pinned at the point of their box nearest to 0."""
        return replace(self, core=self.core.resting(shapes.tolist()))

    def with_targets(self, targets: NDArray[np.float32], request: Request) -> ShotProblem:
        """Return the same problem for other targets (T, V, 3) or (T, M, 3), projected as a request says."""
        projected = _projected(self.gram, targets, request.device)
        core = self.core.with_targets(self.gram.core, targets, projected, request.threads)
        return replace(self, targets=targets, core=core)


def make_problem(request: Request) -> ShotProblem:
    """Check the arrays of a request and project its targets; an alpha that is not chosen yet is 0.

    Raises
    ------
    ValueError
        Naming function, argument, what it is and what it must be.
    """
    gram, rows = request.gram, request.gram.checked(request.targets)
    given = given_arrays(request, len(rows))
    core = _engine_problem(request, rows, given, _projected(gram, rows, request.device))
    tied = np.flatnonzero(core.ties != np.arange(gram.rig.num_shapes))
    if len(tied):
        given["symmetric"] = np.column_stack([core.ties[tied], tied]).astype(np.int64)
    if not core.prior_strength.any():
        given.pop("prior_target", None)
        given.pop("prior_strength", None)
    return ShotProblem(gram, rows, core, given, list(gram.warnings))


def check_constraints(request: Request) -> None:
    """Check everything of a shot but its targets' numbers, without projecting them.

    Raises
    ------
    ValueError
        As :func:`make_problem`.
    """
    gram, rows = request.gram, request.gram.checked(request.targets)
    nothing = np.zeros((len(rows), len(gram.matrix))), np.zeros(len(rows))
    _engine_problem(request, rows, given_arrays(request, len(rows)), nothing)


def _engine_problem(
    request: Request, rows: NDArray[np.float32], given: Given, projected: tuple[Float64, Float64] | None
) -> _core.InverseProblem:
    gram = request.gram
    alpha, smoothness = (0.0 if is_auto(term) else float(term) for term in (request.alpha, request.smoothness))
    return _core.InverseProblem(
        gram.core,
        rows,
        alpha=alpha,
        smoothness=smoothness,
        bounds=given.get("bounds"),
        fixed=given.get("fixed"),
        prior_target=given.get("prior_target"),
        prior_strength=given.get("prior_strength"),
        symmetric=shape_pairs(gram.rig, request.symmetric),
        init=given_start(request, len(rows)),
        projected=projected,
        threads=request.threads,
    )


def _projected(gram: Gram, rows: NDArray[np.float32], device: str) -> tuple[Float64, Float64] | None:
    """Return projections (T, N) and energies (T,) that the device made; None if the engine makes them."""
    return on_cuda.projector(gram).project(rows) if device == "cuda" else None
