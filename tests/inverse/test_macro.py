"""Rigs where only combinations move anything: zero is no place to start from, nor to measure the gradient at."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._gram import Gram
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request
from tests.support.inverse_rigs import macro_rig, random_rig, slow_objective


def frames_of(rig, count, seed):
    truth = np.random.default_rng(seed).uniform(0.05, 0.95, size=(count, rig.num_shapes))
    return truth, rig.evaluate(truth.astype(np.float32))


@pytest.mark.parametrize("seed", range(4))
def test_noise_free_frames_come_back(seed, tolerance):
    rig = macro_rig(np.random.default_rng(seed))
    truth, targets = frames_of(rig, 60, seed)
    result = rc.inverse.solve(rig, targets, alpha=0.0)
    assert result.converged.all()
    np.testing.assert_allclose(result.weights, truth, rtol=0, atol=tolerance["float32_character"])


def test_the_macro_rig_of_a_real_body_comes_back(data_path, tolerance):
    """Among 150 bodies some look like the one before though their weights are far apart: no jump shows there."""
    rig = rc.faces.makehuman_macro_targets(data_path("makehuman_hm08"))
    truth = np.random.default_rng(0).uniform(0.1, 0.9, size=(150, 7))
    targets = rig.evaluate(truth.astype(np.float32))
    result = rc.inverse.solve(rig, targets, alpha=0.0)
    assert result.converged.all()
    assert result.iterations.mean() < 200
    np.testing.assert_allclose(result.weights, truth, rtol=0, atol=tolerance["float32_character"])


def test_noisy_frames_are_no_worse_than_a_general_solver_from_many_starts():
    optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
    rng = np.random.default_rng(7)
    rig = macro_rig(rng, vertices=30)
    targets = frames_of(rig, 4, 7)[1] + 0.3 * rng.normal(size=(4, 30, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=0.5)
    for t, target in enumerate(targets):
        found = [
            optimize.minimize(lambda w, b=target: slow_objective(rig, b, w, alpha=0.5), start, bounds=[(0, 1)] * 5).fun
            for start in rng.uniform(size=(6, 5))
        ]
        assert result.objective[t] <= min(found) * (1 + 1e-6)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_the_scale_follows_the_unit_and_sees_combinations(unit, tolerance):
    rng = np.random.default_rng(1)
    for rig in (macro_rig(rng), random_rig(rng)):
        columns = rig.columns()
        deltas, rest = columns[: rig.num_shapes], columns[rig.num_shapes :]
        combinations = [(f, unit * c) for f, c in zip(rig.combinations, rest, strict=True)]
        other = rc.BlendshapeRig(unit * rig.rest_vertices, unit * deltas, combinations=combinations)
        targets = frames_of(rig, 3, 1)[1]
        one, two = (
            make_problem(Request(Gram(r), b, alpha=0.0)).core.scale
            for r, b in ((rig, targets), (other, np.float32(unit) * targets))
        )
        np.testing.assert_allclose(two, unit**2 * one, rtol=tolerance["float32_character"])
        # not far from the gradient at any pose
        matrix = rc.inverse.Solver(rig).gram.matrix
        assert (one > 1e-3 * np.diag(matrix).max()).all()


def test_a_frame_at_rest_is_solved_where_the_box_leaves_it_out():
    rig = random_rig(np.random.default_rng(2))
    result = rc.inverse.solve(rig, rig.rest_vertices, alpha=0.0, bounds=(0.1, 1.0))
    assert result.converged.all()
    assert result.optimality[0] <= 1e-8 * np.diag(rc.inverse.Solver(rig).gram.matrix).max()
