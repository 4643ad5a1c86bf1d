"""Actors of another topology: MakeHuman's head, with sculpted shapes under ARKit's names."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.systems.capture.actors import by_names

import rigcast as rc
from tests.conftest import shared_data

SKIN, EYES, MOUTH = 0, 1, 2
CORNERS = (48, 54)  # landmarks of the mouth
OUTER_EYES = (36, 45)


@pytest.fixture(scope="module")
def cast() -> rc.capture.Cast:
    return rc.capture.makehuman_cast(shared_data("makehuman_hm08"))


def test_names_are_arkits_and_the_topology_is_not_icts(cast):
    names = {name.lower() for name in cast.character.shape_names}
    assert {"jawopen", "mouthsmileleft", "browinnerup", "eyeblinkright", "tongueout"} <= names
    assert not any(name.startswith("viseme") for name in names)
    assert len(cast.character.rest_vertices) == 4936
    assert (cast.drawn.max(), cast.drawn.min()) == (4935, 0)


def test_landmarks_lie_where_shapes_move(cast):
    """A smile moves the corners of the mouth most, a blink no landmark beside the eye's."""
    character, points = cast.character, cast.landmarks
    assert len(set(points.tolist())) == 68

    def moved(name):
        return np.linalg.norm(character.column(character.shape_names.index(name)), axis=1)[points]

    assert int(np.argmax(moved("mouthSmileRight")[48:60])) + 48 in (48, 49, 59)
    assert int(np.argmax(moved("mouthSmileLeft")[48:60])) + 48 in (53, 54, 55)
    assert int(np.argmax(moved("eyeBlinkRight"))) in range(36, 42)
    assert int(np.argmax(moved("eyeBlinkLeft"))) in range(42, 48)
    x = character.rest_vertices[points, 0]
    for right, left in (CORNERS, OUTER_EYES):
        assert x[right] < 0.0 < x[left]


def test_identities_differ_and_are_symmetric(cast):
    """As much as ICT's of one standard deviation, a third of a centimeter at the landmarks."""
    modes = cast.modes[:, cast.landmarks] - cast.modes[:, cast.landmarks].mean(axis=1, keepdims=True)
    spread = 0.8 * np.sqrt(np.square(modes).sum(axis=(0, 2))).mean()
    assert 0.2 < spread < 0.5
    right, left = (cast.modes[:, cast.landmarks[side]] for side in (36, 45))
    np.testing.assert_allclose(right * [-1, 1, 1], left, atol=0.02)  # centimeters: the mesh is not quite symmetric


def test_a_shot_shows_eyes_and_mouth(cast):
    shot = rc.capture.film(cast.actor(1), rc.capture.ShotPlan(frames=6, size=96))
    assert {SKIN + 1, EYES + 1, MOUTH + 1} <= set(np.unique(shot.labels["parts"]).tolist())
    assert shot.labels["visible"][:, 17:].mean() > 0.9


def test_a_solver_on_icts_face_follows_the_actor(cast):
    """Weights come by names alone: nearer than the neutral by a fifth, though no shape is the solver's."""
    ict = rc.capture.ict_cast(shared_data("ict_facekit"))
    shot = rc.capture.film(cast.actor(2), rc.capture.ShotPlan(frames=24, size=256))
    truth = by_names(np.asarray(shot.labels["weights"]), cast.character.shape_names, ict.character.shape_names)
    focal = float(shot.labels["focal"])
    found = rc.capture.solve(
        ict.character, shot.labels["landmarks_2d"], ict.landmarks, size=(256, 256), neutral=0, focal=focal
    )

    def off(weights):
        pair = [ict.character.evaluate(np.asarray(w, np.float32))[1:, ict.landmarks] for w in (weights, truth)]
        return np.linalg.norm(pair[0] - pair[1], axis=2).mean()

    assert off(found.weights) < 0.8 * off(0.0 * truth)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="folder"):
        rc.capture.makehuman_cast(tmp_path / "nothing")
