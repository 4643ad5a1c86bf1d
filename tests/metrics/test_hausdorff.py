"""The Hausdorff distance against all pairs of vertices."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc


def slow_hausdorff(a, b):
    distances = np.linalg.norm(a.astype(np.float64)[:, None] - b.astype(np.float64)[None], axis=2)
    return max(distances.min(axis=0).max(), distances.min(axis=1).max())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sizes", [(1, 1), (1, 90), (400, 300), (1000, 1000)])
def test_hausdorff_matches_all_pairs(seed, sizes, tolerance):
    rng = np.random.default_rng(seed)
    a, b = (rng.standard_normal((size, 3)).astype(np.float32) for size in sizes)
    expected = slow_hausdorff(a, b)
    np.testing.assert_allclose(rc.metrics.hausdorff(a, b), expected, rtol=tolerance["float32"])
    assert rc.metrics.hausdorff(b, a) == rc.metrics.hausdorff(a, b)


def test_it_looks_from_both_sides():
    plane = np.stack([*np.mgrid[0:5, 0:5].reshape(2, -1), np.zeros(25)], axis=1)
    with_spike = np.vstack([plane, [2.0, 2.0, 7.0]])
    assert rc.metrics.hausdorff(plane, with_spike) == 7.0
    assert rc.metrics.hausdorff(with_spike, plane) == 7.0


def test_the_order_of_vertices_does_not_matter():
    a = np.random.default_rng(0).standard_normal((200, 3))
    assert rc.metrics.hausdorff(a, a[::-1]) == 0.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.zeros((0, 3)), np.zeros((1, 3)), r"hausdorff: a is float64 \(0, 3\)"),
        (np.zeros((2, 3)), np.zeros((2, 2)), r"hausdorff: b is float64 \(2, 2\)"),
        (np.zeros((2, 3)), np.full((2, 3), np.nan), r"hausdorff: b is not finite everywhere"),
        (np.full((1, 3), 1e300), np.zeros((2, 3)), r"hausdorff: a is not finite everywhere"),
    ],
)
def test_bad_vertices_are_refused(a, b, message):
    with pytest.raises(ValueError, match=message):
        rc.metrics.hausdorff(a, b)
