"""Landmarks of an actor as control points of a character."""

from __future__ import annotations

import numpy as np
import pytest

import rigwright as rw
from tests.support.models import random_transforms

RIG = rw.faces.example()
POINTS = np.arange(0, len(RIG.rest_vertices), len(RIG.rest_vertices) // 30)
REST = RIG.rest_vertices[POINTS].astype(float)


def clip(frames: int = 6) -> np.ndarray:
    """Control points (T, M, 3) of a constructed performance of the character."""
    weights = np.random.default_rng(0).random((frames, RIG.num_shapes)) * 0.5
    return RIG.evaluate(weights)[:, POINTS].astype(float)


def similarity(points: np.ndarray, size: float, seed: int) -> np.ndarray:
    transform = random_transforms(1, np.random.default_rng(seed))[0].astype(float)
    return size * points @ transform[:, :3].T + 100.0 * transform[:, 3]


def steady(points: np.ndarray) -> np.ndarray:
    """Points that the clip does not move, and the first four."""
    return np.flatnonzero(np.linalg.norm(points - REST, axis=2).max(axis=0) < 1e-6)


def test_another_scale_and_place_give_the_performance_back(tolerance):
    performed = clip()
    actor = similarity(performed, 0.02, seed=1)
    found = rw.ik.retarget_landmarks(actor, similarity(REST, 0.02, seed=1), REST, head=False)
    assert np.abs(found - performed).max() < tolerance["float32_character"]


def test_the_motion_of_the_head_is_removed(tolerance):
    performed = clip()
    still = steady(performed)
    assert len(still) >= 4
    moving = np.stack([similarity(frame, 0.02 + 0.001 * t, seed=t) for t, frame in enumerate(performed)])
    found = rw.ik.retarget_landmarks(moving, similarity(REST, 0.02, seed=9), REST, steady=still)
    assert np.abs(found - performed).max() < tolerance["float32_character"]


def test_two_dimensional_landmarks_are_retargeted_in_the_image(tolerance):
    performed = clip()
    still = steady(performed)
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    image = 50.0 * performed[..., :2] @ turn.T + [320.0, 240.0]
    found = rw.ik.retarget_landmarks(image, 50.0 * REST[:, :2], REST[:, :2], steady=still)
    assert np.abs(found - performed[..., :2]).max() < tolerance["float32_character"]


def test_the_scale_may_be_given():
    found = rw.ik.retarget_landmarks(REST[None] * 1.0 + 0.1, REST, 3.0 * REST, head=False, scale=2.0)
    assert np.allclose(found - 3.0 * REST, 0.2)


def test_a_performance_becomes_an_animation():
    performed = clip()
    actor = similarity(performed, 0.02, seed=1)
    goals = rw.ik.retarget_landmarks(actor, similarity(REST, 0.02, seed=1), REST, head=False)
    found = rw.ik.solve(RIG, goals, POINTS)
    assert found.error.max() < 0.01


def test_both_layouts_have_the_same_68_names():
    assert list(rw.ik.IBUG_68) == list(rw.ik.MEDIAPIPE_468)
    assert list(rw.ik.IBUG_68.values()) == list(range(68))
    indices = list(rw.ik.MEDIAPIPE_468.values())
    assert len(set(indices)) == 68
    assert max(indices) < 468
    assert set(rw.ik.STEADY) < set(rw.ik.IBUG_68)


WRONG = {
    "landmarks is not finite everywhere": lambda: rw.ik.retarget_landmarks(clip() * np.nan, REST, REST),
    "neutral is float64 (3, 3)": lambda: rw.ik.retarget_landmarks(clip(), REST[:3], REST),
    "points is float64 (31, 2)": lambda: rw.ik.retarget_landmarks(clip(), REST, REST[:, :2]),
    "steady is 99": lambda: rw.ik.retarget_landmarks(clip(), REST, REST, steady=[0, 1, 99]),
    "neutral is of steady landmarks on a line": lambda: rw.ik.retarget_landmarks(clip(), REST, REST, steady=[0, 1]),
    "points is of steady landmarks on a line": lambda: rw.ik.retarget_landmarks(clip(), REST, REST * [1.0, 0, 0]),
    "scale is 0": lambda: rw.ik.retarget_landmarks(clip(), REST, REST, scale=0),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named(words):
    with pytest.raises(ValueError, match=r"; it must be ") as caught:
        WRONG[words]()
    assert str(caught.value).startswith(f"retarget_landmarks: {words}")
