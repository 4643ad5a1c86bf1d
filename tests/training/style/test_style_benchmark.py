"""The benchmark of style transfer judges on what was not trained on, and makes its poses as published."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.systems.capture.filmed import DENSE, dense_weights

import rigcast as rc
from tests.conftest import shared_data

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flip_evaluator", reason="flip-evaluator is not installed")

from benchmarks.papers.capture import gaze, helmet, judged, style_pictures, style_transfer

NAMES = ["browDown_L", "browDown_R", "jawOpen", "mouthSmile_L", "mouthSmile_R"]
POSES = np.array([[0.5, 0.0, 0.0, 0.8, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]])


@pytest.fixture(scope="module")
def cast():
    return rc.capture.ict_cast(shared_data("ict_facekit"))


def test_unseen_actors_are_no_training_actors():
    assert not set(style_transfer.TESTS[: style_transfer.UNSEEN]) & set(style_transfer.TRAINING)
    assert set(style_transfer.TESTS[style_transfer.UNSEEN :]) <= set(style_transfer.TRAINING)


def test_no_frame_of_the_test_is_trained_on(cast):
    curves = shared_data("compskin_face_anim")
    tested = dense_weights(curves, cast.character.shape_names)
    for seed in (helmet.CHARACTER, 1000, 1001):
        trained = helmet._expressions(cast, curves, 40, seed)[1:]
        apart = np.abs(trained[:, None] - tested).max(axis=2)
        assert apart.min() > 1e-6  # equal weights are equal to the last bit
    assert len(tested) == DENSE


def test_landmarks_have_a_detectors_noise(cast):
    shot = helmet.helmet_shot(cast.actor(900), np.zeros((12, cast.character.num_shapes)), np.zeros((12, 2)))
    apart = shot.points - shot.exact
    assert apart.std() == pytest.approx(helmet.NOISE, rel=0.1)  # 1,632 numbers: 4 standard deviations are 7 %
    assert np.abs(shot.exact - shot.exact[0]).max() == 0.0
    assert 0.0 < shot.exact.min() < shot.exact.max() < helmet.SIZE


def test_halves_of_poses_are_combined_and_mirrored():
    found = helmet.synthesized(POSES, NAMES, 400, np.random.default_rng(0))
    on = found > 0.0
    assert not (on[:, 0] & on[:, 1]).any()
    assert not (on[:, 3] & on[:, 4]).any()
    assert (on[:, 0] & on[:, 2]).any()  # of two poses
    for left, right in ((0, 1), (3, 4)):
        count = on[:, [left, right]].sum(axis=0)
        assert abs(count[0] - count[1]) < 4.0 * np.sqrt(count.sum())  # four standard deviations


def test_noise_is_on_weights_that_are_not_0_and_inside_of_their_range():
    found = helmet.synthesized(POSES, NAMES, 400, np.random.default_rng(1))
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    brows = found[:, :2].sum(axis=1)
    brows = brows[brows > 0.0]
    assert brows.min() >= 0.5 - helmet.CHANGED
    assert brows.max() <= 0.5 + helmet.CHANGED
    assert brows.std() == pytest.approx(helmet.CHANGED / np.sqrt(3.0), rel=0.15)  # about 200 uniform draws


@pytest.mark.parametrize(("name", "other"), [("browDown_L", "browDown_R"), ("eyeLeft", "eyeRight"), ("jaw", "jaw")])
def test_names_of_the_other_side(name, other):
    assert helmet.mirrored(name) == other
    assert helmet.mirrored(other) == name


def test_errors_of_equal_pictures_are_0():
    pictures = np.random.default_rng(2).integers(0, 255, (2, 32, 32, 3), np.uint8)
    np.testing.assert_allclose(judged.picture_errors(pictures, pictures), 0.0, atol=1e-6)  # SSIM in float64


def test_the_root_mean_square_is_of_each_picture():
    black, gray = np.zeros((2, 32, 32, 3), np.uint8), np.zeros((2, 32, 32, 3), np.uint8)
    gray[0] = 30
    assert judged.picture_errors(black, gray)[0] == 15.0


def test_frames_of_the_sheet_are_far_from_each_other(monkeypatch):
    monkeypatch.setattr(style_pictures, "COLUMNS", 2)
    weights = np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 0.0], [0.95, 0.0], [0.0, 0.9]])
    assert style_pictures.spread_frames(weights) == [2, 4]


def test_eyes_turn_about_x_and_then_about_y():
    angles = np.random.default_rng(3).uniform(-0.5, 0.5, (5, 2))
    for (a, b), found in zip(angles, gaze.rotations(angles), strict=True):
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        np.testing.assert_allclose(found, about_y @ about_x, atol=1e-12)  # float64


def test_gaze_is_found_of_exact_pupils(cast):
    """Straight ahead is as far off as the eyes were turned."""
    angles = gaze.drawn_gaze(9, 0)
    weights = np.zeros((9, cast.character.num_shapes))
    shot = helmet.character_shot(cast, weights, angles)
    head = helmet.solved(cast, shot.exact, shot.focal, judged.DETECTED)
    turned, ahead = gaze.gaze_errors(cast, head, shot.pupils, angles, weights[:, 0])
    assert turned < 0.5
    assert ahead == pytest.approx(np.rad2deg(np.arccos(np.prod(np.cos(angles), axis=1)))[1:].mean())


def test_frames_of_closed_lids_are_not_judged(cast):
    angles = gaze.drawn_gaze(9, 0)
    shot = helmet.character_shot(cast, np.zeros((9, cast.character.num_shapes)), angles)
    head = helmet.solved(cast, shot.exact, shot.focal, judged.DETECTED)
    shot.pupils[4] = 0.0
    blink = np.eye(9)[4]
    assert gaze.gaze_errors(cast, head, shot.pupils, angles, blink)[0] < 0.5
    assert gaze.gaze_errors(cast, head, shot.pupils, angles, 0.0 * blink)[0] > 0.5
