"""Which pixels a triangle covers, and what they see."""

import numpy as np
import pytest

import rigcast as rc
from tests.render import slow


def triangles(seed: int, count: int, low: float = 0.5) -> np.ndarray:
    """Corners (count, 3, 3) before the camera, some of them far beside the picture."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0.0, 0.8, (count, 3, 2)), rng.uniform(low, 3.0, (count, 3, 1))], axis=2)


@pytest.mark.parametrize("seed", range(3))
def test_pixels_and_depths_are_those_of_the_slow_rasterizer(seed: int, tolerance: dict[str, float]) -> None:
    camera = slow.plain_camera()
    corners = triangles(seed, 12).astype(np.float32)
    maps = rc.render.survey(corners.reshape(-1, 3), np.arange(36).reshape(-1, 3), camera)
    nearest = np.full((20, 24), np.inf)
    face = np.full((20, 24), -1)
    for index, points in enumerate(corners.astype(np.float64)):
        for y, x in np.argwhere(slow.covered(camera.project(points)[0], 24, 20)):
            z = np.clip(slow.depth(points, camera, x + 0.5, y + 0.5), points[:, 2].min(), points[:, 2].max())
            if z < nearest[y, x]:
                nearest[y, x], face[y, x] = z, index
    np.testing.assert_array_equal(maps.face[0], face)
    np.testing.assert_allclose(maps.depth[0], nearest, rtol=tolerance["float32"])


def test_a_shared_edge_covers_each_pixel_once() -> None:
    """A fan whose corners and edges run through centers of pixels."""
    camera = slow.plain_camera(17, 17, center=[0.0, 0.0])
    rim = np.array(
        [[0.5, 0.5], [8.5, 0.5], [16.5, 0.5], [16.5, 8.5], [16.5, 16.5], [8.5, 16.5], [0.5, 16.5], [0.5, 8.5]]
    )
    flat = np.concatenate([[[8.5, 8.5]], rim]) / 20.0
    points = np.column_stack([flat, np.ones(9)])
    counts = np.zeros((17, 17), int)
    for i in range(8):
        counts += rc.render.survey(points, [[0, 1 + i, 1 + (i + 1) % 8]], camera).face[0] >= 0
    expected = np.zeros((17, 17), int)
    expected[:16, :16] = 1  # the right and the lower rim belong to neighbors that are not there
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("seed", range(4))
def test_a_mesh_without_holes_is_drawn_without_holes(seed: int, tolerance: dict[str, float]) -> None:
    """Also where the near plane cuts it: every ray below the horizon meets the plane."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.linspace(-40, 40, 33), np.linspace(-5, 60, 33), indexing="ij"), axis=2)
    grid[1:-1, 1:-1] += rng.uniform(-0.6, 0.6, (31, 31, 2))
    points = np.stack([grid[..., 0], np.ones((33, 33)), grid[..., 1]], axis=2).reshape(-1, 3)
    corner = (np.arange(32)[:, None] * 33 + np.arange(32)).ravel()
    faces = np.stack([corner, corner + 1, corner + 34, corner + 33], axis=1)
    maps = rc.render.survey(points, faces, slow.plain_camera())
    assert (maps.face[0, 11:] >= 0).all()
    rows = (np.arange(11, 20) + 0.5 - 10.0) / 20.0
    np.testing.assert_allclose(
        maps.depth[0, 11:], np.repeat(1.0 / rows[:, None], 24, axis=1), rtol=tolerance["float32_scaled"]
    )


def test_attributes_are_perspective_correct(tolerance: dict[str, float]) -> None:
    """An interpolated position, seen through the camera, lies at the center of its pixel."""
    camera = slow.plain_camera()
    points = triangles(7, 6).reshape(-1, 3).astype(np.float32)
    maps = rc.render.survey(points, np.arange(18).reshape(-1, 3), camera)
    places = maps.interpolate(points)[0]
    seen = maps.face[0] >= 0
    inside = seen & (maps.weights[0].min(axis=2) > 0.02)  # the rounding of corners shows at the edges
    assert inside.sum() > 100
    y, x = np.nonzero(inside)
    np.testing.assert_allclose(
        camera.project(places[inside])[0], np.column_stack([x, y]) + 0.5, atol=tolerance["float32_character"]
    )
    np.testing.assert_allclose(places[inside][:, 2], maps.depth[0][inside], rtol=tolerance["float32_scaled"])


def test_the_front_of_a_face_is_counterclockwise() -> None:
    points = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]
    camera = rc.render.Camera(16, 16, focal=16.0, translation=[0.0, 0.0, 3.0])
    assert (rc.render.survey(points, [[0, 1, 2]], camera, front_only=True).face >= 0).any()
    assert not (rc.render.survey(points, [[0, 2, 1]], camera, front_only=True).face >= 0).any()


def test_of_equal_depths_the_lower_face_is_seen() -> None:
    points = [[-1.0, -1.0, 2.0], [1.0, -1.0, 2.0], [0.0, 1.0, 2.0]]
    maps = rc.render.survey(points, [[0, 1, 2], [0, 1, 2]], slow.plain_camera())
    assert set(np.unique(maps.face)) == {-1, 0}


def test_visible_points_are_those_before_a_wall() -> None:
    wall = [[-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [9.0, 9.0, 2.0], [-9.0, 9.0, 2.0]]
    points = [[0.1, 0.1, 1.5], [0.1, 0.1, 2.0], [0.1, 0.1, 2.4], [0.0, 0.0, -1.0], [5.0, 0.0, 1.0]]
    seen = rc.render.visible(wall, [[0, 1, 2, 3]], slow.plain_camera(), points=points, tolerance=0.1)
    assert seen.tolist() == [[True, True, False, False, False]]


def test_what_is_behind_the_camera_is_cut_off() -> None:
    behind = [[-1.0, -1.0, -2.0], [1.0, -1.0, -2.0], [0.0, 1.0, -2.0]]
    maps = rc.render.survey(behind, [[0, 1, 2]], slow.plain_camera())
    assert (maps.face == -1).all()
    assert np.isinf(maps.depth).all()


@pytest.mark.parametrize("size", [1e3, 1e6, 9e8])
def test_a_huge_triangle_fills_the_picture(size: float, tolerance: dict[str, float]) -> None:
    points = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]) * size + [0.0, 0.0, 2.0]
    maps = rc.render.survey(points, [[0, 1, 2]], slow.plain_camera())
    assert (maps.face == 0).all()
    np.testing.assert_allclose(maps.depth, 2.0, rtol=tolerance["float32"])


def test_triangles_without_area_cover_nothing() -> None:
    points = [[0.0, 0.0, 2.0], [0.2, 0.2, 2.0], [0.4, 0.4, 2.0]]
    assert (rc.render.survey(points, [[0, 1, 2], [0, 1, 1], [0, 0, 0]], slow.plain_camera()).face == -1).all()
