"""Points placed on a character by the names of its shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture._detectors import IBUG68, MEDIAPIPE
from rigcast.faces._ict import landmarks
from tests.capture.capture import Setup, acting, film
from tests.conftest import shared_data

CORE = np.array([i for i in range(17, 68) if i not in (17, 26)])  # without the outline and the outer ends of brows


@pytest.fixture(scope="module")
def ict():
    return shared_data("ict_facekit")


@pytest.fixture(scope="module")
def template(ict):
    return rc.faces.ict(ict)


@pytest.fixture(scope="module")
def actor(ict):
    return rc.faces.ict(ict, identity=np.random.default_rng(900).normal(0, 0.8, 100))


SMALL = Setup(focal=560.0, center=(128.0, 128.0), distance=54.0)


@pytest.mark.parametrize("roll", [0.0, 12.0])
def test_landmarks_of_another_identity_come_within_half_a_centimeter(ict, template, actor, roll):
    neutral = film(actor, np.zeros((1, actor.num_shapes)), SMALL, landmarks(ict)).points[0] - 128
    turn = np.deg2rad(roll)
    neutral = neutral @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    found = rc.capture.fit_places(template, neutral, "ibug68")
    at = np.full((68, 3), np.nan)
    at[found.used] = found.positions(template.rest_vertices)
    away = np.linalg.norm(at - template.rest_vertices[landmarks(ict)], axis=1)[CORE]
    assert np.nanmedian(away) <= 0.3
    assert np.nanquantile(away, 0.95) <= 0.7
    assert np.isfinite(away).mean() >= 0.95


def test_lips_lie_on_their_own_side_of_the_mouth(ict, template, actor):
    neutral = film(actor, np.zeros((1, actor.num_shapes)), SMALL, landmarks(ict)).points[0]
    found = rc.capture.fit_places(template, neutral, "ibug68")
    jaw = np.linalg.norm(template.column(template.shape_names.index("jawOpen")), axis=1)
    follows = (jaw[found.vertices] * found.weights).sum(axis=1) / jaw.max()
    assert follows[IBUG68.upper_lip].max() <= 0.35
    assert follows[IBUG68.lower_lip].min() >= 0.25


def test_a_shot_is_solved_without_a_map(ict, template, actor):
    """On a face that is not the actor's."""
    weights = acting(template, frames=100)
    weights[:, [k for k, name in enumerate(template.shape_names) if "Look" in name or "Pupil" in name]] = 0.0
    close, jaw = (template.shape_names.index(name) for name in ("mouthClose", "jawOpen"))
    weights[:, close] = np.minimum(weights[:, close], 0.8 * weights[:, jaw])
    shot = film(actor, weights, replace(SMALL, noise=0.5), landmarks(ict))
    neutral = film(actor, np.zeros((1, actor.num_shapes)), SMALL, landmarks(ict)).points[0]
    found = rc.capture.solve(template, shot.points, size=(256, 256), fps=60, focal=560, neutral=neutral)
    front = np.arange(0, 6706, 7)
    at, truth = (template.evaluate(w.astype(np.float32))[20:, front] for w in (found.weights, weights))
    away = 10 * np.linalg.norm(at - truth, axis=2).mean()
    still = 10 * np.linalg.norm(template.rest_vertices[front] - truth, axis=2).mean()
    assert away <= 0.6 * still


def test_the_layout_of_mediapipe_is_that_of_its_canonical_face():
    """Named points of the table lie where their names say."""
    path = shared_data("mediapipe_canonical_face") / "canonical_face_model.obj"
    lines = [line.split() for line in path.read_text().splitlines() if line.startswith("v ")]
    face = np.array([[float(x) for x in line[1:4]] for line in lines])
    assert len(face) == 468
    lips = face[MEDIAPIPE.upper_lip].mean(axis=0), face[MEDIAPIPE.lower_lip].mean(axis=0)
    assert lips[0][1] > lips[1][1]
    assert face[MEDIAPIPE.left_corner, 0] > 2 > -2 > face[MEDIAPIPE.right_corner, 0]
    assert face[MEDIAPIPE.left_eye, 0].min() > 1
    assert face[MEDIAPIPE.right_eye, 0].max() < -1
    assert face[MEDIAPIPE.left_brow, 1].min() > face[MEDIAPIPE.left_eye, 1].max()
    assert face[MEDIAPIPE.upper_lids, 1].min() > face[MEDIAPIPE.lower_lids, 1].max()
    assert np.argmax(face[:, 2]) in (1, MEDIAPIPE.nose)
    assert np.argmin(face[:, 1]) == MEDIAPIPE.chin
    mirrored = face[MEDIAPIPE.left_brow] * [-1, 1, 1]
    assert np.abs(mirrored - face[MEDIAPIPE.right_brow]).max() <= 0.01


def test_a_map_is_read_back(tmp_path):
    rig = rc.faces.example()
    places = rc.capture.Places(
        np.array([[0, 1, 2], [-1, -1, -1], [5, 6, 7], [8, 9, 10], [4, 4, 4]], np.int32),
        np.array([[0.2, 0.3, 0.5], [0, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]]),
    )
    places.save(tmp_path / "map.json")
    again = rc.capture.load_places(tmp_path / "map.json", rig)
    assert np.array_equal(again.vertices, places.vertices)
    assert np.array_equal(again.weights, places.weights)


def test_a_rig_without_names_is_refused():
    rig = rc.faces.example()
    other = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[:2], names=["a", "b"], faces=rig.faces)
    with pytest.raises(rc.errors.ArgumentError, match="without eyeBlink or mouthSmile of the right"):
        rc.capture.fit_places(other, np.random.default_rng(0).normal(size=(68, 2)), "ibug68")


def test_points_of_no_face_are_refused():
    with pytest.raises(rc.errors.ArgumentError, match="whose eyes, mouth and brows lie otherwise"):
        rc.capture.fit_places(rc.faces.example(), np.random.default_rng(0).normal(size=(68, 2)), "ibug68")
