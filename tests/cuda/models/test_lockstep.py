"""Gradient steps in lockstep: they end the frames, in the numbers that NumPy takes, and do not depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._gram import Gram
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.cuda.models.test_inverse import shot
from tests.support.inverse_rigs import in_between_rig, macro_rig, near_duplicates_rig, random_rig

DECAY, GROWTH = 0.98, 1.1  # of the curvature, as the kernel has them


def linear_problem(seed, frames=30):
    rig = random_rig(np.random.default_rng(seed), shapes=9, corrections=0)
    problem = make_problem(Request(Gram(rig), shot(rig, frames, seed, noise=0.5), alpha=1.0))
    return problem, on_cuda.solver(problem.gram, problem.core.ties)


def steps_of(gram, terms, start, limit, most=400):
    """Accelerated projected gradient of one frame of a linear rig, in plain NumPy: the point and the steps, or None."""
    p, linear, quadratic, lower, upper = terms
    scale = 2 * np.diag(gram)
    hessian = 2 * gram / np.sqrt(np.outer(scale, scale))
    curvature = max(np.linalg.eigvalsh(hessian)[-1], 1.0)
    scale = scale + 2 * quadratic
    x = y = np.clip(start, lower, upper)
    t, slope, length, change = 1.0, 0.0, 1.0, np.zeros_like(x)
    for steps in range(most):
        gradient = 2 * (gram @ y - p + quadratic * y) + linear
        descent = np.maximum(np.where(y < upper, -gradient, 0), np.where(y > lower, gradient, 0))
        if descent.max() <= limit:
            return y, steps
        seen = (gradient @ change - slope) / length
        curvature = GROWTH * seen if seen > curvature else DECAY * curvature
        ahead = np.clip(y - gradient / (curvature * scale), lower, upper)
        if (y - ahead) @ (scale * (ahead - x)) > 0:
            t, momentum = 1.0, 0.0
        else:
            after = (1 + np.sqrt(1 + 4 * t * t)) / 2
            t, momentum = after, (t - 1) / after
        following = np.clip(ahead + momentum * (ahead - x), lower, upper)
        x, change, y = ahead, following - y, following
        slope, length = gradient @ change, change @ (scale * change)
    return None


@pytest.mark.parametrize("seed", range(3))
def test_frames_of_a_linear_rig_take_the_steps_of_numpy(seed, cuda_lane, tolerance):
    problem, solver = linear_problem(seed)
    limits = 1e-9 * np.asarray(problem.core.scale)
    weights, steps, converged = solver.solve(problem.core.terms, problem.core.start, limits, 200)
    jobs, rest = solver.effort
    assert converged.all()
    assert (jobs, rest) == (30, 0)  # one minimum: one start per frame, and no Newton steps
    for frame in range(30):
        terms = [term[frame] for term in problem.core.terms]
        point, expected = steps_of(problem.gram.matrix, terms, problem.core.start[frame], limits[frame])
        assert abs(steps[frame] - expected) <= 1  # the curvature is that of a power iteration
        np.testing.assert_allclose(weights[frame], point, rtol=0, atol=tolerance["float64_converged"])


def test_a_frame_takes_the_same_steps_alone(cuda_lane):
    problem, solver = linear_problem(1)
    limits = 1e-9 * np.asarray(problem.core.scale)
    whole = solver.solve(problem.core.terms, problem.core.start, limits, 200)
    for frame in (0, 7, 29):
        cut = slice(frame, frame + 1)
        own = tuple(term[cut] for term in problem.core.terms)
        alone = solver.solve(own, problem.core.start[cut], limits[cut], 200)
        assert [a.tobytes() for a in alone] == [a[cut].tobytes() for a in whole]


def test_more_frames_than_slots(cuda_lane):
    problem, _ = linear_problem(2, frames=300)
    limits = 1e-9 * np.asarray(problem.core.scale)
    found = []
    for workspace in (0, 1 << 28):  # one slot per lane; as many as there are frames
        arguments = len(problem.core.ties), *on_cuda.factors(problem.gram, problem.core.ties), problem.gram.matrix
        solver = cuda_lane.InverseSolver(*arguments, workspace=workspace)
        found.append([a.tobytes() for a in solver.solve(problem.core.terms, problem.core.start, limits, 200)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("make", "fewest", "most"),
    [
        (lambda rng: random_rig(rng, tents=False), 0.0, 0.05),  # products of weights: few crawl
        (in_between_rig, 0.3, 1.0),  # knots: the team solver has the last word, but for starts that are given up
        (macro_rig, 1.0, 1.0),  # no shape moves a vertex alone: gradient steps are not tried
        (near_duplicates_rig, 0.0, 1.0),
    ],
)
def test_the_team_solver_is_left_what_gradient_steps_do_not_end(make, fewest, most, cuda_lane):
    rig = make(np.random.default_rng(0))
    targets = shot(rig, 40, 0)
    solver = rc.inverse.Solver(rig)
    result = solver.solve(targets, alpha=0.1, device="cuda")
    jobs, rest = on_cuda.solver(solver.gram, make_problem(Request(solver.gram, targets, alpha=0.1)).core.ties).effort
    assert result.converged.all()
    assert jobs >= 40
    assert fewest * jobs <= rest <= most * jobs


def test_other_starts_come_to_the_solution_and_are_given_up(cuda_lane):
    rig = random_rig(np.random.default_rng(0), shapes=8, corrections=6)
    solver = rc.inverse.Solver(rig)
    targets = shot(rig, 40, 0)
    result = solver.solve(targets, alpha=1.0, device="cuda")
    again = solver.solve(targets, alpha=1.0, init=result.weights, device="cuda")
    np.testing.assert_allclose(again.objective, result.objective, rtol=1e-12)  # the same minima: rounding alone
    first = solver.solve(targets, alpha=1.0, tolerance=1e-9, device="cuda").iterations
    assert (again.iterations < first).mean() > 0.9
