"""Motion on the screen against loops over triangles, by hand, and what does not count."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

CAMERA = rc.render.Camera(200, 100, focal=300.0, translation=[0.1, -0.2, 8.0])
PLANE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
QUAD = np.array([[0, 1, 2, 3]])
# From a figure with y up that faces z to one with another axis up.
TURNS = {
    "Y": np.eye(3),
    "Z": np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "X": np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
}


def shifted(*offset):
    return np.add(PLANE, offset)


def slow(a, b, triangles, camera):
    """The largest distance, and mean and mean square weighted by the areas on the screen; one frame."""
    places = []
    for mesh in (a, b):
        seen = mesh @ np.asarray(camera.rotation).T + camera.translation
        places.append(float(camera.focal) * seen[:, :2] / seen[:, 2:])
    weights = np.zeros(len(a))
    for u, v, w in triangles:
        for place in places:
            (x1, y1), (x2, y2) = place[v] - place[u], place[w] - place[u]
            facing = -(x1 * y2 - y1 * x2) / 2  # y points down
            if facing > 0:
                weights[[u, v, w]] += facing / 3
    far = np.linalg.norm(places[1] - places[0], axis=1)
    counted = weights > 0
    total = weights.sum()
    return far[counted].max(), (weights * far).sum() / total, (weights * far**2).sum() / total


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_loops(seed, tolerance):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, 1, (20, 3)), rng.normal(0, 1, (20, 3))
    triangles = rng.permuted(np.tile(np.arange(20), (30, 1)), axis=1)[:, :3]
    found = rc.perception.screen_motion(a, b, triangles, camera=CAMERA)
    most, mean, square = slow(a, b, triangles, CAMERA)
    np.testing.assert_allclose(found.max, most, rtol=tolerance["gram"])
    np.testing.assert_allclose(found.mean, mean, rtol=tolerance["gram"])
    np.testing.assert_allclose(found.rms, np.sqrt(square), rtol=tolerance["gram"])


def test_a_shift_across_the_view_is_focal_length_over_distance(tolerance):
    found = rc.perception.screen_motion(PLANE, shifted(0.5, 0, 0), QUAD, camera=CAMERA)
    assert found.max == pytest.approx(300.0 * 0.5 / 8.0, rel=tolerance["gram"])
    assert found.mean == pytest.approx(found.max, rel=tolerance["gram"])


def test_motion_along_the_view_hardly_counts():
    along = rc.perception.screen_motion(PLANE, shifted(0, 0, 0.1), QUAD, camera=CAMERA).max
    across = rc.perception.screen_motion(PLANE, shifted(0, 0.1, 0), QUAD, camera=CAMERA).max
    assert along < across / 3


def test_what_faces_away_does_not_count():
    back = shifted(0, 0, -0.5)
    both = np.concatenate([PLANE, back])
    faces = np.concatenate([QUAD, QUAD[:, ::-1] + 4])
    moved = both + np.concatenate([np.zeros((4, 3)), np.full((4, 3), [1.0, 0, 0])])
    found = rc.perception.screen_motion(both, moved, faces, camera=CAMERA)
    assert found.max == 0.0
    assert (found.per_vertex == 0).all()


def test_frames_are_those_of_single_calls():
    rng = np.random.default_rng(0)
    moving = PLANE + rng.normal(0, 0.1, (5, 4, 3))
    found = rc.perception.screen_motion(PLANE, moving, QUAD, camera=CAMERA)
    alone = [rc.perception.screen_motion(PLANE, frame, QUAD, camera=CAMERA).max for frame in moving]
    np.testing.assert_array_equal(found.per_frame, alone)
    assert found.max == max(alone)


@pytest.mark.parametrize(
    ("a", "b", "faces", "words"),
    [
        (PLANE, PLANE[:3], QUAD, "b is"),
        (PLANE, PLANE[None][:0], QUAD, "b is empty"),
        (PLANE, PLANE, QUAD + 1, "faces"),
        (PLANE, shifted(0, 0, 9), QUAD, "b is with a vertex behind the camera"),
    ],
)
def test_wrong_input_is_named(a, b, faces, words):
    with pytest.raises(ValueError, match=words):
        rc.perception.screen_motion(a, b, faces, camera=CAMERA)


@pytest.mark.parametrize("axis", TURNS)
def test_a_viewer_stands_in_front_at_the_stated_distance(axis, tolerance):
    """The nearest point is 2 m away, and the whole mesh lies in the picture, its top up."""
    box = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    mesh = 100.0 * box @ TURNS[axis].T
    camera = rc.perception.Viewing(distance=2.0).camera(mesh, 0.01, axis)
    depth = (mesh @ np.asarray(camera.rotation).T + camera.translation)[:, 2]
    assert depth.min() == pytest.approx(200.0, rel=tolerance["float32"])
    assert int(depth.argmin()) == int(box[:, 2].argmax())
    places = camera.project(mesh)[0]
    assert (places >= 0).all()
    assert (places <= [camera.width, camera.height]).all()
    sight = box[:, 1] / (3.0 - box[:, 2])
    assert np.corrcoef(sight, -places[:, 1])[0, 1] > 0.99


def test_a_pixel_is_as_large_as_stated(tolerance):
    expected = 2 * 2 * np.tan(np.radians(20)) / 1080
    assert rc.perception.Viewing(distance=2.0).pixel_size() == pytest.approx(expected, rel=tolerance["float32"])
