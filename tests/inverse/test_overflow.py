"""Numbers beyond all numbers: a frame that meets them does not count as solved."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods import majorize_minimize
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.support.inverse_rigs import random_rig

FRAMES = 3


def problem_of(corrections):
    rng = np.random.default_rng(0)
    rig = random_rig(rng, corrections=corrections)
    targets = rig.evaluate(rng.uniform(size=(FRAMES, 8)))
    return make_problem(Request(Gram(rig), targets, alpha=1.0))


@pytest.fixture
def problem():
    """Of a rig of shapes alone, whose frames have one start."""
    return problem_of(0)


def solve(problem, start, *, coupled=False, terms=None):
    """Weights, iterations, converged of the engine, which takes starts and terms as they are."""
    return _core.descend(
        problem.products,
        problem.gram.core,
        terms or problem.terms(),
        start,
        (problem.prior_target, problem.prior_strength),
        problem.ties,
        alpha=problem.alpha,
        smoothness=float(coupled),
        tolerance=1e-9,
        sharpness=1.0,
        max_iterations=200,
        coupled=coupled,
        threads=0,
        solved=lambda frames: None,
        report=lambda steps, ratio: None,
    )


def overflowing(problem):
    """Terms and a start in a box so wide that products with the Gram matrix overflow to both sides: NaN."""
    projections, linear, quadratic, lower, upper = problem.terms()
    start = np.full_like(lower, 1e308)
    return (projections, linear, quadratic, np.full_like(lower, -1.5e308), np.full_like(upper, 1.5e308)), start


@pytest.mark.parametrize("coupled", [False, True])
def test_a_start_that_is_nan_does_not_converge(problem, coupled):
    start = problem.start()
    start[:, 2] = np.nan
    assert not solve(problem, start, coupled=coupled)[2].any()


def test_a_pinned_start_that_is_nan_does_not_converge():
    rng = np.random.default_rng(1)
    rig = rc.BlendshapeRig(rng.normal(size=(9, 3)), rng.normal(size=(1, 9, 3)))
    problem = make_problem(Request(Gram(rig), rig.evaluate([[0.5]]), alpha=0.0, fixed=[0.5]))
    assert not solve(problem, np.array([[np.nan]]))[2].any()


def test_frames_after_a_start_that_is_nan_are_solved(problem):
    start = problem.start()
    start[0, 2] = np.nan
    assert solve(problem, start)[2].tolist() == [False, True, True]


def test_other_starts_replace_one_that_is_nan():
    problem = problem_of(8)  # combinations: zero and the linear solution are starts, too
    weights, _, converged = solve(problem, np.full((FRAMES, 8), np.nan))
    assert np.isfinite(weights).all()
    assert converged.all()


@pytest.mark.parametrize("coupled", [False, True])
def test_a_frame_that_overflows_does_not_converge(problem, coupled):
    terms, start = overflowing(problem)
    assert not solve(problem, start, coupled=coupled, terms=terms)[2].any()


def test_a_frame_that_overflows_keeps_its_last_finite_point(problem):
    terms, start = overflowing(problem)
    weights = solve(problem, start, terms=terms)[0]
    assert np.isfinite(weights).all()


def test_the_published_method_does_not_converge_where_the_energy_overflows():
    problem = problem_of(8)
    part = slice(0, FRAMES)
    frames = majorize_minimize.frames(problem, part) | {"energies": np.full(FRAMES, np.inf)}
    found = majorize_minimize.bound(problem).solve(frames, problem.start(), 1e-9, 10, 1)
    assert not found[2].any()
