"""Rigs whose shapes nearly repeat others: every frame is solved, and what is undetermined is said."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._methods.descent import FRAMES_PER_RUN
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.support.near_copies import near_copies_rig, scans

TOLERANCE = 1e-9  # solve's own
FRAMES = 60


@pytest.fixture(scope="module")
def solver():
    return rc.inverse.Solver(near_copies_rig(0, vertices=900))


@pytest.fixture(scope="module")
def targets(solver):
    return scans(solver.gram.rig, FRAMES, 1)


def limits(solver, targets, alpha):
    return TOLERANCE * make_problem(Request(solver.gram, targets, alpha=alpha)).core.scale


ALPHAS = pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])


@ALPHAS
def test_every_frame_converges(solver, targets, alpha):
    assert solver.solve(targets, alpha=alpha).converged.all()


@ALPHAS
def test_optimality_is_below_the_tolerance_in_every_frame(solver, targets, alpha):
    assert (solver.solve(targets, alpha=alpha).optimality <= limits(solver, targets, alpha)).all()


def test_objective_is_that_of_the_rig_without_copies_at_alpha_0(solver, targets, tolerance):
    """Copies of sign 1 add range, those of sign -1 give the other direction: one weight in [low, high] is as good."""
    rig = solver.gram.rig
    count = rig.num_shapes // 2
    deltas = rig.columns()[:count].astype(np.float64)
    sign = np.sign((deltas * rig.columns()[count:]).sum(axis=(1, 2)))
    bounds = np.stack([np.minimum(sign, 0.0), 1.0 + np.maximum(sign, 0.0)], axis=1)
    plain = rc.BlendshapeRig(rig.rest_vertices, deltas)
    best = rc.inverse.solve(plain, targets, alpha=0.0, bounds=bounds).objective
    assert np.abs(solver.solve(targets, alpha=0.0).objective / best - 1.0).max() < 1e-5


def test_shapes_that_nearly_repeat_others_are_named_the_worst_first(solver, targets):
    (told,) = solver.solve(targets[:1], alpha=0.0).warnings
    assert "shapes that are nearly made up of others: " in told
    assert f"shape{solver.gram.independence.argmin()}," in told


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_frames_converge_where_corrections_bend_the_valley(alpha):
    rig = near_copies_rig(0, vertices=400, shapes=20, pairs=12)
    assert rc.inverse.solve(rig, scans(rig, 24, 1), alpha=alpha).converged.all()


def test_the_unit_of_length_does_not_matter(targets):
    rig = near_copies_rig(0, vertices=900, meters_per_unit=1.0)
    assert rc.inverse.solve(rig, scans(rig, 12, 1), alpha=1e-4).converged.all()


def test_same_bytes_for_any_number_of_threads(solver):
    long = scans(solver.gram.rig, FRAMES_PER_RUN + 4, 2)
    one, two = (solver.solve(long, alpha=0.01, threads=n).weights for n in (1, 2))
    assert np.array_equal(one, two)


@pytest.fixture(scope="module")
def head():
    """A solver of 17,000 vertices and frames with scan noise."""
    rig = near_copies_rig(3, vertices=17_000)
    return rc.inverse.Solver(rig), scans(rig, 24, 4)


def test_a_head_of_17000_vertices_converges_at_alpha_0(head):
    solver, frames = head
    assert solver.solve(frames, alpha=0.0).converged.all()


def test_a_head_of_17000_vertices_converges_at_the_elbow(head):
    solver, frames = head
    alpha = rc.inverse.trade_off(solver.gram.rig, frames, alphas=(0.0, 0.1, 1.0, 10.0), count=8).alpha
    assert solver.solve(frames, alpha=alpha).converged.all()
