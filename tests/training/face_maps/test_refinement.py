"""What is refined: clusters of errors, the elbow, rectangles that grow and do not overlap."""

import numpy as np
import pytest

from rigcast.training._face_maps._layout.segments import COARSE, MapSegment
from rigcast.training._face_maps._refine.clusters import clusters, elbow
from rigcast.training._face_maps._refine.rectangles import (
    GAP,
    LONGEST,
    SIDE,
    Rectangle,
    apart,
    grown,
    shares,
    square_around,
)
from rigcast.training._face_maps._refine.refinement import _segments_of


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


def square(*low):
    return Rectangle(np.array(low), np.array(low) + SIDE)


def corners(rectangle):
    return [*rectangle.low, *rectangle.high]


def test_a_square_is_deepest_in_its_middle_and_ends_at_its_border(tolerance):
    at = square(0.3, 0.4).low + SIDE * np.array([[0.5, 0.5], [0.0, 0.5], [0.5, 1.0], [1.2, 0.5]])
    found = square(0.3, 0.4).depth(at)
    np.testing.assert_allclose(found, [0.5 * SIDE, 0, 0, -0.2 * SIDE], atol=tolerance["float64"])


def test_a_square_has_no_border_where_the_texture_ends():
    assert square(0.0, 0.0).depth(np.array([[0.0, 0.1]])) > 0.0


def test_a_square_lies_inside_the_texture():
    found = square_around(np.array([0.02, 0.95]))
    np.testing.assert_array_equal([found.low, found.high], [[0.0, 0.75], [0.25, 1.0]])


def test_weights_change_smoothly_across_the_border():
    """A step of a thousandth of the square changes a weight by little: nothing jumps."""
    across = np.stack([np.linspace(0.2, 0.65, 1801), np.full(1801, 0.5)], axis=1)
    (weights,), around = shares([square(0.3, 0.4)], across)
    assert (weights.min(), weights.max()) == (0.0, 1.0)
    assert np.abs(np.diff(weights)).max() < 0.02
    np.testing.assert_array_equal(weights + around, 1.0)


def test_weights_of_rectangles_that_meet_have_a_sum_of_one(tolerance):
    """And inside of one that of the other is 0."""
    uvs = np.random.default_rng(5).random((4000, 2))
    pair = [square(0.1, 0.3), square(0.1 + SIDE + GAP, 0.35)]
    weights, around = shares(pair, uvs)
    np.testing.assert_allclose(weights.sum(axis=0) + around, 1.0, atol=tolerance["float64"])
    for own, other, rectangle in zip(weights, weights[::-1], pair, strict=True):
        inside = rectangle.depth(uvs) > 0.0
        np.testing.assert_allclose(own[inside], 1.0, atol=tolerance["float64"])
        assert other[inside].max() < tolerance["float64"]
    assert ((weights > 0.1).all(axis=0)).any()


def mouth():
    """A thin strip of vertices whose ends, farther apart than a square is wide, hold nearly all of the error."""
    uvs = np.random.default_rng(3).random((6000, 2)) * [0.5, 0.06] + [0.2, 0.5]
    at_ends = np.abs(np.abs(uvs[:, 0] - 0.45) - 0.17) < 0.02
    return uvs, np.where(at_ends, 1.0, 1e-4)


def test_a_rectangle_grows_until_it_holds_the_error():
    """The square in the middle misses both corners of the mouth; what grew has them with full weight, and no more."""
    uvs, error = mouth()
    start = square_around(np.array([0.45, 0.53]))
    found = grown(start, uvs, error)

    def missed(rectangle):
        return (error * shares([rectangle], uvs)[1]).sum() / error.sum()

    assert missed(start) > 0.4
    assert missed(found) < 0.01
    assert found.size[0] < 0.38 + 2.0 * SIDE / 8.0
    assert found.size[1] == start.size[1]


def test_a_rectangle_stays_as_it_is_where_the_error_is_inside():
    uvs, error = mouth()
    start = square_around(np.array([0.3, 0.53]))
    assert corners(grown(start, uvs, np.where(uvs[:, 0] < 0.34, error, 0.0))) == corners(start)


def test_a_rectangle_grows_to_its_longest_and_not_out_of_the_texture():
    uvs = np.random.default_rng(4).random((3000, 2))
    found = grown(square_around(np.array([0.125, 0.5])), uvs, np.ones(3000))
    assert found.low[0] == 0.0
    assert found.size.max() <= LONGEST + 1e-12
    assert found.size.min() > LONGEST - SIDE / 8.0


def test_error_on_the_border_of_the_texture_counts():
    uvs = np.random.default_rng(6).random((3000, 2)) * [1.0, 0.0]
    assert grown(square_around(np.array([0.5, 0.0])), uvs, np.ones(3000)).size[0] == pytest.approx(LONGEST)


@pytest.mark.parametrize("other", [(0.4, 0.35), (0.2, 0.45), (0.3, 0.5)])
def test_rectangles_that_overlap_are_cut_and_stay_apart(other):
    segment = dense_segment()
    details = _segments_of(segment, apart([square(0.3, 0.3), square(*other)]), None, 64)
    one, two = (segment.uvs[Rectangle(*detail.rectangle).depth(segment.uvs) >= 0.0] for detail in details)
    nearest = np.abs(one[:, None] - two).max(axis=2).min()
    assert nearest >= GAP


@pytest.mark.parametrize("others", [[(0.3, 0.32)], [(0.31, 0.3), (0.32, 0.31), (0.33, 0.3), (0.3, 0.33)]])
def test_of_rectangles_that_nearly_coincide_the_first_is_left(others):
    (left,) = apart([square(0.3, 0.3), *(square(*other) for other in others)])
    assert corners(left) == corners(square(0.3, 0.3))


def test_rectangles_that_lie_apart_stay_as_they_are():
    far = [square(0.1, 0.1), square(0.1 + SIDE + GAP, 0.1), square(0.3, 0.7)]
    for before, after in zip(far, apart(far), strict=True):
        np.testing.assert_array_equal([after.low, after.high], [before.low, before.high])


def test_a_square_with_few_vertices_is_left_out():
    assert _segments_of(dense_segment(300), [square(0.3, 0.3)], None, 64) == []
