"""Landmarks of an actor as control points of a character."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import MirroredWarning
from tests.support.made.models import random_transforms

RIG = rc.faces.example()
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
    found = rc.ik.retarget_landmarks(actor, similarity(REST, 0.02, seed=1), REST, head=False)
    assert np.abs(found - performed).max() < tolerance["float32_character"]


def test_the_motion_of_the_head_is_removed(tolerance):
    performed = clip()
    still = steady(performed)
    assert len(still) >= 4
    moving = np.stack([similarity(frame, 0.02 + 0.001 * t, seed=t) for t, frame in enumerate(performed)])
    found = rc.ik.retarget_landmarks(moving, similarity(REST, 0.02, seed=9), REST, steady=still)
    assert np.abs(found - performed).max() < tolerance["float32_character"]


def test_two_dimensional_landmarks_are_retargeted_in_the_image(tolerance):
    performed = clip()
    still = steady(performed)
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    image = 50.0 * performed[..., :2] @ turn.T + [320.0, 240.0]
    found = rc.ik.retarget_landmarks(image, 50.0 * REST[:, :2], REST[:, :2], steady=still)
    assert np.abs(found - performed[..., :2]).max() < tolerance["float32_character"]


@pytest.mark.parametrize("axes", [3, 2])
@pytest.mark.parametrize(
    ("mirrored", "words"),
    [
        (("landmarks", "neutral"), ["neutral looks mirrored beside points"]),
        (("landmarks",), ["landmarks looks mirrored beside neutral"]),
        (("neutral",), ["landmarks looks mirrored beside neutral", "neutral looks mirrored beside points"]),
        (("points",), ["neutral looks mirrored beside points"]),
    ],
)
def test_mirror_images_are_said(axes, mirrored, words):
    performed = clip()
    still = steady(performed)
    given = {"landmarks": performed[..., :axes], "neutral": REST[:, :axes], "points": REST[:, :axes]}
    given |= {name: given[name] * ([-1.0, 1.0, 1.0][:axes]) for name in mirrored}
    with pytest.warns(MirroredWarning) as told:
        rc.ik.retarget_landmarks(**given, steady=still)
    assert len(told) == len(words)
    for warning, text in zip(told, words, strict=True):
        assert text in str(warning.message)


def test_the_scale_may_be_given():
    found = rc.ik.retarget_landmarks(REST[None] * 1.0 + 0.1, REST, 3.0 * REST, head=False, scale=2.0)
    assert np.allclose(found - 3.0 * REST, 0.2)


def test_a_performance_becomes_an_animation():
    performed = clip()
    actor = similarity(performed, 0.02, seed=1)
    goals = rc.ik.retarget_landmarks(actor, similarity(REST, 0.02, seed=1), REST, head=False)
    found = rc.ik.solve(RIG, goals, POINTS)
    assert found.error.max() < 0.01


def test_both_layouts_have_the_same_68_names():
    assert list(rc.ik.IBUG_68) == list(rc.ik.MEDIAPIPE_468)
    assert list(rc.ik.IBUG_68.values()) == list(range(68))
    indices = list(rc.ik.MEDIAPIPE_468.values())
    assert len(set(indices)) == 68
    assert max(indices) < 468
    assert set(rc.ik.STEADY) < set(rc.ik.IBUG_68)


# The landmark of the other side, for each of the 68.
MIRRORED = [
    *range(16, -1, -1), *range(26, 16, -1), 27, 28, 29, 30, *range(35, 30, -1), 45, 44, 43, 42, 47, 46, 39, 38, 37, 36,
    41, 40, *range(54, 47, -1), *range(59, 54, -1), *range(64, 59, -1), 67, 66, 65,
]  # fmt: skip
MOUTH = range(48, 68)  # whose lips are closed in one face and open in the other


@pytest.fixture(scope="module")
def canonical(data_path) -> np.ndarray:
    """MediaPipe's points (68, 3) on its canonical face, in centimeters."""
    text = (data_path("mediapipe_canonical_face") / "canonical_face_model.obj").read_text()
    points = [line.split()[1:4] for line in text.splitlines() if line.startswith("v ")]
    assert len(points) == 468
    return np.array(points, np.float64)[list(rc.ik.MEDIAPIPE_468.values())]


def test_mediapipe_s_indices_are_symmetric_and_sides_are_the_actor_s(canonical, tolerance):
    np.testing.assert_allclose(canonical[MIRRORED] * [-1, 1, 1], canonical, atol=tolerance["float32"])
    names = list(rc.ik.IBUG_68)
    for name, point in zip(names, canonical, strict=True):  # the face looks along z: its left is at positive x
        assert not name.startswith("left") or point[0] > 0
        assert not name.startswith("right") or point[0] < 0


def test_mediapipe_s_indices_lie_where_another_face_has_the_same_landmarks(canonical, data_path):
    """After a similarity from points to points, each has its own landmark as the nearest of ICT FaceKit's 68."""
    folder = data_path("ict_facekit")
    chosen = json.loads((folder / "vertex_indices.json").read_text())["idx_to_landmark_verts"]
    with np.load(folder / "topology_neutral.npz") as file:
        landmarks = file["neutral"][chosen].astype(np.float64)
    moved = rc.ik.retarget_landmarks(canonical[None] * 0.0 + canonical, canonical, landmarks)[0]
    np.testing.assert_allclose(moved, landmarks, atol=1e-9)  # the neutral goes to the neutral
    a, b = canonical - canonical.mean(axis=0), landmarks - landmarks.mean(axis=0)
    left, values, right = np.linalg.svd(b.T @ a)
    fitted = values.sum() / np.square(a).sum() * a @ (left @ right).T
    apart = np.linalg.norm(fitted[:, None] - b[None], axis=2)
    own = np.diagonal(apart)
    assert own.mean() < 0.6  # centimeters, between two people
    assert own.max() < 1.7
    elsewhere = [i for i in range(68) if i not in MOUTH]
    assert (apart.argmin(axis=1)[elsewhere] == elsewhere).all()
    assert (own - apart.min(axis=1) < 0.45)[list(MOUTH)].all()


WRONG = {
    "landmarks is not finite everywhere": lambda: rc.ik.retarget_landmarks(clip() * np.nan, REST, REST),
    "neutral is float64 (3, 3)": lambda: rc.ik.retarget_landmarks(clip(), REST[:3], REST),
    "points is float64 (31, 2)": lambda: rc.ik.retarget_landmarks(clip(), REST, REST[:, :2]),
    "steady is 99": lambda: rc.ik.retarget_landmarks(clip(), REST, REST, steady=[0, 1, 99]),
    "neutral is of steady landmarks on a line": lambda: rc.ik.retarget_landmarks(clip(), REST, REST, steady=[0, 1]),
    "points is of steady landmarks on a line": lambda: rc.ik.retarget_landmarks(clip(), REST, REST * [1.0, 0, 0]),
    "scale is 0": lambda: rc.ik.retarget_landmarks(clip(), REST, REST, scale=0),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named(words):
    with pytest.raises(ValueError, match=r"; it must be ") as caught:
        WRONG[words]()
    assert str(caught.value).startswith(f"retarget_landmarks: {words}")


def test_the_printed_formula_adds_the_displacements_of_the_landmarks(tolerance):
    actor = REST + np.random.default_rng(4).normal(0.0, 0.1, (6, *REST.shape))
    points = np.random.default_rng(5).normal(size=REST.shape)
    found = rc.ik.retarget_landmarks(actor, REST, points, head=False, scale=1.0, rotate=False)
    np.testing.assert_allclose(found, points + (actor - REST), atol=tolerance["float64"])
