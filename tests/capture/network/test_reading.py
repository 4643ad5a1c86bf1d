"""Reading a shot: layouts of points, crops that lie as the neutral's, lost frames, covariances in pixels."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.capture import CaptureNetwork, Tracks
from rigcast.capture._detectors import IBUG68, MEDIAPIPE
from rigcast.capture._network.alignment import align, layout_of, shares
from tests.capture.network.networks import LANDMARKS, SHAPES, facts, network, pictures, tensors

FRAMES = 5
EXACT = 1e-9  # of pixels: float64
FLOAT32 = 1e-3  # of pixels: shares of a crop in float32, by some hundred pixels


class Stated:
    """An engine that gives the same numbers for every picture, and keeps what it was shown."""

    def __init__(self, made, landmarks, covariance):
        self.size, self.num_points, self.num_landmarks = made.size, made._engine.num_points, LANDMARKS
        self.landmarks, self.covariance, self.shown = landmarks, covariance, []

    def read(self, crops, neutral, motion, threads):
        self.shown.append((crops, neutral, motion))
        count = len(crops)
        rows = np.full((count, SHAPES), 0.25), self.landmarks, self.covariance
        return rows[0].astype(np.float32), *(np.repeat(row[None], count, axis=0).astype(np.float32) for row in rows[1:])


def stated(made):
    rng = np.random.default_rng(4)
    spread = rng.normal(size=(LANDMARKS, 2, 2)) * 0.02
    both = spread @ spread.transpose(0, 2, 1) + 1e-4 * np.eye(2)
    made._engine = Stated(made, rng.uniform(0.2, 0.8, (LANDMARKS, 2)), both[:, [0, 0, 1], [0, 1, 1]])
    return made, both


def moving(count, frames=FRAMES, seed=1):
    """Points of a head that turns in the plane, nears and shifts, and nothing else; frame 0 is the neutral."""
    rng = np.random.default_rng(seed)
    rest = rng.uniform(60, 130, (count, 2))
    found = []
    for t in range(frames):
        angle, scale = 0.1 * t, 1.0 + 0.05 * t
        turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        found.append((rest - 95) @ turn.T + 95 + [3.0 * t, -2.0 * t])
    return np.array(found)


def film(frames=FRAMES):
    return [np.random.default_rng(t).integers(0, 256, (190, 200, 3)).astype(np.uint8) for t in range(frames)]


@pytest.mark.parametrize("count", [468, 478, 68, LANDMARKS])
def test_points_of_every_layout_are_taken(count):
    reading = network().read(film(), moving(count))
    assert reading.weights.shape == (FRAMES, SHAPES)
    assert reading.tracks.points.shape == (FRAMES, LANDMARKS, 2)
    assert np.isfinite(reading.tracks.points).all()
    assert reading.names == tuple(f"shape{k}" for k in range(SHAPES))


@pytest.mark.parametrize("layout", [MEDIAPIPE, IBUG68])
def test_squares_follow_the_head_and_leave_no_motion(layout):
    """A similarity of all points moves none of them in the axes of the neutral."""
    points = moving(layout.counts[0])
    aligned = align(points, points[0], layout_of(layout))
    assert np.abs(aligned.moved).max() <= EXACT
    home = aligned.squares[0]
    for t in range(FRAMES):
        np.testing.assert_allclose(shares(points[t], aligned.squares[t]), shares(points[0], home), atol=EXACT)
        assert aligned.squares[t].angle == pytest.approx(home.angle + 0.1 * t)


def test_what_moves_with_an_expression_is_measured_in_units_of_the_neutral():
    """A jaw that drops by a tenth of the unit does so however the head lies."""
    points, layout = moving(68), layout_of(IBUG68)
    unit = layout.square(points[0]).side / 1.28
    moved = points.copy()
    for t in range(1, FRAMES):
        turn = (points[t, 1] - points[t, 0]) / 1.0, (points[0, 1] - points[0, 0]) / 1.0
        factor = (turn[0][0] + 1j * turn[0][1]) / (turn[1][0] + 1j * turn[1][1])
        down = 1j * 0.1 * unit * factor
        moved[t, 8] += [down.real, down.imag]
    found = align(moved, moved[0], layout).moved
    np.testing.assert_allclose(found[1:, 8], np.tile([0.0, 0.1], (FRAMES - 1, 1)), atol=EXACT)


def test_landmarks_and_covariances_are_in_pixels_of_the_picture():
    """By the derivative of where a square puts its shares."""
    made, covariance = stated(network())
    points = moving(LANDMARKS)
    reading = made.read(film(), points)
    squares = align(points, points[0], made._layout).squares
    for t, square in enumerate(squares):
        at = made._engine.landmarks
        step = 1e-4
        columns = [(square.placed(at + step * e) - square.placed(at - step * e)) / (2 * step) for e in np.eye(2)]
        slope = np.stack(columns, axis=2)
        np.testing.assert_allclose(reading.tracks.points[t], square.placed(at), atol=FLOAT32)
        expected = slope @ covariance @ slope.transpose(0, 2, 1)
        np.testing.assert_allclose(reading.covariance[t], expected, rtol=step, atol=step)


def test_certainty_falls_with_the_variance():
    made, covariance = stated(network())
    reading = made.read(film(), moving(LANDMARKS))
    size = np.trace(covariance, axis1=1, axis2=2)
    order = np.argsort(size)
    assert (np.diff(reading.tracks.certainty[0, order]) <= 0.0).all()
    assert reading.tracks.certainty[0, order[0]] == 1.0
    assert reading.tracks.certainty[0, order[-1]] < 1.0


def test_frames_without_a_face_are_lost_and_the_others_as_they_were():
    made, points = network(), moving(68)
    whole = made.read(film(), points)
    points[2] = np.nan
    reading = made.read(film(), points)
    assert reading.lost.tolist() == [False, False, True, False, False]
    assert (reading.weights[2] == 0.0).all()
    assert np.isnan(reading.tracks.points[2]).all()
    assert (reading.tracks.certainty[2] == 0.0).all()
    others = [0, 1, 3, 4]
    assert np.array_equal(reading.weights[others], whole.weights[others])
    assert np.array_equal(reading.tracks.points[others], whole.tracks.points[others])


def test_a_frame_is_read_by_itself():
    """Beside the neutral; whatever else the shot shows."""
    made, points = network(), moving(68)
    whole, pair = made.read(film(), points), made.read([film()[t] for t in (0, 3)], points[[0, 3]])
    assert np.array_equal(pair.weights, whole.weights[[0, 3]])
    assert np.array_equal(pair.tracks.points, whole.tracks.points[[0, 3]])
    assert np.abs(np.diff(whole.weights, axis=0)).max() > 0.0


def test_points_of_no_certainty_count_as_not_found():
    points = moving(68)
    certainty = np.ones(points.shape[:2])
    certainty[3, 30] = 0.0  # of the nose
    assert network().read(film(), Tracks(points, certainty)).lost.tolist() == [False, False, False, True, False]


def test_a_network_sees_where_mediapipe_has_its_points():
    """Its own 468 alone, in shares of the neutral's unit; NaN where the face was not found."""
    made = network(points=468, detector="mediapipe")
    made, _ = stated(made)
    points = moving(478)
    points[1, 100] = np.nan  # a point that no crop is cut by
    reading = made.read(film(), points)
    ((_, neutral, motion),) = made._engine.shown
    assert motion.shape == (FRAMES, 2 * 468)
    assert np.isnan(motion[1]).all()
    assert np.abs(motion[[0, 2, 3, 4]]).max() <= EXACT
    assert neutral.shape[0] == 1
    assert "it also sees where MediaPipe has its points" in reading.notes


@pytest.mark.parametrize("count", [68, LANDMARKS])
def test_points_of_others_are_not_shown_to_it(count):
    made, _ = stated(network(points=468, detector="mediapipe"))
    made.read(film(), moving(count))
    assert np.isnan(made._engine.shown[0][2]).all()


def test_crops_of_a_still_head_are_the_same_pixels():
    """The neutral beside itself."""
    made, _ = stated(network())
    picture = film(1)[0]
    made.read([picture] * 3, np.repeat(moving(68, 1), 3, axis=0))
    crops, neutral, _ = made._engine.shown[0]
    assert (crops == neutral).all()


def test_a_mirror_image_is_read_as_the_other_side():
    """As exactly as the mean of both can: shapes and landmarks exchanged, covariances with the other slope."""
    shapes, landmarks = np.array([1, 0, 2, 4, 3, 5]), np.array([0, 2, 1, 4, 3])
    sides = {"shapes.mirror": shapes.astype(np.int32), "landmarks.mirror": landmarks.astype(np.int32)}
    made = CaptureNetwork(tensors() | sides, facts())
    crops, unknown = pictures(3), np.zeros((3, 0), np.float32)
    flipped = np.ascontiguousarray(crops[:, :, ::-1])
    plain, mirrored = (made._both_ways(given, given[:1], unknown, 1) for given in (crops, flipped))
    expected = plain[0][:, shapes], plain[1][:, landmarks] * [-1, 1] + [1, 0], plain[2][:, landmarks] * [1, -1, 1]
    for found, other in zip(mirrored, expected, strict=True):
        np.testing.assert_allclose(found, other, atol=1e-6)  # float32, added in another order
    assert np.abs(plain[0] - plain[0][:, shapes]).max() > 1e-3


def test_weights_are_between_0_and_1():
    reading = network().read(film(), moving(68))
    assert reading.weights.min() >= 0.0
    assert reading.weights.max() <= 1.0


def test_the_same_bytes_for_any_number_of_threads():
    made = network()
    one, two = (made.read(film(), moving(68), threads=n) for n in (1, 2))
    assert one.weights.tobytes() == two.weights.tobytes()
    assert one.covariance.tobytes() == two.covariance.tobytes()


@pytest.mark.parametrize(
    ("points", "neutral", "words"),
    [
        (moving(17), 0, "points is 17 points per frame; it must be MediaPipe's 468 or 478, 68, or the 5"),
        (moving(68)[:3], 0, r"of shape \(3, 68, 2\) for 5 pictures"),
        (np.zeros((FRAMES, 68, 3)) + np.arange(1.0, 4.0), 0, "pixels"),
        (moving(68), 5, "neutral"),
        (moving(68), -1, "neutral"),
    ],
)
def test_wrong_input_is_named(points, neutral, words):
    with pytest.raises(ValueError, match=words):
        network().read(film(), points, neutral)


def test_a_neutral_without_a_face_is_named():
    points = moving(68)
    points[0] = np.nan
    with pytest.raises(ValueError, match="neutral is frame 0, without a face"):
        network().read(film(), points)
