"""The whole chain on unseen actors with shapes of their own: refined, and after an artist corrected ten frames.

The actor's neutral is known, his shapes are not; landmarks have 1 px of noise at 256 px. There is no footage: every
actor is rendered, every albedo constructed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.systems.capture.corrected import CorrectedShot
from benchmarks.systems.capture.filmed import dense_weights

import rigcast as rc
from tests.conftest import shared_data

pytestmark = pytest.mark.long
SEEDS = (900, 901)
STEP = 4  # frames of the curves
CORRECTED = 0.6  # millimeters on the front of the face, mean over the shot
UNTOUCHED = 0.7  # over the frames that nobody corrected
OWN_SHAPES = 0.15  # least share by which the actor's shapes differ from those that the solver begins with


@cache
def cast() -> rc.capture.Cast:
    return rc.capture.ict_cast(shared_data("ict_facekit"))


@cache
def shots() -> list[CorrectedShot]:
    motion = dense_weights(shared_data("compskin_face_anim"), cast().character.shape_names)[::STEP]
    return [CorrectedShot(cast(), seed, motion) for seed in SEEDS]


def shapes(rig: rc.BlendshapeRig) -> np.ndarray:
    return np.stack([rig.column(k) for k in range(rig.num_shapes)]).astype(np.float64)


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_ten_corrected_frames(index):
    """And the same frames as pins alone, on the character's shapes, do not do it."""
    shot = shots()[index]
    frames, _, refined = shot.corrected(10)
    errors = shot.shot.millimeters(refined)
    others = np.setdiff1d(np.arange(1, len(refined)), frames) - 1
    assert errors.mean() <= CORRECTED
    assert errors[others].mean() <= UNTOUCHED
    pinned = shot.refine(shot.rig, shot.solve(shot.rig, frames), frames).weights
    assert shot.shot.millimeters(pinned)[others].mean() > 1.2 * errors[others].mean()


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_the_actors_shapes_are_not_the_solvers(index):
    """With the character's own shapes there would be nothing to correct."""
    own, plain = shapes(shots()[index].shot.actor.rig), shapes(shots()[index].rig)
    assert np.linalg.norm(own - plain) > OWN_SHAPES * np.linalg.norm(plain)


@pytest.mark.parametrize("index", range(len(SEEDS)))
def test_what_knows_nothing_fails(index):
    """The neutral, the mean of the clip, and the frame before."""
    truth = shots()[index].shot.weights
    for toy in (0.0 * truth, 0.0 * truth + truth.mean(axis=0), np.roll(truth, 1, axis=0)):
        assert shots()[index].shot.millimeters(toy).mean() > CORRECTED


def test_pictures_help_on_shapes_that_are_not_the_actors():
    """Less than on his own, but on both actors."""
    for shot in shots():
        found, refined = (shot.shot.millimeters(one.weights).mean() for one in (shot.found, shot.refined))
        assert refined < 0.8 * found
