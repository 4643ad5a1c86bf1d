"""Numbers beyond all numbers: a frame that meets them does not count as solved."""

from __future__ import annotations

from dataclasses import replace

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


def solve(problem, start, *, coupled=False):
    """Weights, iterations, converged of the engine, which takes starts as they are."""
    core = problem.core.with_smoothness(float(coupled))
    report = {"solved": lambda frames: None, "report": lambda steps, ratio: None}
    return _core.descend(
        problem.gram.core, core, start, tolerance=1e-9, max_iterations=200, coupled=coupled, threads=0, **report
    )


def overflowing(problem):
    """The problem with projections that a device has overflowed to both sides, so that their sum is NaN."""
    projected = np.full((FRAMES, len(problem.gram.matrix)), np.nan), np.zeros(FRAMES)
    core = problem.core.with_targets(problem.gram.core, problem.targets, projected)
    return replace(problem, core=core), np.full((FRAMES, problem.num_shapes), 0.5)


@pytest.mark.parametrize("coupled", [False, True])
def test_a_start_that_is_nan_does_not_converge(problem, coupled):
    start = problem.core.start
    start[:, 2] = np.nan
    assert not solve(problem, start, coupled=coupled)[2].any()


def test_a_pinned_start_that_is_nan_does_not_converge():
    rng = np.random.default_rng(1)
    rig = rc.BlendshapeRig(rng.normal(size=(9, 3)), rng.normal(size=(1, 9, 3)))
    problem = make_problem(Request(Gram(rig), rig.evaluate([[0.5]]), alpha=0.0, fixed=[0.5]))
    assert not solve(problem, np.array([[np.nan]]))[2].any()


def test_frames_after_a_start_that_is_nan_are_solved(problem):
    start = problem.core.start
    start[0, 2] = np.nan
    assert solve(problem, start)[2].tolist() == [False, True, True]


def test_other_starts_replace_one_that_is_nan():
    problem = problem_of(8)  # combinations: zero and the linear solution are starts, too
    weights, _, converged = solve(problem, np.full((FRAMES, 8), np.nan))
    assert np.isfinite(weights).all()
    assert converged.all()


@pytest.mark.parametrize("coupled", [False, True])
def test_a_frame_that_overflows_does_not_converge(problem, coupled):
    assert not solve(*overflowing(problem), coupled=coupled)[2].any()


def test_a_frame_that_overflows_keeps_its_last_finite_point(problem):
    weights = solve(*overflowing(problem))[0]
    assert np.isfinite(weights).all()


def test_the_published_method_does_not_converge_where_the_energy_overflows():
    problem = problem_of(8)
    part = slice(0, FRAMES)
    frames = majorize_minimize.frames(problem, part) | {"energies": np.full(FRAMES, np.inf)}
    found = majorize_minimize.bound(problem).solve(frames, problem.core.start, 1e-9, 10, 1)
    assert not found[2].any()
