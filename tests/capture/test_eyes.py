"""Eyes that follow pupils: every reachable pupil is met, and what cannot be is told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rigcast as rc
from rigcast import _core
from rigcast.capture import Capture, EyeMotion, Places, turn_eyes

COUNT = 100_000
FOCAL, CENTER = 800.0, (320.0, 240.0)
RADIUS = 1.2
CENTERS = np.array([[3.0, 3.0, 5.0], [-3.0, 3.0, 5.0]])
PUPILS = CENTERS + RADIUS * np.array([[0.06, -0.04, 1.0], [-0.05, 0.02, 1.0]]) / np.linalg.norm(
    [[0.06, -0.04, 1.0], [-0.05, 0.02, 1.0]], axis=1, keepdims=True
)
REPROJECTED = 0.01  # pixels
TURNED = 1e-6  # radians


def posed(frames: int, seed: int = 0) -> Capture:
    """A capture whose head turns and moves."""
    rng = np.random.default_rng(seed)
    head = np.empty((frames, 3, 4))
    head[:, :, :3] = Rotation.from_rotvec(rng.normal(0.0, 0.2, (frames, 3))).as_matrix()
    head[:, :, 3] = rng.normal([0.0, 0.0, -60.0], 1.0, (frames, 3))
    empty, places = np.zeros((frames, 0)), Places(np.zeros((0, 3), np.int32), np.zeros((0, 3)))
    lost, none = np.zeros(frames, bool), np.zeros(0)
    return Capture(
        weights=empty,
        head=head,
        residual=empty,
        lost=lost,
        neutral=np.zeros(0, np.int64),
        focal=FOCAL,
        focal_found=False,
        noise=1.0,
        offsets=np.zeros((0, 3)),
        places=places,
        strength=none,
        energy=np.zeros(frames),
        settled=~lost,
        names=(),
        center=CENTER,
    )


def projected(found: Capture, points: np.ndarray) -> np.ndarray:
    """Pixels (T, 2, 2) of points (T, 2, 3) of a rig with y up."""
    pose = np.diag([1.0, -1.0, -1.0]) @ found.head
    placed = np.einsum("tij,tej->tei", pose[:, :, :3], points) + pose[:, None, :, 3]
    return np.array(CENTER) + FOCAL * placed[..., :2] / placed[..., 2:]


def after(angles: np.ndarray) -> np.ndarray:
    """Pupils (T, 2, 3) that were turned about x, then about y."""
    turned = np.empty((len(angles), 2, 3))
    for e in range(2):
        about_x = Rotation.from_rotvec(angles[:, e, :1] * [1.0, 0.0, 0.0])
        about_y = Rotation.from_rotvec(angles[:, e, 1:] * [0.0, 1.0, 0.0])
        turned[:, e] = (about_y * about_x).apply(PUPILS[e] - CENTERS[e]) + CENTERS[e]
    return turned


@pytest.fixture(scope="module")
def rig() -> rc.BlendshapeRig:
    return rc.faces.example()


@pytest.fixture(scope="module")
def found() -> Capture:
    return posed(COUNT)


def seen(found: Capture, angles: np.ndarray) -> np.ndarray:
    """(T, 2) true where the turned pupil faces the camera by more than 6 degrees."""
    pose = np.diag([1.0, -1.0, -1.0]) @ found.head
    place = after(angles)
    normal = np.einsum("tij,tej->tei", pose[:, :, :3], place - CENTERS)
    view = np.einsum("tij,tej->tei", pose[:, :, :3], place) + pose[:, None, :, 3]
    return -(normal * view).sum(axis=2) > 0.1 * RADIUS * np.linalg.norm(view, axis=2)


def alone(rig: rc.BlendshapeRig, found: Capture, pupils: np.ndarray) -> EyeMotion:
    """Eyes that never take each other's rotation for disagreement."""
    return turn_eyes(rig, found, pupils, centers=CENTERS, pupils_at_rest=PUPILS, disagreement=100.0)


def test_pupils_are_met(rig, found):
    """A hundred thousand random rotations: the eye turned about x, then y, projects onto its pupil."""
    angles = np.random.default_rng(1).uniform(-0.6, 0.6, (COUNT, 2, 2))
    pupils = projected(found, after(angles))
    eyes = alone(rig, found, pupils)
    there = seen(found, angles)
    assert there.mean() > 0.9
    good = there.all(axis=1)
    assert not eyes.missed[good].any()
    assert not eyes.copied[good].any()
    off = np.linalg.norm(projected(found, after(eyes.angles)) - pupils, axis=2)
    assert off[good].max() <= REPROJECTED
    assert np.abs(eyes.angles - angles)[good].max() <= TURNED  # it is the rotation that was made


def test_the_order_matters(rig, found):
    """About y, then x: not the rotation that projects onto the pupil."""
    angles = np.random.default_rng(1).uniform(0.3, 0.6, (100, 2, 2))
    part = replace(found, head=found.head[:100])
    eyes = alone(rig, part, projected(part, after(angles)))
    other = np.empty((100, 2, 3))
    for e in range(2):
        about_x = Rotation.from_rotvec(eyes.angles[:, e, :1] * [1.0, 0.0, 0.0])
        about_y = Rotation.from_rotvec(eyes.angles[:, e, 1:] * [0.0, 1.0, 0.0])
        other[:, e] = (about_x * about_y).apply(PUPILS[e] - CENTERS[e]) + CENTERS[e]
    off = np.linalg.norm(projected(part, other) - projected(part, after(angles)), axis=2)
    assert off.min() > 10 * REPROJECTED


def straight(directions, centers=CENTERS, pupils=PUPILS, disagreement=0.35):
    """Angles and status of eyes seen along rays from the origin of the rig's axes."""
    rays = np.asarray(directions, np.float64)
    return _core.turn_eyes(centers, pupils, np.zeros((len(rays), 3)), rays, disagreement)


def test_a_ray_beside_the_eye_is_missed_and_turned_to_its_rim():
    away = CENTERS + np.array([[0.0, 2.0 * RADIUS, 0.0], [0.0, 0.0, 0.0]])
    back = -away  # the eyes look away from the origin
    centers, pupils = -CENTERS, -PUPILS
    _, status = straight([back], centers, pupils)
    assert status[0, 0] & 1
    assert status[0, 0] & 4  # and took the other eye's rotation
    assert not status[0, 0] & 2
    assert status[0, 1] == 0


def test_a_height_that_no_rotation_reaches_is_told_apart():
    """A pupil far to the side at rest turns about x on a small circle: it gets no higher than that."""
    centers = np.array([[0.0, 0.0, -10.0], [3.0, 0.0, -10.0]])
    pupils = centers + np.array([[0.8, 0.0, 0.6], [0.0, 0.0, 1.0]])
    high = np.array([0.0, 0.9, -10.0 + np.sqrt(1.0 - 0.81)])
    rays = np.array([[high, [3.0, 0.0, -1.0]]])
    rays[0, 1] = centers[1]
    _, status = straight(rays, centers, pupils, 100.0)
    assert status[0, 0] & 2
    assert not status[0, 0] & 1
    both = straight(np.stack([[high, [np.nan] * 3]]), centers, pupils)
    angles = both[0]
    about_x = Rotation.from_rotvec(angles[0, 0, 0] * np.array([1.0, 0.0, 0.0]))
    about_y = Rotation.from_rotvec(angles[0, 0, 1] * np.array([0.0, 1.0, 0.0]))
    reached = (about_y * about_x).apply(pupils[0] - centers[0])
    assert reached[1] == pytest.approx(0.6)  # sqrt(1 - .8^2)


def test_one_eye_is_copied_where_the_other_is_not_seen(rig, found):
    part = replace(found, head=found.head[:4])
    angles = np.tile([0.1, 0.2], (4, 2, 1)).astype(float)
    pupils = projected(part, after(angles))
    pupils[1:3, 0] = np.nan
    pupils[2, 1] = np.nan
    eyes = alone(rig, part, pupils)
    assert eyes.unseen.tolist() == [[False, False], [True, False], [True, True], [False, False]]
    assert eyes.copied.tolist() == [[False, False], [True, False], [False, False], [False, False]]
    np.testing.assert_allclose(eyes.angles, angles, atol=TURNED)  # frame 2 keeps those of frame 1


def test_eyes_that_disagree_take_the_rotation_nearer_to_the_last_one(rig, found):
    part = replace(found, head=found.head[:2])
    angles = np.array([[[0.1, 0.1], [0.1, 0.1]], [[0.1, 0.15], [0.0, -0.4]]])
    pupils = projected(part, after(angles))
    eyes = turn_eyes(rig, part, pupils, centers=CENTERS, pupils_at_rest=PUPILS)
    assert eyes.copied.tolist() == [[False, False], [False, True]]
    np.testing.assert_allclose(eyes.angles[1], [[0.1, 0.15], [0.1, 0.15]], atol=TURNED)


def test_a_pupil_at_the_center_of_its_eye_is_refused(rig, found):
    part = replace(found, head=found.head[:1])
    with pytest.raises(rc.errors.ArgumentError, match="center of their eye"):
        turn_eyes(rig, part, np.zeros((1, 2, 2)), centers=CENTERS, pupils_at_rest=CENTERS)
