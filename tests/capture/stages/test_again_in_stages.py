"""Shots with sliding lips or refined by pictures, solved again after a change of their pins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._detectors import IBUG68
from rigcast.capture._lips import InnerLips
from rigcast.capture._places import places_of_vertices
from tests.capture.pictures import filmed
from tests.conftest import shared_data

FRAMES = 40
FRONT = 6706  # first vertices of the ICT mesh: the front of the face
NEAR = 2e-3  # of a weight: the frame before a piece has its head found again under its weights
SAME = 1e-6  # of a weight: where the effect of a change has died away


@pytest.fixture(scope="module")
def shot():
    """Pictures of the built-in face, and the capture of its points."""
    return filmed(rc.capture.example_cast(), frames=80, size=96)


@pytest.fixture(scope="module")
def refined(shot):
    return rc.capture.refine(shot.rig, shot.found, shot.shot.color, points=shot.points)


def pinned(rig, frames, t, shape="mouthPucker", value=0.7):
    pins = np.full((frames, rig.num_shapes), np.nan)
    pins[t, rig.shape_names.index(shape)] = value
    return pins


def test_frames_of_a_refined_shot_are_solved_as_a_whole_solve_does(shot, refined):
    frames = len(refined.weights)
    pins = pinned(shot.rig, frames, [13, 14])
    again, solved = rc.capture.solve_again(shot.rig, refined, shot.points, fixed=pins)
    base, _ = rc.capture.solve_again(shot.rig, shot.found, shot.points, fixed=pins)
    expected = rc.capture.refine(shot.rig, base, shot.shot.color, points=shot.points, fixed=pins)
    assert solved[[13, 14]].all()
    np.testing.assert_array_equal(again.weights[solved], expected.weights[solved])
    assert np.abs(again.weights - expected.weights).max() <= SAME
    assert np.array_equal(again.fixed, pins, equal_nan=True)


def test_other_frames_of_a_refined_shot_stay_bit_by_bit(shot, refined):
    again, solved = rc.capture.solve_again(
        shot.rig, refined, shot.points, fixed=pinned(shot.rig, len(refined.weights), 13)
    )
    for key in ("weights", "head", "energy"):
        np.testing.assert_array_equal(getattr(again, key)[~solved], getattr(refined, key)[~solved])
    for key in ("light", "gates", "used", "steps"):
        np.testing.assert_array_equal(getattr(again.pictures, key)[~solved], getattr(refined.pictures, key)[~solved])
    assert not solved[:13].any()
    assert 1 <= solved.sum() < len(solved) - 13


def test_a_refined_shot_in_several_passes_depends_on_all_of_it(shot):
    settings = rc.capture.RefineSettings(passes=2, steps=(1, 1))
    found = rc.capture.refine(shot.rig, shot.found, shot.shot.color, points=shot.points, settings=settings)
    again, solved = rc.capture.solve_again(shot.rig, found, shot.points, fixed=pinned(shot.rig, len(found.weights), 13))
    assert solved.all()
    assert again.pictures.request.settings == settings
    same, solved = rc.capture.solve_again(shot.rig, found, shot.points, fixed=None)
    assert not solved.any()
    assert np.array_equal(same.weights, found.weights)


@pytest.fixture(scope="module")
def talking():
    """Points of a detector that sees the contours of an opening, puckering mouth, and pictures of it."""
    cast = rc.capture.ict_cast(shared_data("ict_facekit"))
    actor = cast.actor(5, rc.capture.ActorVariation(identity=0.0, strength=0.0, mix=0.0))
    names, time = cast.character.shape_names, np.linspace(0.0, 1.0, FRAMES)[:, None]
    shape = {name: (np.arange(len(names)) == names.index(name)) for name in ("jawOpen", "mouthFunnel", "mouthPucker")}
    weights = time * (0.5 * shape["jawOpen"] + 0.4 * shape["mouthFunnel"])
    weights = weights + 0.4 * np.sin(np.pi * time) * shape["mouthPucker"]
    shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=FRAMES + 1, size=128), weights)
    lips = InnerLips(actor.rig, places_of_vertices("test", cast.landmarks, actor.rig), IBUG68)
    focal, center = float(shot.labels["focal"]), tuple(shot.labels["center"])
    truth, head = np.asarray(shot.labels["weights"]), np.asarray(shot.labels["head"])
    points = shot.labels["landmarks_2d"] + lips.away(truth, head, focal, center)
    return actor.rig, cast.landmarks, points, focal, shot


def sliding(talking, pins=None, silhouettes=True):
    rig, landmarks, points, focal, _ = talking
    given = rc.capture.CaptureSettings(noise=0.3, smoothing=0.3, silhouettes=silhouettes)
    still = np.where([("Look" in name or "Pupil" in name) for name in rig.shape_names], 0.0, np.nan)
    fixed = still if pins is None else np.where(np.isnan(pins), still, pins)
    return rc.capture.solve(
        rig, points, landmarks, detector="ibug68", fixed=fixed, size=(128, 128), neutral=0, focal=focal, settings=given
    )


@pytest.fixture(scope="module")
def slid(talking):
    return sliding(talking)


def again_with(talking, found, pins):
    given = rc.capture.CaptureSettings(noise=0.3, smoothing=0.3, silhouettes=True)
    still = np.where([("Look" in name or "Pupil" in name) for name in talking[0].shape_names], 0.0, np.nan)
    fixed = still if pins is None else np.where(np.isnan(pins), still, pins)
    return rc.capture.solve_again(talking[0], found, talking[2], fixed=fixed, settings=given)


def test_a_shot_with_sliding_lips_is_solved_as_a_whole_solve_does(talking, slid):
    frames = len(slid.weights)
    pins = pinned(talking[0], frames, [25, 26])
    again, solved = again_with(talking, slid, pins)
    assert np.abs(again.weights - sliding(talking, pins).weights).max() <= NEAR
    assert np.abs(again.slides.weights[-1] - sliding(talking, pins).slides.weights[-1]).max() <= NEAR
    assert solved[[25, 26]].all()
    assert not solved[:25].any()
    for key in ("weights", "head", "residual"):
        np.testing.assert_array_equal(getattr(again, key)[~solved], getattr(slid, key)[~solved])


def test_a_pin_that_goes_brings_sliding_lips_back(talking, slid):
    edited, _ = again_with(talking, slid, pinned(talking[0], len(slid.weights), 25))
    back, _ = again_with(talking, edited, None)
    assert np.abs(edited.weights - slid.weights).max() > 0.1
    assert np.abs(back.weights - slid.weights).max() <= NEAR
    assert np.abs(back.slides.weights - slid.slides.weights).max() <= NEAR


def test_pictures_refine_with_lips_that_slide(talking, slid):
    """Where landmarks weigh much, fixed lips spoil what the solve had found; with slides it is kept."""
    rig, _, points, _, shot = talking
    settings = rc.capture.RefineSettings(offsets=False, landmarks=3.0, samples=300)
    truth = rig.evaluate(np.asarray(shot.labels["weights"], np.float32))[:, :FRONT]

    def off(found):
        better = rc.capture.refine(rig, found, shot.color, points=points, fixed=found.fixed, settings=settings)
        return np.linalg.norm(rig.evaluate(better.weights.astype(np.float32))[:, :FRONT] - truth, axis=2).mean()

    assert off(slid) < 0.8 * off(replace(slid, slides=None))


def test_a_refined_shot_with_sliding_lips_is_solved_again(talking, slid):
    rig, _, points, _, shot = talking
    settings = rc.capture.RefineSettings(offsets=False, samples=300, steps=(2, 2))
    found = rc.capture.refine(rig, slid, shot.color, points=points, fixed=slid.fixed, settings=settings)
    pins = pinned(rig, len(found.weights), 30)
    again, solved = again_with(talking, found, pins)
    base, _ = again_with(talking, slid, pins)
    expected = rc.capture.refine(rig, base, shot.color, points=points, fixed=base.fixed, settings=settings)
    assert not solved[:30].any()
    np.testing.assert_array_equal(again.weights[:30], found.weights[:30])
    np.testing.assert_array_equal(again.weights[solved], expected.weights[solved])
