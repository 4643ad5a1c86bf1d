"""Rays beside all triangles, and packed vertices beside their definition."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core


def surface(seed, triangles=False):
    """A bumpy sheet of quads, some of them triangles."""
    rng = np.random.default_rng(seed)
    side = 12
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side), indexing="ij")
    points = np.stack([x, y, 0.3 * rng.standard_normal((side, side))], axis=-1).reshape(-1, 3).astype(np.float32)
    index = np.arange(side * side).reshape(side, side)
    quads = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    faces = quads.astype(np.int32)
    faces[::3, 3] = -1
    return points, faces[:, :3] if triangles else faces


def rays(seed, count=60):
    rng = np.random.default_rng(seed + 100)
    origins = rng.uniform(-2, 2, (count, 3))
    return origins, rng.uniform(-1.3, 1.3, (count, 3)) - origins


def first_by_all_triangles(points, faces, origin, direction):
    """The smallest t at which a ray meets any triangle, by solving for each."""
    best = np.inf
    for face in faces:
        corners = [face[[0, 1, 2]]] + ([face[[0, 2, 3]]] if len(face) == 4 and face[3] >= 0 else [])
        for a, b, c in points[np.array(corners)].astype(np.float64):
            matrix = np.stack([b - a, c - a, -direction], axis=1)
            if abs(np.linalg.det(matrix)) < 1e-14:
                continue
            u, v, t = np.linalg.solve(matrix, origin - a)
            if u >= 0 and v >= 0 and u + v <= 1 and t >= 0:
                best = min(best, t)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_a_ray_meets_the_nearest_of_all_triangles(seed, tolerance):
    points, faces = surface(seed)
    picker = _core.SurfacePicker(points, faces)
    hits = 0
    for origin, direction in zip(*rays(seed), strict=True):
        expected, found = first_by_all_triangles(points, faces, origin, direction), picker.pick(origin, direction)
        assert (found is None) == np.isinf(expected)
        if found is not None:
            assert found[4] == pytest.approx(expected, rel=tolerance["gram"])
            hits += 1
    assert hits > 5


def test_after_a_refit_it_is_the_moved_surface(tolerance):
    points, faces = surface(0)
    moved = (points[:, [2, 0, 1]] * 1.7 + 0.3).astype(np.float32)
    picker, fresh = _core.SurfacePicker(points, faces), _core.SurfacePicker(moved, faces)
    picker.refit(moved)
    for origin, direction in zip(*rays(7), strict=True):
        here, there = picker.pick(origin, direction), fresh.pick(origin, direction)
        assert (here is None) == (there is None)
        assert here is None or here[4] == pytest.approx(there[4], abs=tolerance["exact"])


def test_weights_and_corners_give_the_point_of_the_ray(tolerance):
    points, faces = surface(1, triangles=True)
    origin, direction = np.array([0.13, -0.21, 4.0]), np.array([0.02, 0.01, -1.0])
    face, corners, weights, vertex, distance = _core.SurfacePicker(points, faces).pick(origin, direction)
    point = origin + distance * direction
    assert weights @ points[corners] == pytest.approx(point, abs=tolerance["float32"])
    assert weights.sum() == pytest.approx(1.0, abs=tolerance["float64"])
    assert set(corners) == set(faces[face])
    gaps = np.linalg.norm(points[corners] - point, axis=1)
    assert vertex == corners[np.argmin(gaps)]


def test_a_ray_along_an_axis_that_starts_on_a_box_is_not_lost():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    assert _core.SurfacePicker(points, [[0, 1, 2]]).pick([0.0, 0.25, 1.0], [0.0, 0.0, -1.0]) is not None


def test_a_mesh_without_faces_is_never_met():
    assert _core.SurfacePicker(np.zeros((3, 3)), np.zeros((0, 4), np.int32)).pick([0, 0, 1], [0, 0, -1.0]) is None


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda p: p.pick([0, 0], [0, 0, 1.0]), "origin"),
        (lambda p: p.pick([0, 0, np.nan], [0, 0, 1.0]), "origin"),
        (lambda p: p.pick([0, 0, 0.0], [0, 0, 0.0]), "direction"),
        (lambda p: p.pick([0, 0, 0.0], [0, np.inf, 0.0]), "direction"),
        (lambda p: p.refit(np.zeros((5, 3))), "points"),
        (lambda p: p.refit(np.full((144, 3), np.nan)), "points"),
    ],
)
def test_wrong_arguments_are_named(call, argument):
    with pytest.raises(ValueError, match=rf"SurfacePicker\.\w+: {argument} .* it must be"):
        call(_core.SurfacePicker(*surface(0)))


def unpacked(packed, low, high):
    """Positions, marks and normals of packed vertices, by their definition."""
    position = packed[:, :6].copy().view("<u2") / 65535.0
    x, y = (packed[:, 8:].copy().view("<i2") / 32767.0).T
    z = 1.0 - np.abs(x) - np.abs(y)
    below = z < 0
    folded = (1 - np.abs(y)) * np.where(x < 0, -1, 1), (1 - np.abs(x)) * np.where(y < 0, -1, 1)
    normal = np.stack([np.where(below, folded[0], x), np.where(below, folded[1], y), z], axis=1)
    return low + position * (high - low), packed[:, 6], normal / np.linalg.norm(normal, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_packed_vertices_hold_positions_and_normals(seed, tolerance):
    rng = np.random.default_rng(seed)
    points, faces = surface(seed)
    points = points[:, rng.permutation(3)] * rng.choice([-1, 1])
    marks = rng.integers(0, 256, len(points)).astype(np.uint8)
    positions, seen, normals = unpacked(*_core.VertexPacker(faces, len(points)).pack(points, marks))
    assert np.abs(positions - points).max() <= np.ptp(points, axis=0).max() / 65535
    assert np.array_equal(seen, marks)
    assert normals == pytest.approx(_core.vertex_normals(points, faces), abs=tolerance["float32_character"])


def test_a_flat_mesh_packs_without_a_division_by_zero():
    points = np.array([[0, 0, 2], [1, 0, 2], [0, 1, 2]], np.float32)
    positions, marks, _ = unpacked(*_core.VertexPacker([[0, 1, 2]], 3).pack(points))
    assert np.array_equal(positions[:, 2], [2, 2, 2])
    assert not marks.any()


@pytest.mark.parametrize(
    ("vertices", "marks", "argument"),
    [
        (np.zeros((4, 3)), None, "vertices"),
        (np.zeros((3, 3)), np.zeros(2, np.uint8), "marks"),
        (np.full((3, 3), np.inf), None, "points"),
    ],
)
def test_what_does_not_fit_is_not_packed(vertices, marks, argument):
    with pytest.raises(ValueError, match=f"{argument} is .* it must be"):
        _core.VertexPacker([[0, 1, 2]], 3).pack(vertices, marks)
