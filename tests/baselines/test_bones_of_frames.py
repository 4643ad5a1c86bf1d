"""Bones of frames that a decomposition has not seen, under the weights that it has: skinning given the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rigcast as rc
from rigcast.baselines import SkinningDecomposition
from tests.baselines.test_ssdr import motions, parts, posed, rod, smooth

BONES = 4


def known(rest, weights):
    """A decomposition with dense weights, of two other frames."""
    bone = np.tile(np.arange(BONES, dtype=np.int32), (len(rest), 1))
    return SkinningDecomposition(rest, motions(2, BONES), bone, weights, [0.0])


def blended(rest):
    """Parts that are mostly rigid, with seams that blend."""
    return 0.8 * parts(rest, BONES) + 0.2 * smooth(rest, BONES)


def test_known_bones_of_other_frames_come_back(tolerance):
    rest = rod()
    weights = blended(rest)
    truth = motions(6, BONES, seed=1, size=0.5)
    found = known(rest, weights).bones_of(posed(rest, weights, truth), rounds=400)
    np.testing.assert_allclose(found.motions, truth, atol=tolerance["float32"])


def test_one_round_is_that_of_a_dense_reference(tolerance):
    """Bone after bone from rest, the rotation nearest to a weighted covariance (Le and Deng 2012, section 4.3)."""
    rest = rod()
    weights = blended(rest)
    frames = posed(rest, weights, motions(3, BONES, seed=2)) + 0.05 * np.sin(np.arange(360)).reshape(120, 3)
    found = known(rest, weights).bones_of(frames, rounds=1)
    for t in range(3):
        moves = np.tile(np.eye(3, 4), (1, BONES, 1, 1))
        for b in range(BONES):
            w, others = weights[:, b], weights.copy()
            others[:, b] = 0
            q = frames[t] - posed(rest, others, moves)[0]
            total = (w**2).sum()
            from_mean, to_mean = (w**2 @ rest) / total, (w @ q) / total
            u, _, vt = np.linalg.svd((w[:, None] * q).T @ rest - total * np.outer(to_mean, from_mean))
            turned = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
            moves[0, b] = np.append(turned, (to_mean - turned @ from_mean)[:, None], axis=1)
        np.testing.assert_allclose(found.motions[t], moves[0], atol=tolerance["gram"])


def test_the_objective_never_rises_and_is_that_of_the_vertices(tolerance):
    rest = rod()
    frames = posed(rest, smooth(rest, BONES), motions(5, BONES, seed=3)) + 0.1 * np.cos(rest)
    found = known(rest, blended(rest)).bones_of(frames, rounds=10)
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(found.objective))
    assert rc.metrics.vertex_error(frames, found.evaluate()).rms == pytest.approx(found.rms, rel=tolerance["printed"])


def test_bones_are_proper_rotations_of_mirrored_frames(tolerance):
    rest = rod()
    found = known(rest, blended(rest)).bones_of((rest * [1, -1, 1])[None])
    np.testing.assert_allclose(np.linalg.det(found.motions[..., :3]), 1.0, atol=tolerance["gram"])


def test_frames_of_other_vertices_are_refused():
    rest = rod()
    with pytest.raises(ValueError, match=r"bones_of: vertices"):
        known(rest, blended(rest)).bones_of(np.zeros((2, 7, 3)))
