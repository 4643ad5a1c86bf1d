"""Regions of a face: convex hulls of landmarks, grown by a margin."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.training._style.recordings import LANDMARKS, convex_hull, hull_mask, region_masks
from rigcast.training._style.settings import REGIONS
from tests.training.style.small_shots import SIZE, landmarks, shot


def inside(point, corners):
    """By the signs of all triangles' areas with the edges."""
    ends = np.roll(corners, -1, axis=0)
    edge, away = ends - corners, point - corners
    return bool((edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0] >= 0.0).all())


def test_a_hull_holds_all_points_and_its_corners_are_points():
    for seed in range(20):
        points = np.random.default_rng(seed).normal(size=(12, 2))
        corners = convex_hull(points)
        assert {tuple(corner) for corner in corners} <= {tuple(point) for point in points}
        grown = corners.mean(axis=0) + (1.0 + 1e-9) * (corners - corners.mean(axis=0))
        assert all(inside(point, grown) for point in points)


def test_a_mask_is_the_pixels_whose_centers_the_hull_holds():
    points = np.random.default_rng(1).uniform(2.0, 14.0, (9, 2))
    corners, found = convex_hull(points), hull_mask(points, 16, 0.0)
    for y in range(16):
        for x in range(16):
            assert found[y, x] == inside(np.array([x + 0.5, y + 0.5]), corners)


def test_a_margin_moves_every_edge_out():
    square = np.array([[4.0, 4.0], [12.0, 4.0], [12.0, 12.0], [4.0, 12.0]])
    expected = np.zeros((16, 16), np.bool_)
    expected[2:14, 2:14] = True
    np.testing.assert_array_equal(hull_mask(square, 16, 2.0), expected)


def test_each_region_is_of_its_own_landmarks():
    points = landmarks(np.array([0.0, 1.0]))
    masks = region_masks(points, SIZE, 0.05)
    for t in range(2):
        for i, name in enumerate(REGIONS):
            margin = 0.0 if name == "face" else 0.05 * SIZE
            np.testing.assert_array_equal(masks[t, i], hull_mask(points[t, LANDMARKS[name]], SIZE, margin))


def test_left_is_the_faces_own_left():
    """Whose x in the picture is the larger one."""
    x = {name: landmarks(np.zeros(1))[0, LANDMARKS[name], 0].mean() for name in ("left_eye", "right_eye")}
    assert x["left_eye"] > x["right_eye"]


def test_pictures_are_black_outside_of_the_face():
    pictures = np.full((1, SIZE, SIZE, 3), 200, np.uint8)
    found = rc.training.StyleRecording.of_landmarks(pictures, landmarks(np.zeros(1)))
    np.testing.assert_array_equal(found.pictures[0, ..., 1], np.where(found.masks[0, 0], 200, 0))
    assert 0.2 < found.masks[0, 0].mean() < 0.9


def test_given_pictures_are_not_changed():
    pictures = np.full((1, SIZE, SIZE, 3), 200, np.uint8)
    rc.training.StyleRecording.of_landmarks(pictures, landmarks(np.zeros(1)))
    assert (pictures == 200).all()


def test_the_mouths_region_opens_with_the_mouth():
    areas = shot([0.0, 1.0]).masks[:, REGIONS.index("mouth")].sum(axis=(1, 2))
    assert areas[1] > areas[0]
