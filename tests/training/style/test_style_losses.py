"""Terms of the loss of style transfer beside slow NumPy (Bailey 2020, 6.9 to 6.14)."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._style import descent, networks, splines
from rigcast.training._style.model import relative_motion

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

RNG = np.random.default_rng(0)
COUNT, POINTS, SIZE = 3, 5, 8
DTYPE = np.float32


def tensor(array):
    return torch.from_numpy(np.asarray(array, DTYPE))


def confidence_maps():
    heat = RNG.normal(0.0, 3.0, (COUNT, POINTS, SIZE, SIZE))
    return np.exp(heat) / np.exp(heat).sum(axis=(2, 3), keepdims=True)


def places():
    return RNG.uniform(-1.0, 1.0, (COUNT, POINTS, 2))


def jacobians():
    return np.eye(2) + RNG.normal(0.0, 0.3, (COUNT, POINTS, 2, 2))


def test_key_points_are_expectations_of_coordinates(tolerance):
    maps = confidence_maps()
    expected = np.zeros((COUNT, POINTS, 2))
    for y in range(SIZE):
        for x in range(SIZE):
            expected += maps[:, :, y, x, None] * [(2 * x + 1) / SIZE - 1, (2 * y + 1) / SIZE - 1]
    found = networks.expected_places(torch, tensor(maps))
    np.testing.assert_allclose(found, expected, atol=tolerance["float32"])


def test_crowding_is_equation_6_11(tolerance):
    some, sharpness = places(), 7.0
    expected = np.zeros(COUNT)
    for i in range(POINTS):
        for j in range(i + 1, POINTS):
            expected += np.exp(-sharpness * ((some[:, i] - some[:, j]) ** 2).sum(axis=1))
    assert float(descent.crowding(torch, tensor(some), sharpness)) == pytest.approx(
        expected.mean(), rel=tolerance["float32"]
    )


def test_points_on_the_background_are_equation_6_10(tolerance):
    maps = confidence_maps()
    background = (RNG.random((COUNT, 1, SIZE, SIZE)) < 0.5).astype(DTYPE)
    expected = sum(maps[:, i, y, x] * background[:, 0, y, x] for i in range(POINTS) for y in range(SIZE)
                   for x in range(SIZE)).mean()  # fmt: skip
    assert float(descent.on_background(torch, tensor(maps), tensor(background))) == pytest.approx(
        expected, rel=tolerance["float32"]
    )


def test_a_larger_background_is_averaged_over_each_place_of_the_maps(tolerance):
    maps = confidence_maps()
    background = (RNG.random((COUNT, 1, SIZE, SIZE)) < 0.5).astype(DTYPE)
    large = background.repeat(2, axis=2).repeat(2, axis=3)
    found = [float(descent.on_background(torch, tensor(maps), tensor(one))) for one in (background, large)]
    assert found[0] == pytest.approx(found[1], rel=tolerance["float32"])


def test_stretching_is_equation_6_12(tolerance):
    some = jacobians()
    expected = ((some - np.eye(2)) ** 2).sum(axis=(1, 2, 3)).mean()
    assert float(descent.stretching(torch, tensor(some))) == pytest.approx(expected, rel=tolerance["float32"])


def test_identities_are_not_stretched():
    assert float(descent.stretching(torch, tensor(np.tile(np.eye(2), (2, 3, 1, 1))))) == 0.0


def test_differences_are_means_over_the_pyramid_inside_of_the_mask(tolerance):
    made, wanted = RNG.random((2, COUNT, 3, SIZE, SIZE))
    mask = (RNG.random((COUNT, 1, SIZE, SIZE)) < 0.6).astype(DTYPE)
    expected = 0.0
    for level in range(4):
        pixels = 2**level
        apart = (made - wanted) * mask
        means = apart.reshape(COUNT, 3, SIZE // pixels, pixels, SIZE // pixels, pixels).mean(axis=(3, 5))
        expected += pixels**2 * np.abs(means).sum(axis=(1, 2, 3)) / (3 * mask.sum(axis=(1, 2, 3)))
    found = descent.pyramid_difference(torch, tensor(made), tensor(wanted), tensor(mask))
    assert float(found) == pytest.approx(expected.mean() / 4, rel=tolerance["float32"])


def test_pictures_outside_of_the_mask_cost_nothing():
    made, wanted = tensor(RNG.random((2, COUNT, 3, SIZE, SIZE)))
    mask = torch.zeros(COUNT, 1, SIZE, SIZE)
    mask[:, :, :4] = 1.0
    made[:, :, :4] = wanted[:, :, :4]
    assert float(descent.pyramid_difference(torch, made, wanted, mask)) == 0.0


def test_an_equivariant_detector_costs_nothing(tolerance):
    """Its points are at T(mu'), and its Jacobians T' J', of what it finds in the warped picture."""
    warp = splines.Splines(torch, torch.from_numpy(splines.random_splines(RNG, COUNT, 0.3, 0.1, 0.1)))
    warped = networks.KeyPoints(tensor(places()), tensor(jacobians()))
    found = networks.KeyPoints(warp.points(warped.places), warp.jacobians(warped.places) @ warped.jacobians)
    moved, turned = descent.equivariance(torch, found, warped, warp)
    assert float(moved) == 0.0
    assert float(turned) < tolerance["float32"]


def test_a_detector_that_ignores_the_warp_pays_for_points_and_jacobians():
    warp = splines.Splines(torch, torch.from_numpy(splines.random_splines(RNG, COUNT, 0.3, 0.1, 0.1)))
    same = networks.KeyPoints(tensor(places()), tensor(jacobians()))
    moved, turned = descent.equivariance(torch, same, same, warp)
    assert float(moved) > 0.05
    assert float(turned) > 0.05


def test_relative_motion_is_equations_6_13_and_6_14(tolerance):
    (start, now, rest), (a, b, c) = (places() for _ in range(3)), (jacobians() for _ in range(3))
    points = [networks.KeyPoints(tensor(mu), tensor(j)) for mu, j in ((start, a), (now, b), (rest, c))]
    found = relative_motion(torch, *points)
    np.testing.assert_allclose(found.places, start + now - rest, atol=tolerance["float32"])
    np.testing.assert_allclose(found.jacobians, b @ np.linalg.inv(c) @ a, atol=tolerance["float32_scaled"])


def test_without_motion_the_source_keeps_its_key_points(tolerance):
    start, rest = (networks.KeyPoints(tensor(places()), tensor(jacobians())) for _ in range(2))
    found = relative_motion(torch, start, rest, rest)
    np.testing.assert_allclose(found.places, start.places, atol=tolerance["float32"])
    np.testing.assert_allclose(found.jacobians, start.jacobians, atol=tolerance["float32_scaled"])


def test_local_warps_lead_from_driving_to_source(tolerance):
    """T(z) = mu_S + J_S J_D^-1 (z - mu_D) of each key point, and no motion first."""
    (source, driving), (a, b) = (places() for _ in range(2)), (jacobians() for _ in range(2))
    centers = splines.pixel_centers(torch, SIZE, "cpu")
    found = networks.local_warps(
        torch, centers, *(networks.KeyPoints(tensor(mu), tensor(j)) for mu, j in ((source, a), (driving, b)))
    )
    z = centers.numpy()[2, 6]
    for i in range(POINTS):
        expected = source[1, i] + a[1, i] @ np.linalg.inv(b[1, i]) @ (z - driving[1, i])
        np.testing.assert_allclose(found[1, 1 + i, 2, 6], expected, atol=tolerance["float32_scaled"])
    np.testing.assert_array_equal(found[1, 0], centers)


def test_singular_jacobians_have_finite_inverses():
    found = networks.inverse(torch, torch.zeros(1, 1, 2, 2))
    assert bool(torch.isfinite(found).all())
