"""The whole chain on unseen actors whose faces are fitted, too: from neutral frames to ten corrected ones.

Nothing of the actor is known but points with 1 px of noise, and pictures. There is no footage: every actor is rendered,
every albedo constructed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.systems.capture.filmed import dense_weights
from benchmarks.systems.capture.own_rig import MANY, ONE, TEMPLATE, TRUE, OwnRigShot, face_distance

import rigcast as rc
from tests.conftest import shared_data

pytestmark = pytest.mark.long
SEEDS = (900, 901)
STEP = 4  # frames of the curves
CORRECTED = 0.6  # millimeters on the front of the face, mean over the shot
LEFT = {ONE: 0.75, MANY: 0.5}  # most of the template's distance that a fitted face has
FITTED = 0.2  # millimeters: what points with noise cannot know better


@cache
def shots() -> list[OwnRigShot]:
    cast = rc.capture.ict_cast(shared_data("ict_facekit"))
    motion = dense_weights(shared_data("compskin_face_anim"), cast.character.shape_names)[::STEP]
    return [OwnRigShot(cast, seed, motion) for seed in SEEDS]


@cache
def found(index: int, name: str):
    shot = shots()[index]
    return shot.solve(name, shot.rigs[name])


def distance(index: int, name: str) -> float:
    shot = shots()[index]
    return face_distance(shot.rigs[name].rest_vertices, shot.shot.actor.rig.rest_vertices)


@pytest.mark.parametrize("name", [ONE, MANY])
@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_the_face_comes_nearer_but_is_not_the_true_one(index, name):
    assert FITTED < distance(index, name) <= LEFT[name] * distance(index, TEMPLATE)


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_twelve_turned_frames_tell_more_than_one(index):
    fits = shots()[index].fits
    assert fits[MANY].determined > 1.5 * fits[ONE].determined
    assert distance(index, MANY) < distance(index, ONE)


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_ten_corrected_frames(index):
    shot = shots()[index]
    weights = shot.corrected(MANY, *found(index, MANY), 10)
    assert shot.shot.millimeters(weights).mean() <= CORRECTED


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_shapes_on_the_fitted_face_are_the_characters(index):
    """Not the actor's: his strengths and mixes are what corrected frames tell."""
    shot = shots()[index]
    fitted, plain, own = (
        np.stack([rig.column(k) for k in range(rig.num_shapes)])
        for rig in (shot.rigs[MANY], shot.rigs[TRUE], shot.shot.actor.rig)
    )
    assert np.linalg.norm(fitted - plain) < 0.3 * np.linalg.norm(own - plain)


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_landmarks_on_the_fitted_face_are_better_than_on_the_template(index):
    shot = shots()[index]
    before, after = (shot.shot.millimeters(found(index, name)[0].weights).mean() for name in (TEMPLATE, MANY))
    assert after < before
