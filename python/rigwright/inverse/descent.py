"""Exact descent in Gram space: thousands of frames a second, optimal to the last digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright.inverse import measures, on_cuda
from rigwright.inverse.gram import NEARLY_DEPENDENT
from rigwright.inverse.options import Options
from rigwright.inverse.problem import Problem
from rigwright.progress import Progress

Float64 = NDArray[np.float64]

#: Frames after which a solve without temporal term starts anew. A shot cut at multiples of it, each part solved with
#: its rows of ``init`` (or without any, as the whole), gives the bytes of a single solve.
CHUNK: int = _core.INVERSE_CHUNK

_SHARPEST = 1e-5  # of the tolerance; below it there is rounding

#: Steps of a frame: where shapes are nearly made up of others corrections bend the valleys that lie between them.
_MOST_STEPS, _MOST_STEPS_DEPENDENT = 200, 2000

_REPORT = {"cpu": 4 * CHUNK, "cuda": 64 * CHUNK}  # frames between two reports of progress: enough to keep a device busy


def descent(problem: Problem, options: Options) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Minimise frame by frame, each from the solution before it; no step touches a vertex.

    A rig is linear in each single weight between the knots of its in-betweens, so the objective is a parabola there and
    is minimised exactly, over all pieces. Newton steps over the weights that are off their bounds make it fast, these
    exact steps make it sure: a frame ends where its optimality meets the tolerance and no single weight can improve it
    by more than such an optimality leaves.
    Corrections make several minima possible; frames that differ much from the one before them, and every 32nd (up to
    every 128th, while that finds nothing better), are solved from zero and from the clipped linear solution as well,
    and the best is kept.

    With a temporal term the frames' own solutions are the start of Newton steps over the whole shot at once, whose
    Hessian is banded by frames; with ``joint=False`` each frame is solved given the two before it instead.

    On ``device="cuda"``, which has no temporal term, all frames start at once, each from all starts; then what a frame
    found is offered to the frames beside it, as long as that helps.
    """
    if options.device == "cuda":
        on_cuda.check_problem(problem)
    members = np.bincount(problem.ties, minlength=problem.num_shapes)
    bending = problem.smoothness * members.astype(np.float64)
    start = problem.start()
    if problem.smoothness == 0:
        weights, iterations, converged = _by_frame(problem, options, start)
    elif options.joint is False:
        weights, iterations, converged = _run(problem, options, slice(None), start, bending)
    else:
        start, before, _ = _by_frame(problem, options, start)
        weights, iterations, converged = _run(problem, options, slice(None), start, bending, joint=True)
        iterations += before
    if _sharpness(problem) < 1.0:  # asked for more than the tolerance: what reached that is solved
        found = measures.measure(problem, weights[:, problem.ties], options.threads, causal=options.joint is False)
        converged |= found.optimality <= options.tolerance * measures.scale(problem)
    return _first_of_identical(problem, weights[:, problem.ties]), iterations, converged


def _by_frame(
    problem: Problem, options: Options, start: Float64
) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Without the temporal term, in chunks between which progress is reported."""
    weights, iterations = np.empty_like(start), np.zeros(len(start), np.int64)
    converged, free = np.zeros(len(start), bool), np.zeros(problem.num_shapes)
    step = _REPORT[options.device]
    for first in range(0, len(start), step):
        cut = slice(first, first + step)
        weights[cut], iterations[cut], converged[cut] = _run(problem, options, cut, start[cut], free)
        options.progress(Progress("solving", min(first + step, len(start)), len(start)))
    return weights, iterations, converged


def _run(
    problem: Problem, options: Options, cut: slice, start: Float64, bending: Float64, *, joint: bool = False
) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    terms = tuple(term[cut] for term in problem.terms())
    sharpness = _sharpness(problem)
    thresholds = sharpness * options.tolerance * measures.scale(problem)[cut]
    patient = sharpness < 1.0 and not joint and options.device == "cpu"
    most = options.max_iterations or (_MOST_STEPS_DEPENDENT if patient else _MOST_STEPS)
    if options.device == "cuda":
        return on_cuda.solver(problem).solve(terms, start, thresholds, most)
    return _core.solve_frames(
        problem.structure,
        problem.gram.core,
        terms,
        start,
        bending,
        thresholds,
        most,
        joint,
        options.threads,
        lambda steps, ratio: options.progress(
            Progress("smoothing", steps, 0, "solved" if ratio <= 1 else f"{ratio:.1e} of the tolerance")
        ),
    )


def _sharpness(problem: Problem) -> float:
    """What the tolerance is multiplied by where shapes are nearly made up of others.

    Along what tells such shapes apart the objective bends by the square of their independent part only, so that a
    gradient within the tolerance may hide a wrong weight.
    """
    least = float(problem.gram.independence.min(initial=1.0))
    return min(max((least / NEARLY_DEPENDENT) ** 2, _SHARPEST), 1.0)


def _first_of_identical(problem: Problem, weights: Float64) -> Float64:
    """Shapes that move the same vertices alike: as much of their common weight as fits goes to the first."""
    for i, j in problem.gram.duplicates:
        plain = (problem.ties[[i, j]] == (i, j)).all() and (problem.ties == i).sum() + (problem.ties == j).sum() == 2
        if plain and not problem.prior_strength[:, [i, j]].any() and problem.smoothness == 0:
            total = weights[:, i] + weights[:, j]
            first = np.minimum(total - problem.lower[:, j], problem.upper[:, i])
            weights[:, i], weights[:, j] = first, np.clip(total - first, problem.lower[:, j], problem.upper[:, j])
    return weights
