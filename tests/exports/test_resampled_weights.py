"""Weights and head motion at another rate, against interpolation written out."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.exports import resampled_weights
from tests.support.characters.faces import random_curves
from tests.support.characters.moving_head import head_turns, turn


@pytest.mark.parametrize(("fps", "to_fps", "frames"), [(48, 24, 60), (24, 48, 237), (30, 30, 119), (24, 23.976, 118)])
def test_weights_are_interpolated_over_the_same_time(fps, to_fps, frames, tolerance):
    curves = random_curves(3, 119, 4)
    found, motion = resampled_weights(curves, fps, to_fps)
    assert motion is None
    assert len(found) == frames
    times = np.arange(frames) / to_fps
    expected = np.stack([np.interp(times, np.arange(119) / fps, curve) for curve in curves.T], axis=1)
    np.testing.assert_allclose(found, expected, atol=tolerance["float32"])


def test_rotations_turn_at_constant_speed(tolerance):
    head = np.zeros((2, 3, 4))
    head[0, :, :3], head[1, :, :3] = turn(1, 0.2), 2 * turn(1, 1.4)
    head[1, :, 3] = [3.0, 0.0, -6.0]
    _, found = resampled_weights(np.zeros((2, 1)), 1, 3, transforms=head)
    for frame, share in enumerate((0, 1 / 3, 2 / 3, 1)):
        np.testing.assert_allclose(
            found[frame, :, :3], (1 + share) * turn(1, 0.2 + 1.2 * share), atol=tolerance["float64_converged"]
        )
        np.testing.assert_allclose(
            found[frame, :, 3], share * np.array([3.0, 0, -6]), atol=tolerance["float64_converged"]
        )


def test_every_other_frame_is_kept_at_half_the_rate(tolerance):
    head, curves = head_turns(31, 100), random_curves(0, 31)
    weights, motion = resampled_weights(curves, 60, 30, transforms=head)
    np.testing.assert_allclose(weights, curves[::2], atol=tolerance["float64_converged"])
    np.testing.assert_allclose(motion, head[::2], atol=tolerance["float64_converged"])


@pytest.mark.parametrize("rate", [0, -24, np.nan, "24"])
def test_other_rates_are_refused(rate):
    with pytest.raises(ValueError, match="resampled_weights: to_fps is"):
        resampled_weights(np.zeros((3, 1)), 24, rate)
