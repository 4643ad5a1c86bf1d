"""The problem of a shot, checked and projected by the engine, with the targets and notes that only Python needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import BlendshapeRig
from rigcast._similarity import compared_frames, is_mirrored
from rigcast._validate import Arguments, bad_argument
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._gram import Gram
from rigcast.inverse._request import Request, is_auto
from rigcast.inverse._shot import DeviceTargets, Shot, frames_of, on_host

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
    targets : (T, V, 3) or (T, M, 3) float32, or DeviceTargets
        As given: all vertices of the rig, or the chosen ones.
    core : _core.InverseProblem
        The same in the engine.
    given : Given
        The arguments of ``solve`` that made box, priors and ties.
    warnings : list of str
        For the solution.
    """

    gram: Gram
    targets: Shot
    core: _core.InverseProblem
    given: Given = field(default_factory=Given)
    warnings: list[str] = field(default_factory=list)

    @property
    def host_targets(self) -> NDArray[np.float32]:
        """The targets, where all of them must be in host memory."""
        return on_host(self.targets)

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
        return ShotProblem(self.gram, frames_of(self.targets, frames), self.core.at(rows))

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


def make_problem(request: Request, projected: tuple[Float64, Float64] | None = None) -> ShotProblem:
    """Check the arrays of a request and project its targets; an alpha that is not chosen yet is 0.

    Parameters
    ----------
    request : Request
    projected : (T, N) and (T,) float64, optional
        Projections and energies that are known.

    Raises
    ------
    ValueError
        Naming function, argument, what it is and what it must be.
    """
    gram, rows = request.gram, request.gram.checked_shot(request.targets)
    given, pairs, init = _read_constraints(request, len(rows))
    core = _core.InverseProblem(
        gram.core,
        rows.shape if isinstance(rows, DeviceTargets) else rows,
        alpha=0.0 if is_auto(request.alpha) else float(request.alpha),
        smoothness=0.0 if is_auto(request.smoothness) else float(request.smoothness),
        bounds=given.get("bounds"),
        fixed=given.get("fixed"),
        prior_target=given.get("prior_target"),
        prior_strength=given.get("prior_strength"),
        symmetric=pairs,
        init=init,
        projected=projected or _projected(gram, rows, request.device),
        threads=request.threads,
    )
    if not core.prior_strength.any():
        given.pop("prior_target", None)
        given.pop("prior_strength", None)
    return ShotProblem(gram, rows, core, given, gram.warnings + _mirrored_note(gram, rows))


def _read_constraints(request: Request, frames: int) -> tuple[Given, list[tuple[int, int]], Float64 | None]:
    """Return bounds, pins, priors and pairs of a request for a number of frames; pairs as a list; the start (T, K).

    Raises
    ------
    ValueError
        If one is no array of numbers of a shape that fits, or a pair names no shapes.
    """
    given: Given = {}
    shapes, priors = request.gram.rig.num_shapes, request.priors
    if request.bounds is not None:
        bounds = Arguments("solve", K=shapes).numbers("bounds", request.bounds, "2", "K 2")
        given["bounds"] = np.array(np.broadcast_to(bounds, (shapes, 2)))
    if request.fixed is not None:
        given["fixed"] = _broadcast("fixed", request.fixed, (frames, shapes), missing=True)
    if priors is not None:
        if not isinstance(priors, (tuple, list)) or len(priors) != 2:
            raise bad_argument("solve", "priors", f"a {type(priors).__name__}", "a pair (targets, strengths)")
        given["prior_target"] = _broadcast("priors[0]", priors[0], (frames, shapes))
        given["prior_strength"] = _broadcast("priors[1]", priors[1], (frames, shapes))
    pairs = _shape_pairs(request.gram.rig, request.symmetric)
    if pairs:
        given["symmetric"] = np.array(sorted(pairs, key=lambda pair: pair[1]), np.int64)
    init = None if request.init is None else _broadcast("init", request.init, (frames, shapes))
    return given, pairs, init


def _broadcast(argument: str, value: ArrayLike, shape: tuple[int, int], *, missing: bool = False) -> Float64:
    check = Arguments("solve", T=shape[0], K=shape[1])
    return np.array(np.broadcast_to(check.numbers(argument, value, "", "K", "T K", missing=missing), shape))


def _shape_pairs(rig: BlendshapeRig, symmetric: Sequence[tuple[int | str, int | str]] | None) -> list[tuple[int, int]]:
    """Return pairs of shape indices, from names or indices."""
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


def _projected(gram: Gram, rows: Shot, device: str) -> tuple[Float64, Float64] | None:
    """Return projections (T, N) and energies (T,) that the device made; None if the engine makes them."""
    return on_cuda.project(gram, rows) if device == "cuda" else None


def _mirrored_note(gram: Gram, targets: Shot) -> list[str]:
    """Return a sentence about checked targets (T, M, 3) that are mirror images of the rig, or nothing."""
    if not is_mirrored(gram.neutral, gram.chosen(targets[compared_frames(len(targets))])):
        return []
    return [
        "the shot looks mirrored: a reflection takes the rig to most of its frames far better than any rotation does; "
        "change the sign of one axis (selfie video, left-handed program), or exchange left and right vertices"
    ]
