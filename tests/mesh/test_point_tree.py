"""Nearest points beside all distances."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [1, 5])
def test_nearest_points_are_the_smallest_of_all_distances(seed, count):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (300, 3)).astype(np.float32)  # many in one place, many equally far
    queries = rng.uniform(-1, 7, (80, 3)).astype(np.float32) if seed % 2 else points[:80]
    every = (((queries[:, None] - points[None]) ** 2)[..., 0] + ((queries[:, None] - points[None]) ** 2)[..., 1]) + (
        (queries[:, None] - points[None]) ** 2
    )[..., 2]
    expected = np.argsort(every, axis=1, kind="stable")[:, :count]
    for threads in (1, 3):
        index, squared = _core.PointTree(points).nearest(queries, count, threads)
        assert np.array_equal(index, expected)
        assert np.array_equal(squared, np.take_along_axis(every, expected, axis=1))


def test_points_in_one_place():
    index, squared = _core.PointTree(np.ones((50, 3))).nearest(np.zeros((2, 3)), 3)
    assert index.tolist() == [[0, 1, 2]] * 2
    assert np.array_equal(squared, np.full((2, 3), 3.0))


@pytest.mark.parametrize(
    ("points", "queries", "count"),
    [
        (np.zeros((0, 3)), np.zeros((1, 3)), 1),
        (np.full((4, 3), np.nan), np.zeros((1, 3)), 1),
        (np.zeros((4, 2)), np.zeros((1, 3)), 1),
        (np.zeros((4, 3)), np.zeros((1, 2)), 1),
        (np.zeros((4, 3)), np.full((1, 3), np.inf), 1),
        (np.zeros((4, 3)), np.zeros((1, 3)), 5),
        (np.zeros((4, 3)), np.zeros((1, 3)), 0),
    ],
)
def test_wrong_arguments(points, queries, count):
    with pytest.raises(ValueError, match=r"PointTree.*it must be"):
        _core.PointTree(points).nearest(queries, count)
