"""The steps of a solve in the order in which they happen.

A robust loss is a row of squared solves with reweighted targets, so methods and Gram matrix know nothing of it. The
weights of all methods are measured alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast.inverse._choices.loss import RobustLoss
from rigcast.inverse._choices.reweighting import objective, reweighted
from rigcast.inverse._choices.terms import waits_for_weights, with_alpha, with_relative_alpha, with_smoothness_of
from rigcast.inverse._methods.closed_forms import cet, seol
from rigcast.inverse._methods.descent import descent
from rigcast.inverse._methods.localized import cet_loc
from rigcast.inverse._methods.majorize_minimize import mm, mm_cet
from rigcast.inverse._methods.sequential_quadratic import sqp
from rigcast.inverse._motion.joint import without_joint_motion
from rigcast.inverse._motion.rigid import mirrored_note, without_rigid_motion
from rigcast.inverse._problem import ShotProblem, make_problem
from rigcast.inverse._request import CLOSED_FORMS, TOGETHER, Request, checked
from rigcast.inverse._solution import Solution, measured
from rigcast.progress import Progress

Found = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]

#: Methods by name: weights (T, K), iterations (T,), converged (T,) of a problem.
FUNCTIONS: dict[str, Callable[[ShotProblem, Request], Found]] = {
    function.__name__: function for function in (descent, mm, mm_cet, cet, cet_loc, seol, sqp)
}


def solve_request(request: Request) -> tuple[Solution, ShotProblem]:
    """Solve, and return the problem in the rig's frame with it; ``solve`` adds warnings, which a part must not have."""
    request = checked(request)
    if not waits_for_weights(request):
        return _solved(request)
    first, problem = _solved(replace(request, smoothness=0.0))
    request = with_smoothness_of(request, problem, first)
    if request.smoothness == 0.0:
        return first, problem
    solution, problem = _solved(request)
    solution.seconds += first.seconds
    return solution, problem


def _solved(request: Request) -> tuple[Solution, ShotProblem]:
    """Solve a request whose smoothness is known."""
    started = time.perf_counter()
    request, motion = without_rigid_motion(request)
    problem = make_problem(request)
    problem = problem.warning(mirrored_note(problem.gram, problem.targets))
    request = with_relative_alpha(request, problem)
    request = with_alpha(request, problem)
    problem = problem.with_alpha(float(request.alpha))
    if request.rigid == TOGETHER:
        problem, motion = without_joint_motion(problem, request)
    solution = _robust(problem, request) if request.is_robust else _squared(problem, request)
    solution.transforms = motion
    solution.seconds = time.perf_counter() - started
    return solution, problem


def _squared(problem: ShotProblem, request: Request) -> Solution:
    found = FUNCTIONS[request.method](problem, request)
    if request.method in CLOSED_FORMS:
        request.show(Progress("solving", problem.num_frames, problem.num_frames))
    return measured(problem, request, *found)


def _robust(problem: ShotProblem, request: Request) -> Solution:
    """Solve with a loss: optimality is that of the reweighted targets, all else that of the given ones."""
    loss = RobustLoss(request.loss, float(request.loss_scale))
    pulled, weights, iterations, converged = reweighted(problem, request, loss)
    solution = measured(problem, request, weights, iterations, converged)
    solution.optimality = pulled.measure(solution.weights, request.threads, request.device).optimality
    solution.objective = objective(problem, solution.weights, loss, request.threads)
    solution.gap = None
    solution.loss, solution.loss_scale = loss.name, loss.scale
    return solution
