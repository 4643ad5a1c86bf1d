"""Methods by name, and the one place that measures what they return."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._validate import bad_argument
from rigwright.errors import NumericalError
from rigwright.inverse import _measures as measures
from rigwright.inverse import _on_cuda as on_cuda
from rigwright.inverse._gram import Gram
from rigwright.inverse._methods.closed_forms import cet, seol
from rigwright.inverse._methods.descent import descent
from rigwright.inverse._methods.localized import cet_loc
from rigwright.inverse._methods.majorize_minimize import mm, mm_cet
from rigwright.inverse._methods.sequential_quadratic import sqp
from rigwright.inverse._options import Options
from rigwright.inverse._problem import Problem, make_problem
from rigwright.inverse._rigid_motion import without_rigid_motion
from rigwright.inverse._solution import Solution
from rigwright.progress import ProgressOption, as_callback

Float64 = NDArray[np.float64]
Method = Callable[[Problem, Options], tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]]

#: name -> function(problem, options) -> weights (T, K), iterations (T,), converged (T,)
METHODS: dict[str, Method] = {
    "descent": descent,
    "mm": mm,
    "mm_cet": mm_cet,
    "cet": cet,
    "cet_loc": cet_loc,
    "seol": seol,
    "sqp": sqp,
}

#: methods that solve a shot with a temporal term
TEMPORAL = {"descent"}


@dataclass(frozen=True)
class Solver:
    """A rig and its Gram matrix, kept for more shots.

    Parameters
    ----------
    rig : BlendshapeRig
    vertices, vertex_weights
        As in :func:`solve`.
    """

    gram: Gram

    def __init__(self, rig: Any, *, vertices: ArrayLike | None = None, vertex_weights: ArrayLike | None = None) -> None:
        object.__setattr__(self, "gram", Gram(rig, vertices=vertices, vertex_weights=vertex_weights))

    def solve(
        self,
        targets: ArrayLike,
        method: str = "descent",
        alpha: float = 5.0,
        smoothness: float = 0.0,
        init: ArrayLike | None = None,
        device: str = "cpu",
        *,
        bounds: ArrayLike | None = None,
        joint: bool | None = None,
        fixed: ArrayLike | None = None,
        priors: tuple[ArrayLike, ArrayLike] | None = None,
        symmetric: Sequence[tuple[int | str, int | str]] | None = None,
        rigid: ArrayLike | None = None,
        tolerance: float = 1e-9,
        max_iterations: int | None = None,
        threads: int = 0,
        progress: ProgressOption = None,
    ) -> Solution:
        """Weights of a shot; see :func:`solve`."""
        started = time.perf_counter()
        if not isinstance(method, str) or method not in METHODS:
            raise bad_argument("solve", "method", repr(method), "one of: " + ", ".join(METHODS))
        options = Options(tolerance, max_iterations, threads, as_callback(progress), device, joint)
        _check_device(method, device)
        transforms = None
        if rigid is not None:
            targets, transforms = without_rigid_motion(self.gram, targets, rigid)
        problem = make_problem(
            self.gram,
            targets,
            alpha=alpha,
            smoothness=smoothness,
            init=init,
            bounds=bounds,
            fixed=fixed,
            priors=priors,
            symmetric=symmetric,
            threads=threads,
            device=device,
        )
        _check_fits(method, problem)
        weights, iterations, converged = METHODS[method](problem, options)
        causal = joint is False
        solution = measure(problem, method, weights, iterations, converged, threads, device, causal=causal)
        solution.transforms = transforms
        solution.seconds = time.perf_counter() - started
        return solution


def solve(
    rig: Any,
    targets: ArrayLike,
    method: str = "descent",
    alpha: float = 5.0,
    smoothness: float = 0.0,
    vertices: ArrayLike | None = None,
    init: ArrayLike | None = None,
    device: str = "cpu",
    *,
    vertex_weights: ArrayLike | None = None,
    **options: Any,
) -> Solution:
    """Find the weights of a blendshape rig that reproduce target meshes.

    Every method minimizes, over the box ``lower <= w_t <= upper``, the same objective, without any normalization::

        sum_t ( sum_v omega_v |f_v(w_t) - b_tv|^2 + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2 )
          + smoothness sum_t |w_{t-1} - 2 w_t + w_{t+1}|^2

    with the rig f, targets b, vertex weights omega (1 by default), priors of target c and strength s (none by
    default), and second differences over the inner frames of the shot. ``Solution.objective`` holds the first
    bracket for each frame, ``Solution.shot_objective`` the whole.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), (V, 3), or (T, M, 3) where ``vertices`` are given
        Finite, in the rig's unit and frame.
    method : str
        A name of ``METHODS``. ``"descent"``: exact descent in Gram space. ``"mm"`` and ``"mm_cet"``:
        majorization-minimization. ``"sqp"``: SciPy's trust-constr. ``"cet"``, ``"cet_loc"`` and ``"seol"``: published
        closed forms, for the shapes alone.
    alpha : float
        Sparsity, >= 0, in squared units of length. Shapes that move nothing stay at rest, the value of their bounds
        nearest to 0, unless pins or priors ask for another.
    smoothness : float
        Weight of the temporal term, >= 0, in squared units of length as ``alpha`` is: 2 smooths a head in centimeters
        a little, 2e-4 one in meters. Only for methods that solve whole shots.
    vertices : (M,) int, optional
        Markers: the vertices of the rig that count.
    init : (K,) or (T, K), optional
        Start, inside the bounds. Without it methods choose theirs.
    device : str
        ``"cpu"``, or for ``"descent"`` without ``smoothness`` also ``"cuda"``; never silently replaced.
    vertex_weights : (M,), optional
        omega.
    bounds : (2,) or (K, 2), optional
        The box; by default the rig's.
    joint : bool, optional
        Whether the temporal term couples all frames (the default where there is one) or each frame is solved given
        the two before it: ``optimality`` and ``converged`` are then those of each frame's own objective with
        ``smoothness |w_t - 2 w_{t-1} + w_{t-2}|^2``, while ``shot_objective`` is that of the whole shot.
    fixed : (K,) or (T, K), optional
        Values of pinned weights, NaN where free.
    priors : pair (c, s), optional
        Each a number, (K,) or (T, K); s >= 0.
    symmetric : sequence of pairs, optional
        Shapes, by index or name, whose weights are equal.
    rigid : (R,) int, optional
        Vertices that expressions leave alone: each frame's rigid motion, fitted on them, is taken off the targets
        first and returned in ``Solution.transforms``.
    tolerance : float
        A frame is solved when ``optimality <= tolerance`` times the largest pull of its target on a shape or
        combination (:func:`rigwright.inverse._measures.scale`).
    max_iterations : int, optional
        A frame's limit; by default the method's own: 200 for ``"descent"``, 2,000 where shapes are nearly dependent.
    threads : int
        0: all processors. The result does not depend on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigwright.progress.Progress`.

    Returns
    -------
    Solution
        Early stops are told by ``converged``, odd input by ``warnings``.

    Raises
    ------
    ValueError
        Naming argument, value and bound.
    NumericalError
        If numbers of absurd size that pass these checks overflow after all.

    Notes
    -----
    ``"descent"`` works on the Gram matrix, which squares the shapes' condition. It is solved further than ``tolerance``
    where shapes are nearly made up of others, and gives the weights of least squares on the vertices as long as a
    millionth of each shape is its own; targets in float32 then leave some 1e-3 in the weights. With less of their own,
    only the sum of such shapes is determined. ``Solution.warnings`` names shapes with less than a thousandth.
    """
    return Solver(rig, vertices=vertices, vertex_weights=vertex_weights).solve(
        targets, method, alpha, smoothness, init, device, **options
    )


def measure(
    problem: Problem,
    method: str,
    weights: Float64,
    iterations: NDArray[np.int64],
    converged: NDArray[np.bool_],
    threads: int = 0,
    device: str = "cpu",
    *,
    causal: bool = False,
) -> Solution:
    """What every method reports, from its weights alone."""
    weights = np.clip(weights, problem.lower, problem.upper)
    found = measures.measure(problem, weights, threads, device, causal=causal)
    if not all(np.isfinite(part).all() for part in (weights, found.objective, found.optimality, found.rmse)):
        raise NumericalError(f"solve: method {method!r} overflowed; bring targets, bounds and terms to a common scale")
    return Solution(
        weights=weights,
        objective=found.objective,
        iterations=np.asarray(iterations, np.int64),
        converged=np.asarray(converged, bool),
        optimality=found.optimality,
        gap=found.gap,
        rmse=found.rmse,
        method=method,
        alpha=problem.alpha,
        smoothness=problem.smoothness,
        warnings=problem.warnings,
        vertices=problem.gram.vertices,
        vertex_weights=problem.gram.vertex_weights,
        **problem.given,
    )


def _check_device(method: str, device: str) -> None:
    if device != "cpu" and method != "descent":
        raise bad_argument("solve", "device", f"{device!r} with method {method!r}", "'cpu'")
    on_cuda.check_device(device)


def _check_fits(method: str, problem: Problem) -> None:
    if method not in TEMPORAL and problem.smoothness > 0:
        raise bad_argument("solve", "smoothness", f"{problem.smoothness:g} with method {method!r}", "0")
