"""Shapes that are nearly made up of others: what the Gram matrix costs, and that it is told."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._findings.ambiguity import ambiguous_pairs
from tests.support.inverse_rigs import random_rig


def near_rig(rng, apart, vertices=200, shapes=8, combinations=()):
    """Shapes 3 and 5 differ by ``apart`` of their size."""
    deltas = rng.normal(size=(shapes, vertices, 3))
    deltas[5] = deltas[3] + apart * rng.normal(size=(vertices, 3))
    return rc.BlendshapeRig(rng.normal(size=(vertices, 3)), deltas, combinations)


@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-5, 1e-6])
def test_weights_are_those_of_least_squares_on_the_vertices(apart):
    rng = np.random.default_rng(1)
    rig = near_rig(rng, apart)
    truth = rng.uniform(0.2, 0.8, size=(30, 8))
    columns = np.asarray(rig.columns(), np.float64).reshape(8, -1)
    targets = (rig.rest_vertices + (truth @ columns).reshape(30, -1, 3)).astype(np.float32)
    offsets = (targets.astype(np.float64) - rig.rest_vertices).reshape(30, -1)
    slow = np.abs(np.linalg.lstsq(columns.T, offsets.T, rcond=None)[0].T - truth).max()
    result = rc.inverse.solve(rig, targets, alpha=0.0)
    assert np.abs(result.weights - truth).max() < 2.0 * slow
    assert result.converged.all()
    told = [text for text in result.warnings if "nearly made up of others: shape3, shape5;" in text]
    assert len(told) == (apart < 1e-3)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("smoothness", [0.0, 1.0])
def test_noisy_frames_are_solved_as_soon_and_as_far_as_asked(alpha, smoothness):
    rng = np.random.default_rng(2)
    pairs = [((0, 1), 0.5 * rng.normal(size=(200, 3))), ((3, 6), 0.5 * rng.normal(size=(200, 3)))]
    rig = near_rig(rng, 1e-6, combinations=pairs)
    targets = rig.evaluate(rng.uniform(size=(30, 8))) + 0.1 * rng.normal(size=(30, 200, 3)).astype(np.float32)
    result = rc.inverse.solve(rig, targets, alpha=alpha, smoothness=smoothness)
    assert result.converged.all()
    assert result.iterations.mean() < 60


def test_idle_and_identical_shapes_are_not_told_twice_and_sums_of_others_are():
    rng = np.random.default_rng(3)
    deltas = rng.normal(size=(6, 50, 3))
    deltas[1], deltas[2], deltas[5] = 0.0, deltas[0], deltas[3] + deltas[4]
    gram = rc.inverse.Solver(rc.BlendshapeRig(rng.normal(size=(50, 3)), deltas)).gram
    assert (gram.independence[[0, 1, 2]] > 0.5).all()
    assert (gram.independence[3:] < 1e-6).all()
    (told,) = [text for text in gram.warnings if "made up" in text]
    assert "shape3, shape4, shape5;" in told


def test_independence_is_the_distance_to_the_span_of_the_others(tolerance):
    rig = random_rig(np.random.default_rng(4))
    omega = np.random.default_rng(5).uniform(0.1, 2.0, 40)
    gram = rc.inverse.Solver(rig, vertex_weights=omega).gram
    columns = (np.asarray(rig.columns()[:8], np.float64) * np.sqrt(omega)[:, None]).reshape(8, -1).T
    for k in range(8):
        others = np.delete(columns, k, axis=1)
        left = columns[:, k] - others @ np.linalg.lstsq(others, columns[:, k], rcond=None)[0]
        assert gram.independence[k] == pytest.approx(
            np.linalg.norm(left) / np.linalg.norm(columns[:, k]), rel=tolerance["float64_converged"]
        )


def test_pairs_that_noise_leaves_ambiguous_are_named_by_their_angle():
    """Lip corners that nearly repeat each other; brows that are made up of two others, at rest in the shot."""
    rng = np.random.default_rng(6)
    deltas = rng.normal(size=(8, 200, 3))
    deltas[5] = deltas[3] + 0.02 * rng.normal(size=(200, 3))
    deltas[6] = deltas[4] + 0.05 * rng.normal(size=(200, 3))
    deltas[2] = deltas[0] + deltas[1]
    names = ["browL", "browR", "brow", "cornerUp", "dimple", "smile", "stretch", "jaw"]
    rig = rc.BlendshapeRig(rng.normal(size=(200, 3)), deltas, names=names)
    weights = rng.uniform(size=(20, 8))
    weights[:, :3] = 0.0
    targets = rig.evaluate(weights) + 0.05 * rng.normal(size=(20, 200, 3)).astype(np.float32)
    solver = rc.inverse.Solver(rig)
    found = solver.solve(targets, alpha=1.0)
    (told,) = ambiguous_pairs(solver.gram, found, 10.0)
    assert "0.5 mm left per coordinate: cornerUp with smile (1.1 degrees apart, weights to +-0.1)" in told
    assert "brow" not in told
    assert "dimple with stretch" not in told  # 2.9 degrees apart, and found to 0.04


def test_a_shot_without_noise_leaves_no_pair():
    rng = np.random.default_rng(7)
    rig = near_rig(rng, 0.01)
    solver = rc.inverse.Solver(rig)
    found = solver.solve(rig.evaluate(rng.uniform(size=(9, 8))), alpha=0.0)
    assert ambiguous_pairs(solver.gram, found, 1.0) == []
