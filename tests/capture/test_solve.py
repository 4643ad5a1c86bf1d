"""Whole shots against exact labels: what a solve must reach, and what must not pass for one.

There is no footage: a rig acts, turns its head and is projected.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from tests.capture.capture import FOCAL, SIZE, UPRIGHT, Setup, acting, film
from tests.conftest import TOLERANCES

FPS = 60.0
EXACT = rc.capture.CaptureSettings(noise=0.02)  # for points without noise


@pytest.fixture(scope="module")
def rig():
    return rc.faces.example()


@pytest.fixture(scope="module")
def weights(rig):
    return acting(rig)


@pytest.fixture(scope="module")
def noisy(rig, weights):
    return film(rig, weights, Setup(noise=1.0))


def solve(rig, shot, **changes):
    neutral = film(rig, np.zeros((1, rig.num_shapes)), shot.setup).points[0]
    given = {"size": SIZE, "fps": FPS, "neutral": neutral, "focal": shot.setup.focal} | changes
    return rc.capture.solve(rig, shot.points, shot.vertices, **given)


def millimeters(rig, found, truth):
    """(T,) mean distance over the vertices that move."""
    moved = np.flatnonzero(rig.columns()[: rig.num_shapes].any(axis=(0, 2)))
    pair = [rig.evaluate(np.asarray(w, np.float32))[:, moved] for w in (found, truth)]
    return 10.0 * np.linalg.norm(pair[0] - pair[1], axis=2).mean(axis=1)


def center(rig, shot, poses):
    """(T, 2) where the middle of the points is projected to."""
    at = poses[:, :, :3] @ rig.rest_vertices[shot.vertices].mean(axis=0) + poses[:, :, 3]
    return np.array(shot.setup.center) + shot.setup.focal * at[:, :2] / at[:, 2:]


def camera_poses(found):
    return UPRIGHT @ found.head


@pytest.fixture(scope="module")
def solution(rig, noisy):
    return solve(rig, noisy)


def passes(rig, found, truth):
    """The figures that a solve of the shot with one pixel of noise must reach: half of what a clip's mean has."""
    away = millimeters(rig, found, truth)
    return away.mean() <= 0.25 and away.max() <= 0.6 and np.abs(found - truth).mean() <= 0.06


def test_exact_points_give_the_weights(rig, weights):
    found = solve(rig, film(rig, weights), settings=EXACT)
    assert millimeters(rig, found.weights, weights).max() <= 0.02
    assert np.abs(found.weights - weights).mean() <= 0.005


def test_one_pixel_of_noise(rig, weights, solution):
    assert passes(rig, solution.weights, weights)
    assert solution.settled.all()


MUTANTS = {
    "the last frame": lambda w: np.roll(w, 1, axis=0)[[1, *range(1, len(w))]][:1].repeat(len(w), axis=0),
    "the mean of the clip": lambda w: np.tile(w.mean(axis=0), (len(w), 1)),
    "the neutral": np.zeros_like,
    "twelve frames late": lambda w: w[np.maximum(np.arange(len(w)) - 12, 0)],
}


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_no_solve_does_not_pass(rig, weights, solution, name):
    assert not passes(rig, MUTANTS[name](solution.weights), weights)


def test_points_of_the_mouth_count(rig, weights, noisy):
    """Without them the shapes of the mouth are not found."""
    mouth = [k for k, name in enumerate(rig.shape_names) if name.startswith(("mouth", "jaw"))]
    moved = np.linalg.norm(rig.columns()[mouth], axis=2).max(axis=0)[noisy.vertices] > 0.05
    found = solve(rig, noisy, certainty=np.tile(~moved, (len(weights), 1)).astype(float))
    assert not passes(rig, found.weights, weights)
    assert found.weights[:, mouth].max() <= 0.05


@pytest.mark.parametrize(("roll", "shift"), [(3.0, (5.0, -5.0)), (-3.0, (-5.0, 5.0))])
def test_roll_and_center_of_the_camera_are_found(rig, noisy, roll, shift):
    """The same noise in a camera that is turned and moved: the head takes both, the weights nothing."""
    turn = Rotation.from_euler("z", roll, degrees=True).as_matrix()
    turned = replace(noisy, points=(noisy.points - [320, 240]) @ turn[:2, :2].T + [320 + shift[0], 240 + shift[1]])
    found = solve(rig, turned, neutral=0)
    poses = turn @ noisy.poses
    off = camera_poses(found)[:, :, :3] @ poses[:, :, :3].transpose(0, 2, 1)
    angles = np.abs(Rotation.from_matrix(off).as_rotvec(degrees=True)[:, 2])
    assert np.median(angles) <= 0.1
    assert np.quantile(angles, 0.95) <= 0.25
    away = np.linalg.norm(center(rig, noisy, camera_poses(found)) - shift - center(rig, noisy, poses), axis=1)
    assert np.median(away) <= 0.3
    assert np.quantile(away, 0.95) <= 0.8
    straight = solve(rig, noisy, neutral=0)
    assert np.abs(found.weights - straight.weights).mean() <= 0.01


def test_sparsity_does_not_drag_the_head(rig, weights):
    """The mean of the center stays within a tenth of a pixel of a solve without it."""
    shot = film(rig, weights, Setup(noise=0.5, turning=0.0))
    plain, sparse = (
        solve(rig, shot, settings=rc.capture.CaptureSettings(sparsity=value, noise=0.5)) for value in (0.0, 0.2)
    )
    moved = center(rig, shot, camera_poses(sparse)) - center(rig, shot, camera_poses(plain))
    assert np.abs(moved.mean(axis=0)).max() <= 0.1


def test_sparsity_leaves_fewer_shapes_on_and_nearer_weights(rig, weights, noisy, solution):
    plain = solve(rig, noisy, settings=rc.capture.CaptureSettings(sparsity=0.0))
    assert np.abs(solution.weights - weights).mean() <= 0.8 * np.abs(plain.weights - weights).mean()
    assert (solution.weights > 1e-3).mean() <= 0.8 * (plain.weights > 1e-3).mean()


def test_smoothing_takes_jitter_from_held_frames(rig):
    """Thirty per cent of it at least."""
    held = np.tile(acting(rig)[45], (40, 1))
    shot = film(rig, held, Setup(noise=1.0, turning=0.0))
    settings = [rc.capture.CaptureSettings(smoothing=value) for value in (0.0, rc.capture.CaptureSettings().smoothing)]
    rough, smooth = (solve(rig, shot, settings=one).weights[5:] for one in settings)
    jitter = [np.diff(rig.evaluate(w.astype(np.float32)), axis=0).std() for w in (rough, smooth)]
    assert jitter[1] <= 0.7 * jitter[0]


def test_smoothing_does_not_lag_behind_fast_motion(rig):
    """A jaw that opens within three frames: five per cent of it at most are missing at the end of each frame."""
    jaw = rig.shape_names.index("jawOpen")
    fast = np.zeros((16, rig.num_shapes))
    fast[:, jaw] = np.interp(np.arange(16), [5, 8], [0.0, 0.8])
    found = solve(rig, film(rig, fast, Setup(noise=0.5, turning=0.0)))
    assert np.abs(found.weights[6:9, jaw] - fast[6:9, jaw]).max() <= 0.05 * 0.8


def test_a_lost_frame_lies_between_its_neighbors(rig, weights):
    shot = film(rig, weights)
    shot.points[30:33] = np.nan
    found = solve(rig, shot)
    assert np.flatnonzero(found.lost).tolist() == [30, 31, 32]
    step = (found.weights[33] - found.weights[29]) / 4
    assert np.abs(found.weights[30] - found.weights[29] - step).max() <= 1e-12
    assert any("3 frames have no face, first 30" in note for note in found.notes)
    assert millimeters(rig, found.weights, weights)[33:].max() <= 0.05


def test_frames_of_zeros_are_lost(rig, weights):
    shot = film(rig, weights)
    shot.points[10] = 0.0
    assert np.flatnonzero(solve(rig, shot).lost).tolist() == [10]


def test_occluded_points_do_not_count(rig, weights):
    """A hand over a third of the points, drawn to it with no certainty."""
    shot = film(rig, weights)
    covered = np.arange(len(shot.vertices)) % 3 == 0
    shot.points[20:40, covered] += 25.0
    certainty = np.ones(shot.points.shape[:2])
    certainty[20:40, covered] = 0.0
    found = solve(rig, shot, certainty=certainty)
    assert millimeters(rig, found.weights, weights).max() <= 0.1


def test_outliers_pull_with_constant_force(rig, weights):
    """One point in twelve is anywhere."""
    shot = film(rig, weights, Setup(noise=0.5))
    wrong = np.random.default_rng(1).random(shot.points.shape[:2]) < 1 / 12
    shot.points[wrong] += 40.0
    robust, plain = (
        millimeters(rig, solve(rig, shot, settings=one).weights, weights).mean()
        for one in (rc.capture.CaptureSettings(noise=0.5), rc.capture.CaptureSettings(noise=0.5, outlier=1e3))
    )
    assert robust <= 0.5 * plain


def test_pins_survive_another_solve(rig, weights, noisy, solution):
    pins = np.full_like(weights, np.nan)
    pins[20:30, 4] = 0.7
    pins[:, 0] = 0.25
    found = solve(rig, noisy, fixed=pins)
    assert (found.weights[20:30, 4] == 0.7).all()
    assert (found.weights[:, 0] == 0.25).all()
    again = solve(rig, noisy, fixed=np.where(np.isnan(pins), np.nan, found.weights))
    assert np.array_equal(again.weights, found.weights)


def test_a_pinned_weight_stays_in_a_lost_frame(rig, weights):
    shot = film(rig, weights)
    shot.points[30] = np.nan
    pins = np.full_like(weights, np.nan)
    pins[30, 4] = 0.9
    assert solve(rig, shot, fixed=pins).weights[30, 4] == 0.9


def test_priors_bring_weights_that_no_point_shows(rig, weights):
    """The points of the left half of the face alone, and weights of another recorder."""
    shot = film(rig, weights, Setup(noise=1.0))
    left = (rig.rest_vertices[shot.vertices, 0] > -0.5).astype(float)
    seen = np.tile(left, (len(weights), 1))
    alone = solve(rig, shot, certainty=seen)
    known = solve(rig, shot, certainty=seen, priors=(weights, 1.0))
    right = [k for k, name in enumerate(rig.shape_names) if name.endswith("Right")]
    errors = [np.abs(one.weights - weights)[:, right].mean() for one in (alone, known)]
    assert errors[1] <= 0.5 * errors[0]


def test_the_strength_of_the_actor_divides_the_weights(rig, weights):
    """An actor whose smiles are half as strong smiles as much."""
    smiles = np.array([name.startswith("mouthSmile") for name in rig.shape_names])
    half = np.where(smiles, 0.5, 1.0)
    quiet = np.zeros_like(weights)
    quiet[:, smiles] = np.linspace(0, 0.4, len(weights))[:, None]
    found = solve(rig, film(rig, quiet), strength=half)
    assert np.abs(found.weights[-1, smiles] - 0.8).max() <= 0.02


def test_a_mirrored_video_exchanges_the_sides(rig, weights):
    """A front camera's image: the detector names sides as it sees them."""
    swap = [
        rig.shape_names.index(name.replace("Left", "#").replace("Right", "Left").replace("#", "Right"))
        for name in rig.shape_names
    ]
    mirror = film(rig, weights[:, swap], Setup(turning=10.0))
    found = solve(rig, mirror, mirrored=True, settings=EXACT)
    assert np.abs(found.weights - weights).mean() <= 0.005
    plain = film(rig, weights, Setup(turning=10.0))
    yaw = rc.inverse.head_angles(found.motion)[:, 0]
    as_filmed = rc.inverse.head_angles(solve(rig, plain).motion)[:, 0]
    assert np.abs(yaw + as_filmed).max() <= 0.2  # the mirror's shot turns the same way as the plain one


def test_a_video_on_its_side_is_solved(rig, weights):
    """A phone turned by a right angle."""
    shot = film(rig, weights)
    turned = (shot.points - [320, 240]) @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + [240, 320]
    found = rc.capture.solve(rig, turned, shot.vertices, size=(480, 640), neutral=0, focal=FOCAL, settings=EXACT)
    assert np.abs(found.weights - weights).mean() <= 0.005


def test_points_in_space(rig, weights):
    """Positions in millimeters of another place."""
    shot = film(rig, weights)
    placed = rig.evaluate(weights.astype(np.float32))[:, shot.vertices] @ shot.poses[0, :, :3].T
    points = 10.0 * placed + [100.0, 50.0, 700.0]
    found = rc.capture.solve(rig, points, shot.vertices, neutral=0, settings=rc.capture.CaptureSettings(noise=0.02))
    assert found.focal == pytest.approx(10.0, rel=TOLERANCES["printed"])
    assert np.abs(found.weights - weights).mean() <= 0.005


def test_the_focal_length_is_found_if_the_head_turns(rig, weights):
    shot = film(rig, weights, Setup(turning=20.0, distance=35.0, focal=700.0))
    found = solve(rig, shot, focal=None)
    assert found.focal_found
    assert found.focal == pytest.approx(700.0, rel=0.05)  # the turns of a head determine it no further


def test_the_neutral_is_found_and_said(rig, weights):
    """The frames at rest in the middle of a shot."""
    late = np.concatenate([weights[20:50], np.zeros((8, rig.num_shapes)), weights[30:60]])
    found = solve(rig, film(rig, late, Setup(noise=0.5)), neutral=None)
    assert set(found.neutral.tolist()) & set(range(28, 40))
    assert any(note.startswith("the neutral is frame") for note in found.notes)


def test_a_neutral_that_shows_an_expression_is_noticed(rig):
    jaw = rig.shape_names.index("jawOpen")
    open_mouth = np.zeros((8, rig.num_shapes))
    open_mouth[:, jaw] = 0.9
    found = solve(rig, film(rig, open_mouth), neutral=0)
    assert any("looks like jawOpen" in note for note in found.notes)


def test_head_motion_is_the_identity_at_the_neutral(rig, weights):
    found = solve(rig, film(rig, weights), neutral=0)
    assert np.abs(found.motion[0] - np.eye(3, 4)).max() <= 1e-3


def test_results_are_the_same_bytes_twice(rig, noisy, solution):
    assert np.array_equal(solve(rig, noisy).weights, solution.weights)
