"""Noise and motion told apart, and the smoothness that follows from them."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse import Solver
from rigcast.inverse._gram import Gram
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from tests.support.characters.moving_head import face_curves, head_turns, moved, moving_face


def second_differences(weights: np.ndarray) -> float:
    """Root mean square, frame by frame."""
    bends = [weights[t - 1] - 2 * weights[t] + weights[t + 1] for t in range(1, len(weights) - 1)]
    return float(np.sqrt(np.mean(np.square(bends))))


def noisy_shot(frames: int, noise: float, seed: int = 0):
    face, weights = moving_face(), face_curves(frames, seed)
    clean = face.evaluate(weights.astype(np.float32))
    return face, weights, clean + np.random.default_rng(seed).normal(0, noise, clean.shape)


@pytest.mark.parametrize("noise", [0.005, 0.05])
def test_noise_is_measured(noise):
    face, _, shot = noisy_shot(80, noise)
    found = rc.inverse.jitter(face, shot, rc.inverse.solve(face, shot, alpha=0.0).weights)
    # An estimate of 3 per cent from this many vertices.
    assert found.noise == pytest.approx(noise, rel=0.03)


def test_what_moves_smoothly_is_no_noise():
    face, _, shot = noisy_shot(80, 0.02)
    shot += np.sin(np.linspace(0, 6, 80))[:, None, None] * np.random.default_rng(1).normal(0, 0.5, shot.shape[1:])
    found = rc.inverse.jitter(face, shot, rc.inverse.solve(face, shot, alpha=0.0).weights)
    # An estimate from frames that move.
    assert found.noise == pytest.approx(0.02, rel=0.1)


def test_markers_give_the_noise_that_the_weights_did_not_follow():
    face, _, shot = noisy_shot(200, 0.02)
    chosen = np.arange(0, 468, 31)  # 16 markers: 48 numbers for some 10 free weights
    weights = rc.inverse.solve(face, shot, alpha=0.0, vertices=chosen).weights
    # An estimate of few vertices.
    assert rc.inverse.jitter(face, shot[:, chosen], weights, vertices=chosen).noise == pytest.approx(0.02, rel=0.1)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("frames", "noise"), [(60, 0.005), (60, 0.05), (240, 0.05), (240, 0.1)])
def test_smoothness_by_measure_leaves_the_motion_and_loses_no_accuracy(frames, noise, seed):
    face, weights, shot = noisy_shot(frames, noise, seed)
    without = rc.inverse.solve(face, shot, alpha=0.01)
    found = rc.inverse.solve(face, shot, alpha=0.01, smoothness="auto")
    assert second_differences(found.weights) < 2 * second_differences(weights)
    assert np.abs(found.weights - weights).mean() < 1.005 * np.abs(without.weights - weights).mean()


def test_without_smoothness_such_weights_jitter():
    face, weights, shot = noisy_shot(240, 0.05)
    assert second_differences(rc.inverse.solve(face, shot, alpha=0.01).weights) > 5 * second_differences(weights)


def test_a_clean_shot_is_not_smoothed():
    face, _, shot = noisy_shot(60, 0.0)
    plain, found = (rc.inverse.solve(face, shot, alpha=0.01, smoothness=s) for s in (0.0, "auto"))
    assert found.smoothness == 0.0
    np.testing.assert_array_equal(found.weights, plain.weights)


@pytest.mark.parametrize("meters_per_unit", [0.01, 1.0])
def test_smoothness_scales_with_the_unit(meters_per_unit, tolerance):
    face, _, shot = noisy_shot(60, 0.05)
    about = {"meters_per_unit": 0.01 * meters_per_unit}
    deltas = face.columns()[:20] / meters_per_unit
    other = rc.BlendshapeRig(face.rest_vertices / meters_per_unit, deltas, metadata=about)
    found = rc.inverse.solve(other, shot / meters_per_unit, alpha=0.0, smoothness="auto")
    beside = rc.inverse.solve(rc.BlendshapeRig(face.rest_vertices, face.columns()[:20]), shot, alpha=0.0)
    expected = rc.inverse.jitter(rc.BlendshapeRig(face.rest_vertices, face.columns()[:20]), shot, beside.weights)
    assert found.smoothness * meters_per_unit**2 == pytest.approx(expected.smoothness, rel=tolerance["printed"])


def test_a_turning_head_and_parts_get_the_same_smoothness(tmp_path):
    face, _, shot = noisy_shot(150, 0.05)
    options = {"alpha": 0.01, "smoothness": "auto", "rigid": "auto"}
    turning = moved(shot, head_turns(150))
    parts = solve_in_parts(Request(Gram(face), turning, **options), tmp_path / "parts")
    whole = Solver(face).solve(turning, **options)
    assert parts.smoothness == whole.smoothness > 0
    np.testing.assert_array_equal(parts.weights, whole.weights)


def test_a_method_without_a_temporal_term_refuses_it():
    face, _, shot = noisy_shot(20, 0.05)
    with pytest.raises(ValueError, match="smoothness is 'auto' with method 'mm'"):
        rc.inverse.solve(face, shot, "mm", smoothness="auto")
