"""What follows a solve of a mirrored video: it is the same as of the plain one, with left and right exchanged."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._sides import exchanged, mirror_image
from tests.capture.pictures import filmed

SAME = 1e-9  # of a weight: solves of the same numbers in another order of nothing


@pytest.fixture(scope="module")
def shot():
    return filmed(rc.capture.example_cast(), frames=8, size=96)


@pytest.fixture(scope="module")
def swap(shot):
    return exchanged(shot.rig)


def solve(shot, rig, mirrored, fixed=None):
    return rc.capture.solve(
        rig, shot.points, rc.capture.example_cast().landmarks, size=(96, 96), neutral=0, fixed=fixed,
        focal=shot.found.focal, mirrored=mirrored, settings=rc.capture.CaptureSettings(noise=0.5),
    )  # fmt: skip


@pytest.fixture(scope="module")
def both(shot):
    return solve(shot, shot.rig, False), solve(shot, shot.rig, True)


def test_the_sides_differ(both, swap):
    plain, mirrored = both
    assert mirrored.mirrored
    assert not plain.mirrored
    assert np.abs(plain.weights - mirrored.weights).max() > 0.1
    np.testing.assert_allclose(mirrored.weights, plain.weights[:, swap], atol=SAME)


def test_an_image_of_an_image_is_the_first(shot, both):
    again = mirror_image(shot.rig, mirror_image(shot.rig, both[1]))
    assert again.mirrored
    for key in ("weights", "head", "neutral_head", "strength"):
        np.testing.assert_array_equal(getattr(again, key), getattr(both[1], key))


def test_pictures_refine_it(shot, both, swap):
    pins = np.full(both[0].weights.shape, np.nan)
    pins[3, shot.rig.shape_names.index("mouthSmileLeft")] = 0.4
    plain = rc.capture.refine(shot.rig, both[0], shot.shot.color, points=shot.points, fixed=pins)
    mirrored = rc.capture.refine(shot.rig, both[1], shot.shot.color, points=shot.points, fixed=pins[:, swap])
    np.testing.assert_allclose(mirrored.weights, plain.weights[:, swap], atol=SAME)
    assert mirrored.mirrored


def test_a_key_of_it_is_solved_again(shot, both, swap):
    pins = np.full(both[0].weights.shape, np.nan)
    pins[3, shot.rig.shape_names.index("mouthSmileLeft")] = 0.4
    plain, _ = rc.capture.solve_again(shot.rig, both[0], shot.points, fixed=pins)
    mirrored, _ = rc.capture.solve_again(shot.rig, both[1], shot.points, fixed=pins[:, swap])
    np.testing.assert_allclose(mirrored.weights, plain.weights[:, swap], atol=SAME)
    np.testing.assert_array_equal(mirrored.fixed, pins[:, swap])


def test_corrected_frames_fit_the_mirrored_actor(shot, both, swap):
    """Corrections have the character's sides; the rig is solved on with ``mirrored`` again."""
    corrected = np.full(both[0].weights.shape, np.nan)
    corrected[[2, 4, 6]] = np.asarray(shot.shot.labels["weights"])[[2, 4, 6]]
    plain = rc.capture.personalize(shot.rig, both[0], shot.points, corrected=corrected)
    mirrored = rc.capture.personalize(shot.rig, both[1], shot.points, corrected=corrected[:, swap])
    np.testing.assert_allclose(mirrored.mixes, plain.mixes, atol=SAME)
    assert np.abs(plain.mixes - plain.mixes[swap][:, swap]).max() > 0.01
    again = solve(shot, plain.rig, False, corrected), solve(shot, mirrored.rig, True, corrected[:, swap])
    np.testing.assert_allclose(again[1].weights, again[0].weights[:, swap], atol=1e-6)  # float32 rigs of both mixes
