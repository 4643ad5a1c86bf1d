"""Refinement squares: clusters of errors, the elbow, squares that overlap."""

import numpy as np
import pytest

from rigwright.training._face_maps._layout import COARSE, MapSegment
from rigwright.training._face_maps._refinement import (
    BORDER,
    GAP,
    SIDE,
    _segments_of,
    clusters,
    depth,
    elbow,
    smooth,
)


def dense_segment(count=4000):
    uvs = np.random.default_rng(0).random((count, 2))
    vertices = 3 * np.arange(count)
    return MapSegment("skin", COARSE, vertices, uvs, np.ones(count, np.float32), np.arange(2), 32)


def test_clusters_are_where_the_errors_are(tolerance):
    uvs = np.random.default_rng(1).random((6000, 2))
    middles = np.array([[0.2, 0.3], [0.8, 0.7]])
    errors = sum(np.exp(-np.square((uvs - middle) / 0.02).sum(axis=1)) for middle in middles)
    found = clusters(uvs, errors, 2)
    np.testing.assert_allclose(found[np.argsort(found[:, 0])], middles, atol=0.02)  # the errors' own width


def test_centers_are_weighted_means_of_their_vertices(tolerance):
    random = np.random.default_rng(2)
    uvs, errors = random.random((300, 2)), random.random(300)
    centers = clusters(uvs, errors, 4)
    label = np.linalg.norm(uvs[:, None] - centers, axis=2).argmin(axis=1)
    means = [np.average(uvs[label == k], axis=0, weights=errors[label == k]) for k in range(4)]
    np.testing.assert_allclose(centers, means, atol=tolerance["gram"])


def test_more_clusters_than_places_are_as_many_as_there_are():
    assert len(clusters(np.array([[0.1, 0.1], [0.9, 0.9]]), np.ones(2), 5)) == 2


@pytest.mark.parametrize(
    ("costs", "place"),
    [([10.0, 5.0, 1.0, 0.9, 0.8, 0.7], 2), ([10.0, 1.0, 0.9, 0.8], 1), ([1.0, 1.0, 1.0], 0), ([2.0, 1.0], 0)],
)
def test_the_elbow_is_where_costs_stop_falling(costs, place):
    assert elbow(costs) == place


def test_a_square_is_deepest_in_its_middle_and_ends_at_its_border(tolerance):
    low = np.array([0.3, 0.4])
    at = low + SIDE * np.array([[0.5, 0.5], [0.0, 0.5], [0.5, 1.0], [1.2, 0.5]])
    np.testing.assert_allclose(depth(at, [low], 0), [0.5 * SIDE, 0, 0, -0.2 * SIDE], atol=tolerance["float64"])


def test_a_square_has_no_border_where_the_texture_ends():
    assert depth(np.array([[0.0, 0.1]]), [np.array([0.0, 0.0])], 0) > 0.0


def test_weights_change_smoothly_across_the_border():
    """A step of a thousandth of the square changes a weight by little: nothing jumps."""
    across = np.stack([np.linspace(0.25, 0.6, 1401), np.full(1401, 0.5)], axis=1)
    weights = smooth(depth(across, [np.array([0.3, 0.4])], 0) / (BORDER * SIDE))
    assert (weights.min(), weights.max()) == (0.0, 1.0)
    assert np.abs(np.diff(weights)).max() < 0.02


def test_squares_that_overlap_are_cut_and_stay_apart():
    segment = dense_segment()
    squares = _segments_of(segment, [np.array([0.3, 0.3]), np.array([0.4, 0.35])], None, 64)
    one, other = (segment.uvs[np.isin(segment.vertices, square.vertices)] for square in squares)
    nearest = np.linalg.norm(one[:, None] - other, axis=2).min()
    assert nearest >= GAP


def test_a_square_with_few_vertices_is_left_out():
    assert _segments_of(dense_segment(300), [np.array([0.3, 0.3])], None, 64) == []
