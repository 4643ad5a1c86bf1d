"""Majorization-minimization with the steps of its authors' released code: against slow NumPy, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigcast as rc
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.majorize_minimize import bound, frames
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.conftest import TOLERANCES
from tests.inverse.inverse import arrays_of, shot_of, slow_objective

KINDS = ["linear", "pairs", "any"]
ALPHA = 0.5
LENGTHS = (50.0, 20.0, 10.0, 5.0)


def bound_of(rig, target, weights):
    """The engine's coefficients of the bound, which are tested against the paper's by themselves."""
    problem = make_problem(Request(Gram(rig), target, alpha=ALPHA))
    return bound(problem).surrogate(frames(problem, slice(0, 1)), 0, weights)


def slow_step(found):
    """The bound's minimizer along every weight: the real root of its slope, in the range of the step."""
    steps = []
    for q, r, low, high in zip(found["q"], found["r"], found["low"], found["high"], strict=True):
        roots = np.roots([4 * found["s"], 0.0, 2 * r, q]) if found["s"] > 0 else np.array([-q / (2 * r)])
        steps.append(np.clip(roots[np.argmin(np.abs(roots.imag))].real, low, high))
    return np.array(steps)


def slow_lengthened(arrays, target, weights, step, box=(0.0, 1.0)):
    """Where the longest step ends that is lower than the step itself, and the objectives of all of them."""
    ends = [np.clip(weights + length * step, *box) for length in (1.0, *LENGTHS)]
    values = np.array([slow_objective(arrays, target, end, ALPHA) for end in ends])
    lower = np.flatnonzero(values[1:] < values[0])
    return ends[1 + lower[0] if len(lower) else 0], values


@settings(max_examples=40)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 10**6))
def test_a_step_is_the_longest_that_ends_lower_than_the_step_itself(kind, seed):
    arrays = arrays_of(kind, seed, num_vertices=12)
    rig, targets = shot_of(arrays, frames=1, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.0, 1.0, rig.num_shapes)
    weights[Gram(rig).idle] = 0.0  # where shapes that move nothing rest
    found = bound_of(rig, targets[0], weights)
    end, values = slow_lengthened(arrays, targets[0], weights, slow_step(found))
    near = np.abs(np.diff(np.sort(values))).min() <= TOLERANCES["float32_sum"] * values.max()
    solved = rc.inverse.solve(rig, targets[0], "mm", alpha=ALPHA, init=weights, max_iterations=1, lengthened=True)
    if near:  # two lengths that float32 columns do not tell apart: the objective alone is determined
        wanted = slow_objective(arrays, targets[0], end, ALPHA)
        assert solved.objective[0] == pytest.approx(wanted, rel=TOLERANCES["float32_sum"])
        return
    np.testing.assert_allclose(solved.weights[0], end, atol=TOLERANCES["float32_sum"])


def objective_after(solver, target, count, *, lengthened):
    how = {"max_iterations": count, "tolerance": 0.0, "lengthened": lengthened}
    return float(solver.solve(target, "mm", alpha=ALPHA, **how).objective[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_rises(kind, seed):
    rig, targets = shot_of(arrays_of(kind, seed, num_vertices=20), frames=1, seed=seed)
    solver = rc.inverse.Solver(rig)
    counts = (1, 2, 3, 5, 8, 20, 50, 200)
    values = np.array([objective_after(solver, targets[0], n, lengthened=True) for n in counts])
    assert (np.diff(values) <= TOLERANCES["gram"] * values[0]).all()


@pytest.mark.parametrize("seed", range(4))
def test_without_combinations_the_authors_200_steps_end_lower_than_as_many_short_ones(seed):
    rig, targets = shot_of(arrays_of("linear", seed, num_vertices=20), frames=1, seed=seed)
    solver = rc.inverse.Solver(rig)
    long, short = (objective_after(solver, targets[0], 200, lengthened=flag) for flag in (True, False))
    assert long <= short * (1 + TOLERANCES["gram"])


@pytest.mark.parametrize("method", ["mm", "mm_cet"])
def test_a_frame_ends_with_the_step_that_lowers_its_objective_by_no_more_than_the_tolerance(method):
    rig, targets = shot_of(arrays_of("pairs", 3), frames=1, seed=5)
    solver, tolerance = rc.inverse.Solver(rig), 1e-4
    energy = float(np.square(targets[0].astype(np.float64) - rig.rest_vertices).sum())
    ended = solver.solve(targets[0], method, alpha=ALPHA, tolerance=tolerance, lengthened=True)
    count = int(ended.iterations[0])
    assert ended.converged.all()
    assert count > 2
    trail = [
        float(
            solver.solve(targets[0], method, alpha=ALPHA, tolerance=0.0, max_iterations=n, lengthened=True).objective[0]
        )
        for n in (count - 2, count - 1, count)
    ]
    assert trail[1] - trail[2] <= tolerance * energy < trail[0] - trail[1]


def test_for_convex_frames_it_ends_where_descent_ends(tolerance):
    rig, targets = shot_of(arrays_of("linear", 8), frames=3, seed=8)
    theirs = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, tolerance=1e-15, max_iterations=100_000, lengthened=True)
    ours = rc.inverse.solve(rig, targets, "descent", alpha=ALPHA)
    np.testing.assert_allclose(theirs.weights, ours.weights, atol=tolerance["float32_scaled"])


def test_tied_shapes_stay_tied_and_pins_stay():
    rig, targets = shot_of(arrays_of("any", 11), frames=2, seed=11)
    pins = np.full(rig.num_shapes, np.nan)
    pins[2] = 0.25
    solved = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, fixed=pins, symmetric=[(0, 1)], lengthened=True)
    np.testing.assert_array_equal(solved.weights[:, 0], solved.weights[:, 1])
    np.testing.assert_array_equal(solved.weights[:, 2], np.full(2, 0.25, solved.weights.dtype))


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"method": "descent", "lengthened": True}, "lengthened is True with method 'descent'"),
        ({"method": "mm", "lengthened": 50}, "lengthened is 50"),
    ],
)
def test_other_methods_and_lengths_are_refused(chosen, told):
    rig, targets = shot_of(arrays_of("linear", 8), frames=1, seed=8)
    with pytest.raises(ValueError, match=told):
        rc.inverse.solve(rig, targets, alpha=ALPHA, **chosen)
