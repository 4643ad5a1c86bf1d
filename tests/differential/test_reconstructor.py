"""Delta coordinates, solves and the folded form against dense NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.differential.anchored import dense_laplacian, dense_solve, selection, shield, two_shields, welded

POINTS, FACES = two_shields()
V = len(POINTS)
ANCHORS = np.array([3, 40, 77, V - 5, V - 20])
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.5, 0.25])
LAPLACIAN = dense_laplacian(FACES, V)


def make(weight=1.0, anchors=ANCHORS):
    return rc.differential.Reconstructor(FACES, V, anchors, weight)


WELDED = {kind: welded(kind) for kind in ("lash", "point", "loose", "repeated")}


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_encode_multiplies_by_the_graph_laplacian(tolerance):
    d = random(4, V, 3)
    expected = np.einsum("ij,tjk->tik", LAPLACIAN, d.astype(np.float64))
    np.testing.assert_allclose(make().encode(d), expected, atol=10 * tolerance["float32"])  # of order ten


@pytest.mark.parametrize("weight", [1.0, WEIGHTS, 100.0])
def test_solve_is_the_least_squares_solution(weight, tolerance):
    delta, positions = random(3, V, 3), random(3, len(ANCHORS), 3, seed=1)
    expected = dense_solve(LAPLACIAN, ANCHORS, np.broadcast_to(weight, len(ANCHORS)), delta, positions)
    np.testing.assert_allclose(make(weight).solve(delta, positions), expected, atol=tolerance["float32_scaled"])


def test_solve_inverts_encode(tolerance):
    # Fails if one of them uses D - A and the other D^-1 (D - A).
    d = random(9, V, 3)
    r = make()
    np.testing.assert_allclose(r.solve(r.encode(d), d[:, ANCHORS]), d, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize("kind", WELDED)
def test_a_mesh_need_not_be_manifold(kind, tolerance):
    faces, count = WELDED[kind]
    laplacian = dense_laplacian(faces, count)
    anchors = rc.differential.choose_anchors(faces, count, 8)
    delta, positions = random(2, count, 3), random(2, len(anchors), 3, seed=1)
    expected = dense_solve(laplacian, anchors, np.ones(len(anchors)), delta, positions)
    solved = rc.differential.Reconstructor(faces, count, anchors).solve(delta, positions)
    np.testing.assert_allclose(solved, expected, atol=tolerance["float32_scaled"])


def test_moved_anchors_take_their_component_along(tolerance):
    # Fails if anchors are ignored.
    delta = np.zeros((1, V, 3), np.float32)
    positions = np.zeros((1, len(ANCHORS), 3), np.float32)
    positions[0, :3] = [1.0, 2.0, 3.0]
    moved = make().solve(delta, positions)[0]
    second = np.arange(V) >= len(shield()[0])
    expected = np.where(second[:, None], 0.0, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(moved, expected, atol=tolerance["float32_scaled"])


def test_a_frame_does_not_depend_on_the_others_nor_on_threads():
    delta, positions = random(19, V, 3), random(19, len(ANCHORS), 3)
    r = make()
    together = r.solve(delta, positions, threads=1)
    alone = np.concatenate([r.solve(delta[[t]], positions[[t]], threads=2) for t in range(19)])
    np.testing.assert_array_equal(together, alone)


BASIS, MEAN = random(3 * V, 7, seed=2), random(3 * V, seed=3)


@pytest.mark.parametrize("frames", [1, 3, 4, 21])
def test_folded_equals_basis_and_solve(frames, tolerance):
    z, positions = random(frames, 7), random(frames, len(ANCHORS), 3, seed=1)
    delta = (z @ BASIS.T + MEAN).reshape(frames, V, 3)
    expected = dense_solve(LAPLACIAN, ANCHORS, np.ones(len(ANCHORS)), delta, positions)
    found = make().folded(BASIS, MEAN).solve(z, positions)
    np.testing.assert_allclose(found, expected, atol=tolerance["float32_scaled"] * np.abs(expected).max())


def test_folded_takes_a_basis_of_shapes():
    z, positions = random(2, 7), random(2, len(ANCHORS), 3)
    shapes, mean = BASIS.T.reshape(7, V, 3), MEAN.reshape(V, 3)
    expected = make().folded(BASIS, MEAN).solve(z, positions)
    np.testing.assert_array_equal(make().folded(shapes, mean).solve(z, positions), expected)


def test_folded_frames_do_not_depend_on_the_others_nor_on_threads():
    z, positions = random(71, 7), random(71, len(ANCHORS), 3)
    folded = make().folded(BASIS, MEAN)
    together = folded.solve(z, positions, threads=1)
    alone = np.concatenate([folded.solve(z[[t]], positions[[t]], threads=2) for t in range(71)])
    np.testing.assert_array_equal(together, alone)


def test_16_bit_storage_states_its_error():
    full, half = make().folded(BASIS, MEAN), make().folded(BASIS, MEAN, storage="16-bit")
    z, positions = random(5, 7), random(5, len(ANCHORS), 3)
    bound = half.storage_error * (np.abs(z).sum(axis=1) + np.abs(positions).sum(axis=(1, 2)))
    difference = np.abs(half.solve(z, positions) - full.solve(z, positions)).max(axis=(1, 2))
    assert (full.storage_error, half.num_bytes < full.num_bytes) == (0.0, True)
    assert np.all(difference <= bound)


def test_gain_is_the_deviation_under_white_noise(tolerance):
    r = make(WEIGHTS)
    s = WEIGHTS[:, None] * selection(ANCHORS, V)
    inverse = np.linalg.inv(LAPLACIAN.T @ LAPLACIAN + s.T @ s)
    expected = np.sqrt(np.diag(inverse @ LAPLACIAN.T @ LAPLACIAN @ inverse))
    np.testing.assert_allclose(r.gain(), expected, rtol=tolerance["gram"])


def test_a_head_is_rebuilt_to_a_hundred_thousandth(tolerance):
    head = rc.faces.example()
    count = len(head.rest_vertices)
    anchors = rc.differential.choose_anchors(head.faces, count, count // 50)
    r = rc.differential.Reconstructor(head.faces, count, anchors)
    weights = np.random.default_rng(0).random((5, head.num_shapes)).astype(np.float32)
    d = head.evaluate(weights) - head.rest_vertices
    np.testing.assert_allclose(r.solve(r.encode(d), d[:, anchors]), d, atol=tolerance["float32_scaled"])
