"""The partition of unity over vertex sets."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from rigcast.training._body.partition import FAINT, blended_sets, hard_sets
from tests.support.characters.cylinder import CylinderRig


def dense(sets, num_vertices):
    """Weights as a matrix (V, S)."""
    weights = np.zeros((num_vertices, len(sets)))
    for i in range(len(sets)):
        weights[sets.vertex[sets.members(i)], i] = sets.weight[sets.members(i)]
    return weights


@pytest.fixture(scope="module")
def banded():
    """A long tube cut into three sets by height."""
    rig = CylinderRig(rings=60, sides=10)
    height = rig.rest_vertices[:, 1]
    return rig.faces, np.digitize(height, np.quantile(height, [0.35, 0.6])) + 5


def test_weights_match_a_dense_solve(banded, tolerance):
    faces, assignment = banded
    count = len(assignment)
    laplacian = np.zeros((count, count))
    for a, b in _core.edges(faces, count):
        laplacian[[a, b], [a, b]] += 1.0
        laplacian[[a, b], [b, a]] -= 1.0
    heat = np.linalg.solve(np.eye(count) + 1.5**2 * laplacian, (assignment[:, None] == [5, 6, 7]).astype(float))
    heat = np.maximum(heat - np.maximum(heat.min(axis=1), FAINT)[:, None], 0.0)
    sets = blended_sets(assignment, faces, 1.5)
    np.testing.assert_allclose(dense(sets, count), heat / heat.sum(axis=1, keepdims=True), atol=tolerance["float32"])
    np.testing.assert_array_equal(sets.joint, [5, 6, 7])


@pytest.mark.parametrize("width", [0.0, 0.5, 2.0, 6.0])
def test_at_most_two_sets_a_vertex_and_sum_one(banded, width, tolerance):
    faces, assignment = banded
    sets = blended_sets(assignment, faces, width)
    weights = dense(sets, len(assignment))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=tolerance["float32"])
    assert (weights > 0).sum(axis=1).max() == (1 if width == 0 else 2)
    assert all((np.diff(sets.vertex[sets.members(i)]) > 0).all() for i in range(len(sets)))
    np.testing.assert_array_equal(weights.argmax(axis=1) + 5, assignment)


def test_wider_borders_are_smoother(banded):
    faces, assignment = banded
    a, b = _core.edges(faces, len(assignment)).T
    steps = []
    for width in (0.0, 1.0, 2.0, 4.0):
        weights = dense(blended_sets(assignment, faces, width), len(assignment))
        steps.append(np.abs(weights[a] - weights[b]).max())
    assert steps == sorted(steps, reverse=True)
    assert steps[0] == 1.0
    assert steps[2] < 0.3


def test_loose_vertices_and_components_keep_their_set(banded):
    faces, assignment = banded
    count = len(assignment)
    two = np.concatenate([faces, faces + np.where(faces < 0, 0, count)])
    both = np.concatenate([assignment, np.full(count, 9), [5, 9]])  # a second tube of one set, two loose vertices
    weights = dense(blended_sets(both, two.astype(np.int32), 2.0), len(both))
    np.testing.assert_array_equal(weights[count : 2 * count + 1].max(axis=1), 1.0)
    np.testing.assert_array_equal(weights[-2:].argmax(axis=1), [0, 3])
    np.testing.assert_array_equal(weights[-2:].max(axis=1), 1.0)


def test_three_sets_that_meet_evenly_leave_no_vertex_alone(tolerance):
    faces = np.array([[0, 1, 2, -1], [0, 2, 3, -1], [0, 3, 1, -1]], np.int32)
    # vertex 0 in the middle sees the three others alike, whichever set it belongs to
    sets = blended_sets(np.array([3, 0, 1, 2]), faces, 50.0)
    np.testing.assert_allclose(dense(sets, 4).sum(axis=1), 1.0, atol=tolerance["float32"])


def test_hard_sets_hold_each_vertex_once():
    sets = hard_sets(np.array([4, 2, 2, 7, 4]))
    np.testing.assert_array_equal(sets.joint, [2, 4, 7])
    np.testing.assert_array_equal(sets.vertex, [1, 2, 0, 4, 3])
    np.testing.assert_array_equal(sets.weight, 1.0)
