"""Targets of all kinds, hard ones, weights, and preferred poses."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES
from tests.ik.solving import TIP, arm, channel_arrays

MODEL = arm()
LOW, HIGH, REST = channel_arrays(MODEL)
SIZE = float(np.linalg.norm(np.ptp(MODEL.rest_vertices, axis=0)))
MET = 1e-4 * SIZE


def posed(seed: int = 0) -> np.ndarray:
    x = REST + 0.5 * (np.random.default_rng(seed).uniform(LOW, HIGH) - REST)
    return MODEL.poses_from_channels(x)


def moved(pose: np.ndarray) -> np.ndarray:
    return MODEL.evaluate(pose)


def test_a_ray_is_reached_at_any_depth():
    point = moved(posed())[TIP].astype(float)
    ray = rc.ik.Ray(TIP, origin=np.add(point, [1.0, 2.0, 50.0]), direction=[1.0, 2.0, 50.0])
    found = rc.ik.solve(MODEL, [ray])
    end = moved(found.poses[0])[TIP].astype(float)
    unit = np.array([1.0, 2.0, 50.0]) / np.linalg.norm([1.0, 2.0, 50.0])
    apart = np.linalg.norm(np.cross(end - point, unit))
    assert apart < MET
    assert found.error[0, 0] == pytest.approx(apart, abs=0.1 * MET)


def test_moving_a_ray_along_itself_changes_nothing():
    """Noise in depth of a 2-D target."""
    point = moved(posed())[TIP].astype(float)
    near, far = (rc.ik.solve(MODEL, [rc.ik.Ray(TIP, np.add(point, [0, 0, z]), [0, 0, -1.0])]) for z in (10.0, 70.0))
    assert (near.poses == far.poses).all()


def test_an_orientation_is_reached(tolerance):
    turned = MODEL.skeleton.globals(posed(1)[None, :-1])[0, 3, :, :3]
    found = rc.ik.solve(MODEL, [rc.ik.Orientation("joint3", turned, weight=10.0)], preference=1e-5, tolerance=1e-8)
    ends = MODEL.skeleton.globals(found.poses[:, :-1])[0, 3, :, :3]
    assert np.abs(ends - turned).max() < tolerance["finite_difference"]
    assert found.error[0, 0] < tolerance["finite_difference"]


def test_the_error_of_an_orientation_is_its_angle(tolerance):
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    targets = [rc.ik.Orientation(0, quarter, weight=1e-12), rc.ik.Point(TIP, MODEL.rest_vertices[TIP])]
    assert rc.ik.solve(MODEL, targets).error[0, 0] == pytest.approx(np.pi / 2, abs=tolerance["float32"] * 10)


def test_a_point_keeps_its_orientation_beside_its_position():
    pose = posed(2)
    turned = MODEL.skeleton.globals(pose[None, :-1])[0, 3, :, :3]
    targets = [rc.ik.Point(TIP, moved(pose)[TIP]), rc.ik.Orientation("joint3", turned)]
    found = rc.ik.solve(MODEL, targets, preference=1e-5, tolerance=1e-8)
    assert found.error[0, 0] < MET
    assert found.error[0, 1] < 1e-3


def test_a_distance_is_reached():
    """From a bent pose: along a straight limb, no small motion changes a distance."""
    found = rc.ik.solve(MODEL, [rc.ik.Distance(TIP, 20, 17.0)], start=posed())
    end = moved(found.poses[0]).astype(float)
    assert np.linalg.norm(end[TIP] - end[20]) == pytest.approx(17.0, abs=MET)


def test_a_point_inside_of_a_triangle_is_reached():
    corners, weights = [40, 41, 47], np.array([0.2, 0.5, 0.3])
    target = weights @ moved(posed(3))[corners]
    found = rc.ik.solve(MODEL, [rc.ik.Point(corners, target, barycentric=weights)])
    assert np.linalg.norm(weights @ moved(found.poses[0])[corners] - target) < MET


def test_hard_targets_are_met_before_soft_ones():
    """The tip cannot be at two places."""
    here = moved(posed(4))[TIP].astype(float)
    targets = [rc.ik.Point(TIP, np.add(here, [0.0, 9.0, 0.0]), weight=100.0), rc.ik.Point(TIP, here, hard=True)]
    found = rc.ik.solve(MODEL, targets)
    assert found.converged[0]
    assert found.error[0, 1] < MET < found.error[0, 0]
    soft = rc.ik.solve(MODEL, [targets[0], rc.ik.Point(TIP, here)])
    assert soft.error[0, 1] > 100 * MET


def test_soft_targets_use_the_freedom_that_hard_ones_leave():
    pose = posed(5)
    targets = [rc.ik.Point(TIP, moved(pose)[TIP], hard=True), rc.ik.Point(60, moved(pose)[60])]
    assert rc.ik.solve(MODEL, targets, preference=1e-5).error.max() < 3 * MET


def test_a_hard_target_out_of_reach_is_reported():
    found = rc.ik.solve(MODEL, [rc.ik.Point(TIP, [0.0, 500.0, 0.0], hard=True)])
    assert not found.converged[0]
    assert found.error[0, 0] < 500.0 - 35.0  # stretched toward it


def test_a_heavier_target_is_missed_by_less():
    here = moved(posed(4))[TIP].astype(float)
    pair = [rc.ik.Point(TIP, here, weight=9.0), rc.ik.Point(TIP, np.add(here, [0.0, 5.0, 0.0]))]
    error = rc.ik.solve(MODEL, pair).error[0]
    # 0.05: the preferred pose pulls, too
    assert error[0] == pytest.approx(error[1] / 9.0, rel=0.05)


def test_a_target_without_weight_changes_nothing():
    here = moved(posed(4))[TIP]
    alone = rc.ik.solve(MODEL, here[None, None], [TIP])
    beside = rc.ik.solve(MODEL, np.array([[here, here + 7.0]]), [TIP, 20], weights=[1.0, 0.0])
    assert np.allclose(alone.poses, beside.poses, atol=TOLERANCES["printed"])


def test_freedom_goes_to_the_preferred_pose():
    x = REST + 0.3 * (HIGH - REST)
    target = MODEL.evaluate(MODEL.poses_from_channels(x))[None, None, TIP]
    near = rc.ik.solve(MODEL, target, [TIP], preferred=x, preference=0.01, tolerance=1e-8)
    rest = rc.ik.solve(MODEL, target, [TIP], preference=0.01, tolerance=1e-8)
    scale = HIGH - LOW
    assert np.abs((near.channels[0] - x) / scale).max() < 0.01 < np.abs((rest.channels[0] - x) / scale).max()


def test_a_pose_and_its_channels_are_the_same_start():
    x = REST + 0.3 * (HIGH - REST)
    target = moved(posed(6))[None, None, TIP]
    by_channels, by_pose = (rc.ik.solve(MODEL, target, [TIP], start=s) for s in (x, MODEL.poses_from_channels(x)))
    assert np.abs(by_channels.channels - by_pose.channels).max() < 0.02


def test_targets_of_a_list_may_change_per_frame():
    poses = np.stack([posed(seed) for seed in range(3)])
    found = rc.ik.solve(MODEL, [rc.ik.Point(TIP, moved(poses)[:, TIP]), rc.ik.Point(5, moved(poses)[0, 5], weight=0.0)])
    assert found.error.shape == (3, 2)
    assert found.error[:, 0].max() < MET


def test_a_start_beyond_the_model_s_ranges_widens_them():
    x = REST.copy()
    x[0] = HIGH[0] + 10.0
    target = MODEL.evaluate(MODEL.poses_from_channels(x))[None, None, TIP]
    found = rc.ik.solve(MODEL, target, [TIP], start=x)
    # 0.1 of 40 units: the root alone could move less if the arm bends
    assert found.channels[0, 0] == pytest.approx(x[0], abs=0.1)


def test_bounds_may_be_narrower_than_the_model_s():
    bounds = np.stack([LOW, HIGH], axis=1)
    bounds[0] = [-1.0, 1.0]
    found = rc.ik.solve(MODEL, MODEL.rest_vertices[None, [TIP]] + [9.0, 0, 0], [TIP], bounds=bounds, preference=0.1)
    assert found.channels[0, 0] == 1.0
    assert found.bounds_reached()["root.tx"] == "highest"
