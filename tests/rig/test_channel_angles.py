"""Euler angles inside ranges, continuous over time, for joints with one, two or three axes."""

import numpy as np
import pytest

from rigcast._core import fit_angles
from rigcast._rigs.rotations import euler_to_matrix

ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"]
WIDE = np.tile([-180.0, 180.0], (3, 1))


@pytest.mark.parametrize("order", ORDERS)
def test_angles_make_the_rotation(order, tolerance):
    rotations = euler_to_matrix(np.random.default_rng(0).uniform(-180, 180, (200, 3)), "XYZ")
    angles = fit_angles(rotations, order, WIDE)
    np.testing.assert_allclose(euler_to_matrix(angles, order), rotations, atol=tolerance["float64"])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [-90.0, 0.0, 90.0, 180.0])
def test_angles_make_the_rotation_in_and_near_gimbal_lock(order, middle, tolerance):
    random = np.random.default_rng(1)
    angles = random.uniform(-180, 180, (60, 3))
    angles[:, 1] = middle + np.repeat([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-3], 10)
    rotations = euler_to_matrix(angles, order).astype(np.float32)
    found = fit_angles(rotations, order, WIDE)
    np.testing.assert_allclose(euler_to_matrix(found, order), rotations, atol=4 * tolerance["float32"])


def test_of_two_solutions_the_one_inside_the_ranges():
    angles = np.array([[150.0, 120.0, -100.0]])
    ranges = np.array([[90.0, 200.0], [95.0, 170.0], [-180.0, 0.0]])
    np.testing.assert_allclose(fit_angles(euler_to_matrix(angles, "XYZ"), "XYZ", ranges), angles)


def test_without_a_preference_the_smaller_angles():
    angles = np.array([[20.0, 30.0, -10.0]])
    np.testing.assert_allclose(fit_angles(euler_to_matrix(angles, "ZXY"), "ZXY", WIDE), angles)


def test_gimbal_lock_is_shared_between_the_outer_ranges():
    ranges = np.array([[-10.0, 10.0], [-90.0, 90.0], [-90.0, 90.0]])
    rotation = euler_to_matrix(np.array([[0.0, 90.0, 40.0]]), "XYZ")
    found = fit_angles(rotation, "XYZ", ranges)
    assert ((found >= ranges[:, 0] - 1e-9) & (found <= ranges[:, 1] + 1e-9)).all()


@pytest.mark.parametrize("order", ["X", "XY", "XYZ", "YXY"])
def test_clips_have_no_jumps(order):
    frame = np.arange(400)[:, None]
    clip = np.concatenate([2.0 * frame, 40 + 30 * np.sin(0.05 * frame), 100 + 1.5 * frame], axis=1)[:, : len(order)]
    ranges = np.tile([-2000.0, 2000.0], (len(order), 1))
    found = fit_angles(euler_to_matrix(clip, order), order, ranges, continuous=True)
    assert np.abs(np.diff(found, axis=0)).max() < 4.0


def test_clips_turn_on_beyond_half_a_turn(tolerance):
    clip = np.arange(0.0, 900.0, 7.0)[:, None]
    found = fit_angles(euler_to_matrix(clip, "Y"), "Y", [[-1000, 1000]], continuous=True)
    np.testing.assert_allclose(found, clip, atol=1e3 * tolerance["float64"])


def test_a_clip_stays_inside_its_range():
    clip = np.arange(0.0, 400.0, 7.0)[:, None]
    found = fit_angles(euler_to_matrix(clip, "Y"), "Y", [[-180, 180]], continuous=True)
    assert np.abs(found).max() <= 180.0 + 1e-3


def test_clips_stay_smooth_through_gimbal_lock():
    clip = np.stack([np.linspace(30, 40, 181), np.linspace(60, 120, 181), np.linspace(-20, -10, 181)], axis=1)
    found = fit_angles(euler_to_matrix(clip, "XYZ"), "XYZ", WIDE, continuous=True)
    assert np.abs(np.diff(found, axis=0)).max() < 1.0


def test_one_axis_takes_the_nearest_rotation():
    rotation = euler_to_matrix(np.array([[25.0, 5.0, -4.0]]), "XYZ")
    found = fit_angles(rotation, "X", WIDE[:1])
    traces = [np.trace(euler_to_matrix(found + step, "X")[0].T @ rotation[0]) for step in (-0.1, 0.0, 0.1)]
    assert traces[1] == max(traces)


@pytest.mark.parametrize("order", ["", "XX", "XYY", "XYZX", "xyz", "ABC"])
def test_other_orders_are_refused(order):
    with pytest.raises(ValueError, match=r"fit_angles: order is .*; it must be one to three of X, Y, Z"):
        fit_angles(np.eye(3)[None], order, np.zeros((len(order), 2)))


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match=r"ranges is \(2, 2\)"):
        fit_angles(np.eye(3)[None], "XYZ", np.zeros((2, 2)))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(wrong):
    with pytest.raises(ValueError, match="fit_angles: rotations is not finite"):
        fit_angles(np.full((1, 3, 3), wrong), "XYZ", WIDE)
    with pytest.raises(ValueError, match="fit_angles: ranges is not finite"):
        fit_angles(np.eye(3)[None], "X", [[-wrong, wrong]])


def test_ranges_upside_down_are_refused():
    with pytest.raises(ValueError, match="fit_angles: ranges is descending in row 1; it must be low <= high"):
        fit_angles(np.eye(3)[None], "XYZ", [[-1, 1], [1, -1], [0, 0]])
