"""Exact descent in Gram space: thousands of frames a second, optimal to the last digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright import _core
from rigwright.errors import bad_argument
from rigwright.inverse import measures
from rigwright.inverse.options import Options
from rigwright.inverse.problem import Problem
from rigwright.progress import Progress

Float64 = NDArray[np.float64]

#: frames between two reports of progress; the engine starts anew every 256, so chunks do not change the result
CHUNK = 1024


def descent(problem: Problem, options: Options) -> tuple[Float64, NDArray[np.int64], NDArray[np.bool_]]:
    """Minimise frame by frame, each from the solution before it; no step touches a vertex.

    A rig is linear in each single weight between the knots of its in-betweens, so the objective is a parabola there and
    is minimised exactly, over all pieces. Newton steps over the weights that are off their bounds make it fast, these
    exact steps make it sure: a frame ends where its optimality meets the tolerance and no single weight can improve it.
    Corrections make several minima possible; frames that differ much from the one before them, and every 32nd, are
    solved from zero and from the clipped linear solution as well, and the best is kept.
    """
    if problem.smoothness > 0 and options.joint is not False:
        raise bad_argument("solve", "joint", repr(options.joint), "False where there is a temporal term")
    if options.device != "cpu":
        raise bad_argument("solve", "device", repr(options.device), "'cpu'")
    start = problem.start()
    weights, iterations = np.empty_like(start), np.zeros(len(start), np.int64)
    converged = np.zeros(len(start), bool)
    thresholds = options.tolerance * measures.scale(problem)
    members = np.bincount(problem.ties, minlength=problem.num_shapes)
    terms, bending = problem.terms(), problem.smoothness * members.astype(np.float64)
    chunk = len(start) if problem.smoothness > 0 else CHUNK  # a frame may need the two before it
    for first in range(0, len(start), chunk):
        cut = slice(first, first + chunk)
        weights[cut], iterations[cut], converged[cut] = _core.solve_frames(
            problem.structure,
            problem.gram.core,
            tuple(term[cut] for term in terms),
            start[cut],
            bending,
            thresholds[cut],
            options.max_iterations or 200,
            options.threads,
        )
        options.progress(Progress("solving", min(first + chunk, len(start)), len(start)))
    return _first_of_identical(problem, weights[:, problem.ties]), iterations, converged


def _first_of_identical(problem: Problem, weights: Float64) -> Float64:
    """Shapes that move the same vertices alike: as much of their common weight as fits goes to the first."""
    for i, j in problem.gram.duplicates:
        plain = (problem.ties[[i, j]] == (i, j)).all() and (problem.ties == i).sum() + (problem.ties == j).sum() == 2
        if plain and not problem.prior_strength[:, [i, j]].any() and problem.smoothness == 0:
            total = weights[:, i] + weights[:, j]
            first = np.minimum(total - problem.lower[:, j], problem.upper[:, i])
            weights[:, i], weights[:, j] = first, np.clip(total - first, problem.lower[:, j], problem.upper[:, j])
    return weights
