"""An actor's own strengths and mixes from corrected frames."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture import ActorVariation, ShotPlan

FRAMES, NOISE = 48, 0.3  # pixels at 128
EXACT = 0.01  # of the largest offset of a shape: points of float32, and a noise of 0.05 pixels that is counted with


def filmed(variation: ActorVariation, seed: int = 4, noise: float = NOISE):
    """A shot of an actor whose neutral is known, solved with the character's shapes on it."""
    cast = rc.capture.example_cast()
    actor = cast.actor(seed, variation)
    plain = cast.actor(seed, ActorVariation(variation.identity, 0.0, 0.0)).rig
    shot = rc.capture.film(actor, ShotPlan(frames=FRAMES, size=128))
    exact = np.asarray(shot.labels["landmarks_2d"], np.float64)
    points = exact + noise * np.random.default_rng(seed).normal(size=exact.shape)
    given = {"size": (128, 128), "neutral": 0, "focal": float(shot.labels["focal"])}
    settings = rc.capture.CaptureSettings(noise=max(noise, 0.05))
    truth = np.asarray(shot.labels["weights"], np.float64)

    def solve(rig, pins=None):
        return rc.capture.solve(rig, points, cast.landmarks, fixed=pins, settings=settings, **given)

    return SimpleNamespace(
        cast=cast, actor=actor, plain=plain, points=points, truth=truth, solve=solve, found=solve(plain)
    )


def rows(shot, frames):
    """The true weights at some frames, NaN elsewhere."""
    result = np.full(shot.truth.shape, np.nan)
    result[frames] = shot.truth[frames]
    return result


def millimeters(shot, weights, frames):
    """Mean distance on the character over what moves."""
    moved = shot.cast.character.columns()[: shot.truth.shape[1]].any(axis=(0, 2))
    pair = [shot.cast.character.evaluate(np.asarray(w, np.float32))[frames][:, moved] for w in (weights, shot.truth)]
    return 10.0 * np.linalg.norm(pair[0] - pair[1], axis=2).mean()


@pytest.fixture(scope="module")
def shot():
    return filmed(ActorVariation())


@pytest.fixture(scope="module")
def chosen(shot):
    return rc.capture.frames_to_correct(shot.found, 10)


@pytest.fixture(scope="module")
def personal(shot, chosen):
    return rc.capture.personalize(shot.plain, shot.found, shot.points, corrected=rows(shot, chosen))


def test_the_other_frames_come_nearer(shot, chosen, personal):
    """Those that were not corrected, from their points alone; corrected frames as pins alone do not do it."""
    others = np.setdiff1d(np.arange(1, FRAMES), chosen)
    pins = rows(shot, chosen)
    before, after, pinned = (
        millimeters(shot, found.weights, others)
        for found in (shot.found, shot.solve(personal.rig, pins), shot.solve(shot.plain, pins))
    )
    assert after < 0.75 * before
    assert after < 0.8 * pinned


def test_more_corrected_frames_help_more(shot, chosen):
    """On frames that none of them is."""
    others = np.setdiff1d(np.arange(1, FRAMES), chosen)
    errors = []
    for count in (1, 10):
        frames = chosen[:: len(chosen) // count]
        own = rc.capture.personalize(shot.plain, shot.found, shot.points, corrected=rows(shot, frames)).rig
        errors.append(millimeters(shot, shot.solve(own).weights, others))
    assert errors[1] < errors[0]


def offsets(shot, rig):
    """(K, P, 3) of each shape at the points."""
    return np.stack([rig.column(k)[shot.cast.landmarks] for k in range(rig.num_shapes)]).astype(np.float64)


def test_strengths_without_mixes_are_found():
    """At the points, of shapes that frames show, from exact points; shapes that no frame shows keep theirs."""
    shot = filmed(ActorVariation(identity=0.8, strength=0.2, mix=0.0), seed=6, noise=0.0)
    every = rows(shot, np.arange(1, FRAMES, 3))
    found = rc.capture.personalize(shot.plain, shot.found, shot.points, corrected=every, mix=1e-6, strength=100.0)
    own, plain, fitted = (offsets(shot, rig) for rig in (shot.actor.rig, shot.plain, found.rig))
    shown = np.nan_to_num(every).max(axis=0) > 0.3
    assert shown.sum() >= 8
    left, before = (np.abs(some - own)[shown].max() for some in (fitted, plain))
    assert left <= 0.1 * before
    assert left <= EXACT * np.abs(own).max()
    never = np.nan_to_num(every).max(axis=0) == 0.0
    assert (found.strength[never] == 1.0).all()


def test_an_actor_with_the_characters_shapes_is_left_as_he_is():
    shot = filmed(ActorVariation(strength=0.0, mix=0.0), noise=0.0)
    found = rc.capture.personalize(shot.plain, shot.found, shot.points, corrected=rows(shot, [5, 15, 25]))
    plain = offsets(shot, shot.plain)
    assert np.abs(offsets(shot, found.rig) - plain).max() <= EXACT * np.abs(plain).max()


def test_the_points_of_corrected_frames_are_met(personal, chosen):
    """But for their noise, along both axes."""
    floor = np.sqrt(2.0) * NOISE
    assert personal.residual[1] - floor < 0.5 * (personal.residual[0] - floor)
    assert np.array_equal(personal.frames, chosen)


def test_names_neutral_and_combinations_stay(personal, shot):
    assert personal.rig.shape_names == shot.plain.shape_names
    assert np.array_equal(personal.rig.rest_vertices, shot.plain.rest_vertices)
    rig, points = rc.faces.example(), rc.capture.example_cast().landmarks
    weights = np.linspace(0.0, 0.8, 6)[:, None] * np.ones(rig.num_shapes)
    shown = rig.evaluate(weights.astype(np.float32))[:, points].astype(np.float64)
    found = rc.capture.solve(rig, shown, points, neutral=0)
    own = rc.capture.personalize(rig, found, shown, corrected=weights).rig
    assert own.combinations == rig.combinations
    assert np.array_equal(own.column(rig.num_shapes), rig.column(rig.num_shapes))


def test_occluded_points_do_not_count(shot, chosen, personal):
    """Points thrown far away, with a certainty of 0."""
    wild, certainty = shot.points.copy(), np.ones(shot.points.shape[:2])
    wild[:, ::7] += 40.0
    certainty[:, ::7] = 0.0
    tracks = rc.capture.Tracks(wild, certainty, 30.0, (128, 128))
    found = rc.capture.personalize(shot.plain, shot.found, tracks, corrected=rows(shot, chosen))
    assert found.residual[1] < 1.5 * personal.residual[1]


def test_frames_worth_correcting_are_not_alike(shot, chosen):
    """Held frames count once, and the strongest expression is among them."""
    held = replace(shot.found, weights=np.repeat(shot.found.weights, 3, axis=0), lost=np.zeros(3 * FRAMES, bool))
    frames = rc.capture.frames_to_correct(held, 10)
    assert np.array_equal(frames // 3, chosen)
    assert int(np.argmax(np.linalg.norm(shot.found.weights, axis=1))) in chosen


def test_no_more_frames_are_named_than_tell_something(shot):
    one = replace(shot.found, weights=np.linspace(0, 1, FRAMES)[:, None] * np.eye(len(shot.truth[0]))[0])
    assert rc.capture.frames_to_correct(one, 10).tolist() == [FRAMES - 1]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"corrected": np.nan}, "corrected"),
        ({"points": 3}, "points"),
        ({"axes": -1}, "with the axes of the capture"),
        ({"strength": 0.0}, "strength"),
        ({"rig": None}, "found"),
    ],
)
def test_wrong_input_is_named(shot, chosen, change, match):
    corrected, points, rig, given = rows(shot, chosen), shot.points, shot.plain, {}
    if "corrected" in change:
        corrected[:] = np.nan
    if "points" in change:
        points = points[:3]
    if "axes" in change:
        points = np.array([128.0, 0.0]) + points * [-1.0, 1.0]
    if "strength" in change:
        given["strength"] = 0.0
    if "rig" in change:
        rig = rc.BlendshapeRig(np.eye(3), np.zeros((1, 3, 3)), faces=[[0, 1, 2]])
    with pytest.raises(rc.errors.ArgumentError, match=match):
        rc.capture.personalize(rig, shot.found, points, corrected=corrected, **given)
