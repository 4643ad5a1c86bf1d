"""The steps of a solve in the order in which they happen.

Loops over solves are here and below: alphas on the way to the elbow, rounds of reweighting for a robust loss, rounds of
head motion, the solve that precedes a temporal term. A solve with fixed terms is one call of a method, and the loops of
``descent`` over frames, starts and steps are the engine's (``cpp/rigcast/inverse/solve.h``).
A robust loss is a sequence of squared solves with reweighted targets, so methods and Gram matrix know nothing of it.
The weights of all methods are measured alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._choices.reweighting import robust_solution
from rigcast.inverse._choices.terms import with_smoothness, with_terms
from rigcast.inverse._methods.closed_forms import cet, seol
from rigcast.inverse._methods.descent import descent
from rigcast.inverse._methods.localized import cet_loc
from rigcast.inverse._methods.majorize_minimize import mm, mm_cet
from rigcast.inverse._methods.sequential_quadratic import sqp
from rigcast.inverse._motion.rigid import without_rigid_motion
from rigcast.inverse._motion.with_weights import without_motion_found_with_weights
from rigcast.inverse._problem import ShotProblem, make_problem
from rigcast.inverse._request import TOGETHER, Request
from rigcast.inverse._solution import Solution, measured

Found = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]

#: Methods by name: weights (T, K), iterations (T,), converged (T,) of a problem.
FUNCTIONS: dict[str, Callable[[ShotProblem, Request], Found]] = {
    function.__name__: function for function in (descent, mm, mm_cet, cet, cet_loc, seol, sqp)
}


def solve_request(request: Request) -> tuple[Solution, ShotProblem]:
    """Solve a checked request; return the problem in the rig's frame, too."""
    if not request.waits_for_weights:
        return _solved(request)
    first, problem = _solved(replace(request, smoothness=0.0))
    request = with_smoothness(request, problem, first)
    if request.smoothness == 0.0:
        return first, problem
    solution, problem = _solved(request)
    solution.seconds += first.seconds
    return solution, problem


def _solved(request: Request) -> tuple[Solution, ShotProblem]:
    """Solve a request whose smoothness is known."""
    started = time.perf_counter()
    motion = None
    if request.rigid is not None:
        request, motion = without_rigid_motion(request)
    problem = make_problem(request)
    if request.has_open_terms:
        request = with_terms(request, problem)
        problem = problem.with_alpha(float(request.alpha))
    if request.rigid == TOGETHER:
        problem, motion = without_motion_found_with_weights(problem, request)
    if request.is_robust:
        solution = robust_solution(problem, request)
    else:
        solution = measured(problem, request, *FUNCTIONS[request.method](problem, request))
    solution.transforms = motion
    solution.seconds = time.perf_counter() - started
    return solution, problem
