"""Exact descent in Gram space: thousands of frames per second, optimal to the last digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request
from rigcast.progress import Progress

Float64 = NDArray[np.float64]

#: Frames after which a solve without temporal term starts anew. A shot cut at multiples of it, each part solved with
#: its rows of ``init`` (or without any, as the whole), gives the bytes of a single solve.
FRAMES_PER_RUN: int = _core.INVERSE_FRAMES_PER_RUN

_MOST_STEPS = 200  # of a frame, on a device
_FRAMES_ON_CUDA = 64 * FRAMES_PER_RUN  # between two reports of progress: enough to keep a device busy


def descent(problem: ShotProblem, request: Request) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Minimize frame by frame, each from the solution before it; no step touches a vertex.

    A rig is linear in each single weight between the knots of its in-betweens, so the objective is a parabola there and
    is minimized exactly, over all pieces. Newton steps over the weights that are off their bounds make it fast, these
    exact steps make it sure: a frame ends where its optimality meets the tolerance and no single weight can improve it
    by more than such an optimality allows.
    Corrections make several minima possible; frames that differ much from the one before them, and every 32nd (up to
    every 128th, while that finds nothing better), are solved from zero and from the clipped linear solution as well,
    and the best is kept.

    With a temporal term the frames' own solutions are the start of Newton steps over the whole shot at once, whose
    Hessian is banded by frames; with ``joint=False`` each frame is solved given the two before it instead.

    On ``device="cuda"``, which has no temporal term, all frames take steps of accelerated projected gradient together,
    each from all starts; frames that crawl, and those of rigs with in-betweens, end by Newton steps. Then what a frame
    found is offered to its neighbors, as long as that helps.
    """
    if request.device == "cuda":
        return _on_cuda(problem, request)
    show, frames = request.show, problem.num_frames
    weights, iterations, converged = _core.descend(
        problem.gram.core,
        problem.core,
        problem.core.start,
        request.tolerance,
        request.max_iterations or 0,
        request.joint is not False,
        request.threads,
        lambda done: show(Progress("solving", done, frames)),
        lambda steps, ratio: show(
            Progress("smoothing", steps, 0, "solved" if ratio <= 1 else f"{ratio:.1e} of the tolerance")
        ),
    )
    return weights, iterations, converged


def _on_cuda(problem: ShotProblem, request: Request) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Solve without a temporal term, in parts between which progress is reported."""
    gram, core = problem.gram, problem.core
    on_cuda.check_problem(gram, core.ties, problem.smoothness)
    weights, terms = core.start, core.terms
    iterations, converged = np.zeros(len(weights), np.int64), np.zeros(len(weights), bool)
    thresholds = gram.core.sharpness * request.tolerance * core.scale
    most = request.max_iterations or _MOST_STEPS
    for first in range(0, len(weights), _FRAMES_ON_CUDA):
        cut = slice(first, first + _FRAMES_ON_CUDA)
        own = tuple(term[cut] for term in terms)
        found = on_cuda.solver(gram, core.ties).solve(own, weights[cut], thresholds[cut], most)
        weights[cut], iterations[cut], converged[cut] = found
        request.show(Progress("solving", min(first + _FRAMES_ON_CUDA, len(weights)), len(weights)))
    weights, converged = _core.finish_descent(gram.core, core, weights, converged, request.tolerance, request.threads)
    return weights, iterations, converged
