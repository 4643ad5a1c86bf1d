"""Batches of a network's training: labels of mirrored pictures, detectors' points, cameras, the loss of landmarks."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training import CaptureNetworkSettings
from rigcast.training._budget import budget_of
from rigcast.training._capture import descent as home
from rigcast.training._capture.examples import CaptureExamples

pytest.importorskip("torch", reason="PyTorch is not installed")

COUNT, SIZE, POINTS = 8, 32, 3  # pictures, their width, points of a detector
SHAPES, LANDMARKS = [1, 0, 2], [0, 2, 1, -1]  # of the other side: two shapes, two landmarks; one landmark has none
FLOAT32 = 1e-5


def examples():
    rng = np.random.default_rng(0)
    level = rng.integers(80, 160, (COUNT, SIZE, SIZE, 3)).astype(np.uint8)
    return CaptureExamples(
        crops=level,
        neutral=np.arange(COUNT),
        weights=rng.uniform(0, 1, (COUNT, len(SHAPES))).astype(np.float32),
        points=rng.uniform(0.1, 0.9, (COUNT, len(LANDMARKS), 2)).astype(np.float32),
        moved=rng.normal(0, 0.1, (COUNT, 2 * POINTS)).astype(np.float32),
        training=np.arange(COUNT),
        held_out=np.arange(COUNT),
    )


@pytest.fixture
def descent():
    settings = CaptureNetworkSettings(actors=4, poses=4, size=SIZE, width=4, hidden=8, batch=COUNT)
    budget = budget_of("capture_network", None, 1, 0, "cpu", 1, None, False, None)
    deltas = np.random.default_rng(1).normal(size=(len(SHAPES), 5, 3))
    mirrored = home.Mirrored(np.array(SHAPES), np.array(LANDMARKS))
    return home.CaptureDescent(examples(), deltas, mirrored, settings, budget)


def flips():
    return np.arange(COUNT) % 2 == 1


def test_labels_of_mirrored_pictures_are_those_of_the_other_side(descent):
    rows, every = descent.rows, np.arange(COUNT)
    weights, points = descent._labels(every, flips())
    for n in every:
        for k in range(len(SHAPES)):
            assert weights[n, k] == rows.weights[n, SHAPES[k] if n % 2 else k]
        for p, other in enumerate(LANDMARKS):
            x, y = rows.points[n, other if n % 2 else p]
            expected = (1.0 - x, y) if n % 2 else (x, y)
            if n % 2 and other < 0:
                assert (points[n, p] < 0.0).any()  # outside of the crop: it has no loss
            else:
                assert points[n, p] == pytest.approx(expected)


def test_mirrored_pictures_are_mirrored(descent, monkeypatch):
    monkeypatch.setattr(home, "GRAIN", 0.0)
    given = [descent._pictures(np.arange(COUNT), np.random.default_rng(3), f)[0] for f in (flips(), 0 * flips() > 0)]
    mirrored, plain = (np.asarray(pictures) for pictures in given)
    assert np.array_equal(mirrored[0::2], plain[0::2])
    assert np.abs(mirrored[1::2] - plain[1::2, :, :, ::-1]).max() < FLOAT32


def test_a_detectors_points_are_not_known_in_mirrored_pictures(descent):
    """It would name them anew. Without chance all others are shown."""
    moved, known = map(np.asarray, descent._points_seen(np.arange(COUNT), None, flips()))
    assert known[:, 0].tolist() == (~flips()).astype(float).tolist()
    assert (moved[flips()] == 0.0).all()
    assert np.array_equal(moved[~flips()], descent.rows.moved[~flips()])


def test_light_differs_between_a_frame_and_its_neutral(descent, monkeypatch):
    """By a factor of some percent, else the same camera: here every picture is its own neutral."""
    monkeypatch.setattr(home, "GRAIN", 0.0)
    frame, neutral = map(np.asarray, descent._pictures(np.arange(COUNT), np.random.default_rng(3)))
    factor = (frame + 1.0) / (neutral + 1.0)
    assert np.ptp(factor, axis=(1, 2, 3)).max() < FLOAT32 * 10
    assert (np.abs(factor - 1.0) < 0.071).all()
    assert np.abs(factor[:, 0, 0, 0] - 1.0).max() > 0.02


def test_the_loss_of_landmarks_is_their_likelihood_and_squared_error(descent):
    rng, count = np.random.default_rng(5), len(LANDMARKS)
    wanted = rng.uniform(0.1, 0.9, (2, count, 2))
    wanted[0, 1] = [-0.2, 0.5]  # outside
    mean = wanted + rng.normal(0, 0.05, wanted.shape)
    root = rng.normal(0, 0.1, (2, count, 2, 2))
    spread = root @ root.swapaxes(2, 3) + 1e-3 * np.eye(2)
    terms = []
    for n in range(2):
        for p in range(count):
            if (n, p) != (0, 1):
                off = wanted[n, p] - mean[n, p]
                likely = off @ np.linalg.inv(spread[n, p]) @ off + np.log(np.linalg.det(spread[n, p]))
                terms.append(0.5 * likely + home.SQUARED * (off @ off))
    packed = spread[..., [0, 0, 1], [0, 1, 1]]
    found = descent._unlikely((descent._tensor(mean), descent._tensor(packed)), descent._tensor(wanted))
    assert float(found) == pytest.approx(np.mean(terms), rel=1e-4)  # float32 determinants
