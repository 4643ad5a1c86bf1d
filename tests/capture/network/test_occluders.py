"""Glasses and a hand before synthetic actors: what they hide is labelled hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture import ShotPlan

PLAN = ShotPlan(frames=30, size=96)
WORN = 4  # of the parts of a picture: glasses or hand


def landmarks_68(rig: rc.BlendshapeRig) -> np.ndarray:
    """Vertices of the built-in face near where eyes, nose and mouth have the 68 points, by what its shapes move."""
    rest = rig.rest_vertices.astype(float)

    def middle(name):
        size = np.linalg.norm(rig.column(rig.shape_names.index(name)), axis=1)
        return rest[size > 0.5 * size.max()].mean(axis=0)

    right, left, mouth = (middle(name) for name in ("eyeBlinkRight", "eyeBlinkLeft", "mouthPucker"))
    apart = np.linalg.norm(left - right)
    places = np.zeros((68, 2))
    angle = np.linspace(0, np.pi, 17)
    places[:17] = mouth[:2] + apart * np.stack([-1.1 * np.cos(angle), 0.6 - 1.2 * np.sin(angle)], axis=1)
    for rows, at in ((slice(36, 42), right), (slice(42, 48), left)):
        turn = np.pi - np.arange(6) * np.pi / 3
        places[rows] = at[:2] + apart * np.stack([0.2 * np.cos(turn), 0.08 * np.sin(turn)], axis=1)
    places[17:27] = np.stack([np.linspace(right[0], left[0], 10), np.full(10, right[1] + 0.3 * apart)], axis=1)
    middle_x = 0.5 * (right[0] + left[0])
    places[27:36] = np.stack([np.full(9, middle_x), np.linspace(right[1], 0.6 * mouth[1] + 0.4 * right[1], 9)], axis=1)
    for rows, size in ((slice(48, 60), 0.35), (slice(60, 68), 0.25)):
        count = rows.stop - rows.start
        turn = np.pi - np.arange(count) * 2 * np.pi / count
        places[rows] = mouth[:2] + apart * size * np.stack([np.cos(turn), 0.5 * np.sin(turn)], axis=1)
    front = np.flatnonzero(rest[:, 2] > np.median(rest[:, 2]))
    return front[[int(np.argmin(np.linalg.norm(rest[front, :2] - place, axis=1))) for place in places]]


@pytest.fixture(scope="module")
def actor():
    cast = rc.capture.example_cast()
    return replace(cast, landmarks=landmarks_68(cast.character)).actor(5)


@pytest.fixture(scope="module")
def shots(actor):
    return {
        "nothing": rc.capture.film(actor, PLAN),
        "glasses": rc.capture.film(actor, replace(PLAN, glasses=True)),
        "hand": rc.capture.film(actor, replace(PLAN, hand=True)),
    }


def test_all_else_stays_as_it_was(shots):
    """Weights, heads and landmarks of the same actor, whatever is before him."""
    for name in ("weights", "head", "landmarks_2d"):
        for kind in ("glasses", "hand"):
            assert np.array_equal(shots[kind].labels[name], shots["nothing"].labels[name])


@pytest.mark.parametrize("kind", ["glasses", "hand"])
def test_it_is_in_the_pictures_and_labelled(shots, kind):
    parts = shots[kind].labels["parts"]
    worn = parts == WORN
    assert worn.any()
    assert not (shots["nothing"].labels["parts"] == WORN).any()
    differ = (shots[kind].color != shots["nothing"].color).any(axis=3)
    assert differ[worn].mean() > 0.9  # the others have the color that was there


def test_the_hand_hides_the_mouth_and_glasses_do_not(shots):
    mouth = slice(48, 60)
    plain, hand, glasses = (
        np.asarray(shots[kind].labels["visible"])[:, mouth] for kind in ("nothing", "hand", "glasses")
    )
    assert hand.sum() < 0.8 * plain.sum()
    assert np.array_equal(glasses, plain)


def test_no_landmark_becomes_visible(shots):
    plain = np.asarray(shots["nothing"].labels["visible"], bool)
    for kind in ("glasses", "hand"):
        assert not (np.asarray(shots[kind].labels["visible"], bool) & ~plain).any()


def test_the_neutral_is_seen_without_the_hand(shots):
    assert not (shots["hand"].labels["parts"][:2] == WORN).any()


def test_glasses_are_worn_in_every_frame(shots):
    assert (shots["glasses"].labels["parts"] == WORN).any(axis=(1, 2)).all()


@pytest.mark.parametrize("kind", ["glasses", "hand"])
def test_eyes_and_mouth_must_be_known(kind):
    with pytest.raises(ValueError, match="an actor with 40 landmarks; it must be 68 landmarks"):
        rc.capture.film(rc.capture.example_cast().actor(1), ShotPlan(frames=2, size=16, **{kind: True}))


def test_the_same_bytes_for_any_number_of_threads(actor):
    plan = ShotPlan(frames=9, size=48, glasses=True, hand=True)
    one, two = (rc.capture.film(actor, plan, threads=n) for n in (1, 2))
    assert one.color.tobytes() == two.color.tobytes()
    assert np.array_equal(one.labels["visible"], two.labels["visible"])
