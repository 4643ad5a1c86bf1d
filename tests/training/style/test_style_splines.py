"""Thin-plate splines: what they pass through, their derivatives, and pictures that they warp."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._style import splines

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def of_targets(targets):
    return splines.Splines(torch, torch.from_numpy(splines.spline_coefficients(targets)))


def random_targets(seed, count=3):
    centers = splines.control_points()
    return centers + np.random.default_rng(seed).normal(0.0, 0.1, (count, *centers.shape))


def test_a_spline_passes_through_its_control_points(tolerance):
    targets = random_targets(1)
    centers = torch.from_numpy(splines.control_points()).expand(3, -1, -1)
    np.testing.assert_allclose(of_targets(targets).points(centers), targets, atol=tolerance["float64"])


def test_affine_targets_make_an_affine_map(tolerance):
    turn, shift = np.array([[0.9, -0.2], [0.3, 1.1]]), np.array([0.1, -0.2])
    targets = (splines.control_points() @ turn.T + shift)[None]
    some = np.random.default_rng(2).uniform(-1.5, 1.5, (1, 20, 2))
    found = of_targets(targets)
    np.testing.assert_allclose(found.points(torch.from_numpy(some)), some @ turn.T + shift, atol=tolerance["float64"])
    np.testing.assert_allclose(
        found.jacobians(torch.from_numpy(some)), np.broadcast_to(turn, (1, 20, 2, 2)), atol=tolerance["float64"]
    )


def test_jacobians_are_derivatives(tolerance):
    found, step = of_targets(random_targets(3)), 1e-6
    some = np.random.default_rng(4).uniform(-0.9, 0.9, (3, 10, 2))
    for axis in range(2):
        apart = step * np.eye(2)[axis]
        ends = [found.points(torch.from_numpy(some + sign * apart)).numpy() for sign in (1.0, -1.0)]
        slope = (ends[0] - ends[1]) / (2.0 * step)
        np.testing.assert_allclose(
            found.jacobians(torch.from_numpy(some))[..., axis], slope, atol=tolerance["finite_difference"]
        )


def test_the_identity_leaves_pictures_as_they_are(tolerance):
    pictures = torch.from_numpy(np.random.default_rng(5).random((2, 3, 8, 8)))
    still = of_targets(np.tile(splines.control_points(), (2, 1, 1)))
    np.testing.assert_allclose(still.pictures(pictures), pictures, atol=tolerance["float64"])


def test_a_shift_shows_what_lies_there():
    """T(z) = z + one pixel in x: the picture moves to the left."""
    pictures = torch.arange(16.0, dtype=torch.float64).reshape(1, 1, 4, 4)
    shifted = of_targets((splines.control_points() + np.array([0.5, 0.0]))[None])
    shown = shifted.pictures(pictures)
    np.testing.assert_allclose(shown[0, 0, :, :3], pictures[0, 0, :, 1:], atol=1e-9)  # float64 rounding of the solve


def test_images_of_pixels_are_those_of_their_centers(tolerance):
    found = of_targets(random_targets(7, count=2))
    centers = splines.pixel_centers(torch, 8, "cpu").double().reshape(1, -1, 2).expand(2, -1, -1)
    np.testing.assert_allclose(found.pixels(8).reshape(2, -1, 2), found.points(centers), atol=tolerance["float32"])


def test_random_splines_follow_from_the_generator():
    first, again = (splines.random_splines(np.random.default_rng(6), 4, 0.1, 0.1, 0.1) for _ in range(2))
    assert first.tobytes() == again.tobytes()
    assert len(np.unique(first.reshape(4, -1), axis=0)) == 4
