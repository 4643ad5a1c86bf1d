"""The inverse of a blendshape rig: weights of captured shapes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float64, Form, integers, number, numbers, threads_of, whole
from ._blendshapes import BlendshapeRig, check_rig
from ._library import Handle, bad_argument, call
from ._long import ProgressCallback, call_long, check_progress
from ._structures import CShot, CShotResult, filled
from ._structures import numbers as pair

Pairs = Sequence[tuple[Union[int, str], Union[int, str]]]
Priors = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights of a shot and how good they are; ``solve`` states the objective.

    Attributes
    ----------
    weights : (T, K) float64
        Inside the box, never NaN.
    objective : (T,) float64
        A frame's own terms: fidelity, ``alpha sum_k w_k``, priors.
    iterations : (T,) int64
        Steps of the method; in a joint solve every frame has those of the shot.
    converged : (T,) bool
        Whether the method reached its stopping rule.
    optimality : (T,) float64
        Largest entry of the projected gradient, temporal term included: 0 at a first-order optimum. With
        ``joint=False`` that of each frame given the two before.
    rmse : (T,) float64
        Root mean square distance of the chosen vertices (weighted as given), in the rig's unit.
    alpha, smoothness : float
    """

    weights: Float64
    objective: Float64
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    optimality: Float64
    rmse: Float64
    alpha: float
    smoothness: float


class InverseRig:
    """A rig and its Gram matrix, kept for more shots.

    Parameters
    ----------
    rig : BlendshapeRig
    vertices, vertex_weights
        As in :func:`solve`.
    """

    def __init__(
        self, rig: BlendshapeRig, *, vertices: ArrayLike | None = None, vertex_weights: ArrayLike | None = None
    ) -> None:
        self.rig = check_rig("solve", rig)
        chosen = None if vertices is None else integers("solve", "vertices", vertices, ("M",))
        self._count = rig.num_vertices if chosen is None else len(chosen)
        if self._count == 0:
            raise bad_argument("solve", "vertices", "empty", "at least one vertex")
        weights = None
        if vertex_weights is not None:
            weights = numbers("solve", "vertex_weights", vertex_weights, (self._count,), dtype=np.float64)
        self._handle = Handle("inverse_free", "inverse_new", rig._handle.pointer, *pair(chosen), *pair(weights))

    def solve(
        self,
        targets: ArrayLike,
        alpha: float,
        smoothness: float = 0.0,
        init: ArrayLike | None = None,
        *,
        bounds: ArrayLike | None = None,
        joint: bool | None = None,
        fixed: ArrayLike | None = None,
        priors: Priors | None = None,
        symmetric: Pairs | None = None,
        tolerance: float = 1e-9,
        max_iterations: int | None = None,
        threads: int = 0,
        progress: ProgressCallback = None,
    ) -> Solution:
        """Find the weights of a shot; arguments, results and errors are those of :func:`solve`."""
        rows = numbers("solve", "targets", targets, ("T", self._count, 3), (self._count, 3))
        frames, shapes = 1 if rows.ndim == 2 else len(rows), self.rig.num_shapes
        full = (frames, shapes)
        given = {
            "targets": rows,
            "bounds": None if bounds is None else _spread("bounds", bounds, (shapes, 2), (2,)),
            "fixed": None if fixed is None else _spread("fixed", fixed, full, (), (shapes,)),
            "prior_target": None,
            "prior_strength": None,
            "start": None if init is None else _spread("init", init, full, (), (shapes,)),
            "symmetric": None if symmetric is None else self._pairs(symmetric),
        }
        if priors is not None:
            if not isinstance(priors, (tuple, list)) or len(priors) != 2:
                raise bad_argument("solve", "priors", f"a {type(priors).__name__}", "a pair (targets, strengths)")
            for i, name in enumerate(("prior_target", "prior_strength")):
                given[name] = _spread(f"priors[{i}]", priors[i], full, (), (shapes,))
        shot = filled(
            CShot,
            given,
            frames=frames,
            alpha=number("solve", "alpha", alpha, least=0.0),
            smoothness=number("solve", "smoothness", smoothness, least=0.0),
            tolerance=number("solve", "tolerance", tolerance, above=0.0),
            max_iterations=0 if max_iterations is None else whole("solve", "max_iterations", max_iterations, 1),
            threads=threads_of("solve", threads),
            frame_by_frame=joint is False,
        )
        check_progress("solve", progress)
        return self._solved(shot, full, progress)

    def _solved(self, shot: CShot, full: tuple[int, int], progress: ProgressCallback) -> Solution:
        figures = {name: np.empty(full[0]) for name in ("objective", "optimality", "rmse")}
        counts = {name: np.empty(full[0], np.int32) for name in ("iterations", "converged")}
        weights = np.empty(full)
        result = filled(CShotResult, {"weights": weights, **figures, **counts})
        arguments = (self._handle.pointer, ctypes.byref(shot), ctypes.byref(result))
        if full[0] == 1 and progress is None:
            call("inverse_solve", *arguments)  # short: without a thread
        else:
            call_long("inverse_solve", shot, progress, *arguments)
        return Solution(
            weights,
            iterations=counts["iterations"].astype(np.int64),
            converged=counts["converged"].astype(bool),
            alpha=float(shot.alpha),
            smoothness=float(shot.smoothness),
            **figures,
        )

    def _pairs(self, symmetric: Pairs) -> NDArray[np.int32]:
        """Pairs of shape indices, from names or indices."""
        names = {name: k for k, name in enumerate(self.rig.shape_names)}
        try:
            found = [[names[shape] if isinstance(shape, str) else shape for shape in pair] for pair in symmetric]
        except (KeyError, TypeError):
            expected = "a sequence of pairs of shapes, by index or by a name of the rig's"
            raise bad_argument("solve", "symmetric", repr(symmetric), expected) from None
        return integers("solve", "symmetric", found or np.zeros((0, 2), np.int32), ("P", 2))


def solve(
    rig: BlendshapeRig,
    targets: ArrayLike,
    alpha: float,
    smoothness: float = 0.0,
    vertices: ArrayLike | None = None,
    init: ArrayLike | None = None,
    *,
    vertex_weights: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    joint: bool | None = None,
    fixed: ArrayLike | None = None,
    priors: Priors | None = None,
    symmetric: Pairs | None = None,
    tolerance: float = 1e-9,
    max_iterations: int | None = None,
    threads: int = 0,
    progress: ProgressCallback = None,
) -> Solution:
    """Find the weights of a blendshape rig that reproduce target meshes.

    Minimizes, over the box ``lower <= w_t <= upper``, without any normalization::

        sum_t ( sum_v omega_v |f_v(w_t) - b_tv|^2 + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2 )
          + smoothness sum_t |w_{t-1} - 2 w_t + w_{t+1}|^2

    with the rig f, targets b, vertex weights omega (1 by default), priors of target c and strength s (none by
    default), and second differences over the inner frames of the shot.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), (V, 3), or (T, M, 3) where ``vertices`` are given
        Finite, in the rig's unit and frame.
    alpha : float
        Sparsity, >= 0, in squared units of length: the pull of a target on a shape that is too weak to turn it on.
    smoothness : float
        Weight of the temporal term, >= 0, in squared units of length as ``alpha`` is: 2 smooths a head in centimeters
        a little, 2e-4 one in meters.
    vertices : array_like of int, shape (M,), optional
        Markers: the vertices of the rig that count.
    init : array_like, shape (K,) or (T, K), optional
        Start, inside the bounds.
    vertex_weights : array_like, shape (M,), optional
        omega.
    bounds : array_like, shape (2,) or (K, 2), optional
        The box; by default the rig's.
    joint : bool, optional
        Whether the temporal term couples all frames (the default where there is one) or each frame is solved given
        the two before it.
    fixed : array_like, shape (K,) or (T, K), optional
        Values of pinned weights, NaN where free.
    priors : pair (c, s), optional
        Each a number, (K,) or (T, K); s >= 0.
    symmetric : sequence of pairs, optional
        Shapes, by index or name, whose weights are equal.
    tolerance : float, above 0
        On ``optimality``, as a share of the size of the problem.
    max_iterations : int, optional
    threads : int
        Number of threads; 0 means all processors. The result does not depend on it.
    progress : callable, optional
        Called about 20 times per second with how many frames of how many are done. What it raises ends the solve, as
        Ctrl-C does.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If an array has a wrong shape, a value is not finite, a number is outside of its range, pins or starts lie
        outside of the bounds, or pairs name no shapes.
    """
    return InverseRig(rig, vertices=vertices, vertex_weights=vertex_weights).solve(
        targets,
        alpha,
        smoothness,
        init,
        bounds=bounds,
        joint=joint,
        fixed=fixed,
        priors=priors,
        symmetric=symmetric,
        tolerance=tolerance,
        max_iterations=max_iterations,
        threads=threads,
        progress=progress,
    )


def _spread(argument: str, value: ArrayLike, full: tuple[int, int], *others: Form) -> Float64:
    """An array of the full shape, or of one that is repeated to it."""
    array = numbers("solve", argument, value, full, *others, dtype=np.float64)
    return np.ascontiguousarray(np.broadcast_to(array, full))
