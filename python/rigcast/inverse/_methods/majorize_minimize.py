"""Majorization-minimization of Rackovic et al. (2022), for combinations of any order and in-betweens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.inverse._methods.closed_forms import ridge
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]
Result = tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]

MAX_ITERATIONS = 10_000
FRAMES_AT_ONCE = 64


def mm(problem: ShotProblem, request: Request) -> Result:
    """Algorithms 1 and 2 of the paper, from ``init`` or the point of the box nearest to zero.

    Around weights w the objective is bounded from above by ``psi(v) = F(w) + sum_j q_j v_j + r_j v_j^2 + s v_j^4``
    (eq. 18), which is minimized over every weight by itself in closed form. The bound, what is mended in the paper's
    print, and what carries it over to any order and to tents stand in
    ``cpp/rigcast/inverse/published/majorize_minimize.h``.

    A frame ends, as in the paper, where the bound falls by no more than ``tolerance`` times the squared offsets of its
    target, or after ``max_iterations`` (10,000) steps. Steps are short, of the size of one over the squared Frobenius
    norm of B, so that this can be far from the minimum: ``optimality`` shows it. With ``lengthened`` they are up to 50
    times as long, as in the code that the authors released, which ends where a step lowers the objective (of a face in
    centimeters) by less than 5e-4, or after 200 steps.
    """
    return _minimize(problem, problem.core.start, request)


def mm_cet(problem: ShotProblem, request: Request) -> Result:
    """Do the same from the clipped ridge solution of ``cet``: the paper's "psd" start. ``init`` is not used."""
    return _minimize(problem, ridge(problem), request)


def _minimize(problem: ShotProblem, start: Float64, request: Request) -> Result:
    method = bound(problem, request.threads)
    limit = request.max_iterations or MAX_ITERATIONS
    weights, done = start.copy(), 0
    iterations, converged = np.zeros(len(start), np.int64), np.zeros(len(start), bool)
    while done < len(start):
        part = slice(done, min(done + FRAMES_AT_ONCE, len(start)))
        weights[part], iterations[part], converged[part] = method.solve(
            frames(problem, part), weights[part], request.tolerance, limit, request.lengthened, request.threads
        )
        done = part.stop
        request.show(Progress("solving", done, len(start)))
    return weights, iterations, converged


def bound(problem: ShotProblem, threads: int = 0) -> Any:
    """The engine's constants for a problem's rig, box and ties; kept with the Gram matrix."""
    box = np.column_stack([problem.lower.min(axis=0), problem.upper.max(axis=0)])
    key = ("majorize_minimize", box.tobytes(), problem.core.ties.tobytes())
    prepared = problem.gram.prepared
    if key not in prepared:
        gram = problem.gram
        structure = _core.ProductModel(gram.rig, np.arange(problem.num_shapes))
        prepared[key] = _core.MajorizeMinimize(
            structure, gram.columns, gram.matrix, gram.vertex_weights, box, problem.core.ties, threads
        )
    return prepared[key]


def frames(problem: ShotProblem, part: slice) -> dict[str, NDArray[Any]]:
    """Frames of a problem as the engine takes them."""
    return {
        "offsets": problem.gram.offsets(problem.targets[part]),
        "projections": problem.core.projections[part],
        "energies": problem.core.energies[part],
        "linear": problem.core.linear[part],
        "curvature": problem.prior_strength[part],
        "lower": problem.lower[part],
        "upper": problem.upper[part],
    }
