"""Crossings count from a stated depth: rounding where lips touch is none, a lip that is pushed through is one."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.transfer._crossings import DEPTH, crossing_depths
from tests.transfer.test_contacts import clam


@pytest.fixture(scope="module")
def face():
    """Its lips and lids touch."""
    return rc.faces.example()


@pytest.mark.parametrize("scale", [(1.1, 1.1, 1.1), (0.9, 1.0, 1.0), (1.1, 0.95, 1.0)])
def test_a_face_that_is_scaled_has_no_new_crossing(face, scale):
    target = face.rest_vertices * np.float32(scale)
    shapes = rc.transfer.positions_from_rig(face)
    made = rc.transfer.positions_from_rig(rc.transfer.transfer_rig(face, target))
    found = [rc.transfer.count_new_crossings(shapes, target, made, faces=face.faces, depth=d) for d in (0.0, DEPTH)]
    assert found[0].sum() > 0, "rounding crosses"
    assert found[1].tolist() == [0] * len(shapes)


def test_a_lip_that_is_pushed_through_is_found_with_its_depth():
    """The middle of one rim goes beyond the vertices that it faces."""
    neutral, faces = clam(1.0)
    grid = neutral.reshape(25, 9, 3).copy()
    across = np.sign(grid[24, 4, 2] - grid[0, 4, 2])
    grid[:5, 3:6, 2] = grid[:-6:-1, 3:6, 2] + 0.2 * across
    found = rc.transfer.quality(neutral, neutral[None], neutral, target_shapes=grid.reshape(1, -1, 3), faces=faces)
    assert found.new_crossings[0] > 5
    assert found.least_depth == pytest.approx(DEPTH * np.ptp(neutral, axis=0).max())
    assert 10.0 * found.least_depth < found.deepest[0] <= 0.201
    flush = grid.reshape(-1, 3) - np.float32([0, 0, 0.1999 * across]) * (grid != neutral.reshape(25, 9, 3)).reshape(
        -1, 3
    )
    assert rc.transfer.count_new_crossings(neutral[None], neutral, flush[None], faces=faces).tolist() == [0]


def sheets(gap, dip):
    """Two flat grids so far apart, the middle of the upper one pulled down."""
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    lower = np.stack([x.ravel(), y.ravel(), np.zeros(25)], axis=1)
    upper = lower + np.array([0.13, 0.07, gap])
    upper[12, 2] -= dip
    corner = np.array([5 * r + c for r in range(4) for c in range(4)])
    quads = np.stack([corner, corner + 1, corner + 6, corner + 5], axis=1)
    return np.concatenate([lower, upper]).astype(np.float32), np.concatenate([quads, quads + 25]).astype(np.int32)


@pytest.mark.parametrize("through", [0.02, 0.1, 0.3])
def test_a_tip_crosses_as_deep_as_it_went_or_as_its_way_out_sideways(through):
    points, faces = sheets(1.0, 1.0 + through)
    pairs = rc._core.self_intersections(points, faces, np.ones(len(faces), np.uint8))
    assert len(pairs) >= 4
    depths = crossing_depths(points, faces, pairs)
    assert 0.6 * through < depths.max() < 1.001 * through
    assert depths.min() > 0.0
    least = 0.9 * depths.max() / np.ptp(points, axis=0).max()
    assert rc.transfer.count_crossings(points, faces, depth=1.2 * least) == 0
    assert 0 < rc.transfer.count_crossings(points, faces, depth=least) <= len(pairs)


def test_no_way_out_is_shorter_than_the_depth():
    """Oracle: triangles moved apart in 4,000 directions by less than the depth still cut or touch."""
    rng = np.random.default_rng(5)
    points = rng.standard_normal((60, 3)).astype(np.float32)
    faces = np.concatenate([np.arange(60).reshape(20, 3), np.full((20, 1), -1)], axis=1).astype(np.int32)
    pairs = rc._core.self_intersections(points, faces, np.ones(20, np.uint8))
    depths = crossing_depths(points, faces, pairs)
    directions = rng.standard_normal((4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for (f, g), depth in zip(pairs.tolist(), depths, strict=True):
        a, b = (points[faces[face, :3]].astype(float) @ directions.T for face in (f, g))
        ways = np.minimum(a.max(axis=0) - b.min(axis=0), b.max(axis=0) - a.min(axis=0))
        assert depth <= ways.min() + 1e-9
        assert ways.min() < 1.5 * depth + 0.05, "and some way is about as short"


def test_a_depth_below_zero_is_refused():
    points, faces = sheets(1.0, 1.1)
    with pytest.raises(ValueError, match=r"count_crossings: depth is -1.*; it must be"):
        rc.transfer.count_crossings(points, faces, depth=-1)
    with pytest.raises(ValueError, match=r"quality: depth is -1.*; it must be"):
        rc.transfer.quality(points, points[None], points, target_shapes=points[None], faces=faces, depth=-1)
