"""Majorization-minimization: its bound and its steps against the paper's formulas on vertices, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigcast as rc
from rigcast.inverse import Solver
from rigcast.inverse._gram import Gram
from rigcast.inverse._methods.majorize_minimize import bound, frames
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.conftest import TOLERANCES
from tests.inverse.inverse import arrays_of, shot_of, slow_bound, slow_objective

KINDS = ["linear", "pairs", "any"]
BOXES = [(0.0, 1.0), (-0.5, 1.5)]
ALPHA = 0.5


def surrogate(rig, target, weights, alpha=ALPHA, **chosen):
    """The engine's bound on one frame around weights."""
    problem = make_problem(Request(Gram(rig, **chosen), target, alpha=alpha))
    return bound(problem).surrogate(frames(problem, slice(0, 1)), 0, weights)


def psi(bound, v):
    return bound["value"] + (bound["q"] * v + bound["r"] * v**2 + bound["s"] * v**4).sum(axis=-1)


def one_step(rig, target, weights, **chosen):
    solved = rc.inverse.solve(rig, target, "mm", alpha=ALPHA, init=weights, max_iterations=1, **chosen)
    return solved.weights[0]


def random_weights(bounds, count, seed, knots=()):
    """Feasible weights; a few at the ends of the box and at knots."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(*bounds, count)
    special = [*bounds, *[x for x in knots if bounds[0] <= x <= bounds[1]]]
    chosen = rng.random(count) < 0.4
    weights[chosen] = rng.choice(special, chosen.sum())
    return weights


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_the_coefficients_are_the_papers_for_rigs_with_pairs(seed):
    arrays = arrays_of("pairs", seed, num_vertices=8)
    rig, targets = shot_of(arrays, frames=1, seed=seed)
    idle = Solver(rig).gram.idle  # pinned at rest
    weights = np.where(idle, 0.0, random_weights((0.0, 1.0), rig.num_shapes, seed))
    ours = surrogate(rig, targets[0], weights)
    q, r, norm, s = slow_bound(arrays, targets[0], weights, ALPHA)
    np.testing.assert_allclose(ours["q"], q, rtol=TOLERANCES["float32"], atol=TOLERANCES["float32"] * np.abs(q).max())
    assert ours["s"] == pytest.approx(s, rel=TOLERANCES["gram"])
    # r may be above the published one by the stated 1% of sum |h|^2, never below
    assert r * (1 - TOLERANCES["float32"]) <= ours["r"][0] <= r + 2 * 0.01 * norm + TOLERANCES["float32"] * r
    assert len(set(ours["r"])) == 1
    np.testing.assert_array_equal(ours["low"], -weights)
    np.testing.assert_allclose(ours["high"], np.where(idle, 0.0, 1 - weights), atol=TOLERANCES["float64"])


@settings(max_examples=60)
@given(kind=st.sampled_from(KINDS), box=st.sampled_from(BOXES), seed=st.integers(0, 10**6))
def test_the_bound_touches_the_objective_and_lies_above_it(kind, box, seed):
    arrays = arrays_of(kind, seed, num_vertices=12)
    rig, targets = shot_of(arrays, box, frames=1, seed=seed)
    rng = np.random.default_rng(seed)
    omega = rng.uniform(0, 2, len(arrays[0]))
    weights = random_weights(box, rig.num_shapes, seed, knots=(0.25, 0.5, 0.75))
    found = surrogate(rig, targets[0], weights, vertex_weights=omega)
    here = slow_objective(arrays, targets[0], weights, ALPHA, omega)
    assert psi(found, 0.0 * weights) == pytest.approx(here, rel=TOLERANCES["float32"])
    for length in (1e-3, 0.1, 1.0):
        steps = length * rng.uniform(found["low"], found["high"], (20, len(weights)))
        above = [psi(found, v) - slow_objective(arrays, targets[0], weights + v, ALPHA, omega) for v in steps]
        assert min(above) >= -TOLERANCES["float32"] * here
    # and it has the objective's slope: three points give that of a parabola, which the objective is along one weight
    inside = 0.5 * np.where(found["high"] > -found["low"], found["high"], found["low"])
    for k in np.flatnonzero(np.abs(inside) > 1e-3):
        step = np.where(np.arange(len(weights)) == k, inside, 0.0)
        near, far = (slow_objective(arrays, targets[0], weights + n * step, ALPHA, omega) for n in (1, 2))
        slope = (4 * near - far - 3 * here) / (2 * step[k])
        scale = max(abs(near), abs(far), here) / abs(step[k])
        assert slope == pytest.approx(found["q"][k], abs=TOLERANCES["float32_sum"] * scale)


@settings(max_examples=25)
@given(kind=st.sampled_from(KINDS), box=st.sampled_from(BOXES), seed=st.integers(0, 10**6))
def test_a_step_is_the_bounds_minimizer_along_every_weight(kind, box, seed):
    rig, targets = shot_of(arrays_of(kind, seed, num_vertices=12), box, frames=1, seed=seed)
    weights = random_weights(box, rig.num_shapes, seed, knots=(0.25, 0.5, 0.75))
    weights[Solver(rig).gram.idle] = np.clip(0.0, *box)  # where shapes that move nothing rest
    found = surrogate(rig, targets[0], weights)
    step = one_step(rig, targets[0], weights) - weights
    grid = np.linspace(found["low"], found["high"], 2001)
    along = found["q"] * grid + found["r"] * grid**2 + found["s"] * grid**4
    ours = found["q"] * step + found["r"] * step**2 + found["s"] * step**4
    size = np.abs(along).max(axis=0)
    assert (ours <= along.min(axis=0) + TOLERANCES["float64"] * size).all()
    assert (ours >= along.min(axis=0) - 1e-5 * size).all()  # the grid's own coarseness


@pytest.mark.parametrize(
    ("q", "r", "s"), [(1, 1, 0), (1, 1, 1e-30), (1, 0, 1), (-3, 1e-12, 1), (1, 1e6, 1e-6), (0, 0, 0)]
)
def test_extreme_quartics_keep_their_digits(q, r, s):
    """Rigs of one shape and one coordinate make any r and q; s comes with a pair of tiny strength."""
    neutral = np.zeros((1, 3), np.float32)
    deltas = np.zeros((2, 1, 3), np.float32)
    deltas[0, 0, 0] = np.sqrt(r / 2)
    pair = np.zeros((1, 3), np.float32)
    pair[0, 1] = np.sqrt(s)  # sigma = sqrt(s) / 2, so that 2 K sigma^2 = s
    rig = rc.BlendshapeRig(neutral, deltas, [((0, 1), pair)], bounds=(-1.0, 1.0))
    found = surrogate(rig, np.zeros((1, 3), np.float32), np.zeros(2), alpha=abs(q))
    step = rc.inverse.solve(rig, np.zeros((1, 3), np.float32), "mm", alpha=abs(q), max_iterations=1).weights[0]
    slope = found["q"] + 2 * found["r"] * step + 4 * found["s"] * step**3
    terms = np.abs(found["q"]) + 2 * np.abs(found["r"] * step) + 4 * np.abs(found["s"] * step**3)
    at_rest = Solver(rig).gram.idle & (step == 0.0)
    assert ((np.abs(slope) <= 1e-12 * terms) | (np.abs(step) == 1.0) | at_rest).all()
    assert np.isfinite(step).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_rises(kind, seed):
    arrays = arrays_of(kind, seed, num_vertices=20)
    rig, targets = shot_of(arrays, frames=1, seed=seed)
    solver = Solver(rig)
    trail = [solver.solve(targets[0], "mm", alpha=ALPHA, max_iterations=n) for n in (1, 2, 3, 5, 8, 20, 50, 200, 1000)]
    values = np.array([solved.objective[0] for solved in trail])
    assert (np.diff(values) <= TOLERANCES["gram"] * values[0]).all()
    assert values[-1] < slow_objective(arrays, targets[0], np.zeros(rig.num_shapes), ALPHA)
    weights = trail[-1].weights[0]
    assert values[-1] == pytest.approx(slow_objective(arrays, targets[0], weights, ALPHA), rel=TOLERANCES["float32"])


@pytest.mark.parametrize("method", ["mm", "mm_cet"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_to_rest_only_at_first_order_optima(kind, method):
    rig, targets = shot_of(arrays_of(kind, 3), (-0.5, 1.25), frames=4, seed=5)
    solved = rc.inverse.solve(rig, targets, method, alpha=ALPHA, tolerance=1e-15, max_iterations=100_000)
    neutral = rc.inverse.solve(rig, targets, method, alpha=ALPHA, max_iterations=1)
    assert solved.converged.all()
    assert (solved.optimality <= 1e-4 * neutral.optimality.max()).all()


def test_for_convex_frames_it_ends_where_descent_ends(tolerance):
    rig, targets = shot_of(arrays_of("linear", 8), frames=3, seed=8)
    theirs = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, tolerance=1e-15, max_iterations=100_000)
    ours = rc.inverse.solve(rig, targets, "descent", alpha=ALPHA)
    np.testing.assert_allclose(theirs.weights, ours.weights, atol=tolerance["float32_scaled"])


def test_pins_priors_ties_and_markers_belong_to_the_problem():
    arrays = arrays_of("any", 11)
    rig, targets = shot_of(arrays, frames=2, seed=11)
    pins = np.full(rig.num_shapes, np.nan)
    pins[2] = 0.25
    settings = {
        "vertices": np.arange(5, 45),
        "vertex_weights": np.linspace(0.1, 2, 40),
        "fixed": pins,
        "priors": (0.5, 2.0),
        "symmetric": [(0, 1)],
    }
    solved = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, tolerance=1e-15, max_iterations=50_000, **settings)
    assert (solved.weights[:, 2] == 0.25).all()
    np.testing.assert_array_equal(solved.weights[:, 0], solved.weights[:, 1])
    start = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, max_iterations=1, **settings)
    assert (solved.objective < start.objective).all()
    assert (solved.optimality <= 1e-4 * start.optimality.max()).all()


def test_the_same_bytes_for_any_number_of_threads():
    rig, targets = shot_of(arrays_of("any", 2), frames=9, seed=2)
    one, three = (rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, threads=n, max_iterations=300) for n in (1, 3))
    assert one.weights.tobytes() == three.weights.tobytes()


def test_what_it_says_about_an_early_stop():
    rig, targets = shot_of(arrays_of("any", 2), frames=2, seed=2)
    solved = rc.inverse.solve(rig, targets, "mm", alpha=ALPHA, tolerance=0.0, max_iterations=3)
    assert not solved.converged.any()
    assert (solved.iterations == 3).all()
