"""A shot solved again after a change of its pins: what is solved, and that it is what a whole solve would find."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.capture.capture import FOCAL, SIZE, Setup, acting, film

FRAMES = 120
NEAR = 2e-3  # of a weight: the frame before a piece has its head found again under its weights


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


@pytest.fixture(scope="module")
def shot(rig):
    return film(rig, acting(rig, frames=FRAMES), Setup(noise=0.5))


def solve(rig, shot, pins=None):
    return rc.capture.solve(rig, shot.points, shot.vertices, fixed=pins, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)


@pytest.fixture(scope="module")
def found(rig, shot):
    return solve(rig, shot)


def pinned(rig, frames, value=0.7):
    pins = np.full((FRAMES, rig.num_shapes), np.nan)
    pins[frames, rig.shape_names.index("mouthPucker")] = value
    return pins


@pytest.mark.parametrize("frames", [[40], [10, 11, 12], [0], [FRAMES - 1], [20, 90]])
def test_it_is_what_a_whole_solve_finds(rig, shot, found, frames):
    pins = pinned(rig, frames)
    again, solved = rc.capture.solve_again(rig, found, shot.points, fixed=pins)
    whole = solve(rig, shot, pins)
    assert np.abs(again.weights - whole.weights).max() <= NEAR
    assert (again.weights[frames] == whole.weights[frames])[:, rig.shape_names.index("mouthPucker")].all()
    assert solved[frames].all()


def test_frames_that_do_not_depend_on_it_are_kept(rig, shot, found):
    """Before the change bit by bit, and after its effect has died away."""
    again, solved = rc.capture.solve_again(rig, found, shot.points, fixed=pinned(rig, [40]))
    assert np.array_equal(again.weights[:40], found.weights[:40])
    assert np.array_equal(again.weights[~solved], found.weights[~solved])
    assert 0 < solved.sum() < 0.6 * FRAMES
    assert not solved[:40].any()


def test_a_pin_that_is_taken_away_leaves_nothing_behind(rig, shot, found):
    edited, _ = rc.capture.solve_again(rig, found, shot.points, fixed=pinned(rig, [40]))
    back, solved = rc.capture.solve_again(rig, edited, shot.points, fixed=None)
    assert np.abs(back.weights - found.weights).max() <= NEAR
    assert not solved[:40].any()


def test_without_a_change_nothing_is_solved(rig, shot, found):
    again, solved = rc.capture.solve_again(rig, found, shot.points, fixed=None)
    assert not solved.any()
    assert np.array_equal(again.weights, found.weights)


def test_a_lost_frame_stays_between_its_neighbors(rig, shot):
    points = shot.points.copy()
    points[42:45] = np.nan
    lost = rc.capture.solve(rig, points, shot.vertices, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)
    again, _ = rc.capture.solve_again(rig, lost, points, fixed=pinned(rig, [41]))
    share = np.array([0.25, 0.5, 0.75])[:, None]
    between = (1 - share) * again.weights[41] + share * again.weights[45]
    np.testing.assert_allclose(again.weights[42:45], between, atol=1e-12)  # rounding of an interpolation


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"fixed": np.zeros(3)}, "fixed"),
        ({"fixed": 2.0}, "fixed"),
        ({"points": 5}, "points"),
        ({"rig": 1}, "found"),
        ({"settings": rc.capture.CaptureSettings(silhouettes=True)}, "settings"),
    ],
)
def test_wrong_input_is_named(rig, shot, found, change, match):
    fixed = change.get("fixed")
    fixed = np.full(rig.num_shapes, fixed) if isinstance(fixed, float) else fixed
    points = shot.points[: change["points"]] if "points" in change else shot.points
    other = rc.BlendshapeRig(np.eye(3), np.zeros((1, 3, 3)), faces=[[0, 1, 2]])
    with pytest.raises(rc.errors.ArgumentError, match=match):
        rc.capture.solve_again(
            other if "rig" in change else rig, found, points, fixed=fixed, settings=change.get("settings")
        )
