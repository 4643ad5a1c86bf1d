"""The output basis against a singular value decomposition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigcast.training._body.basis import Allowed, reduce_residuals

ROWS, MEMBERS = 150, 12


@pytest.fixture
def residuals():
    rng = np.random.default_rng(0)
    strengths = 0.6 ** np.arange(3 * MEMBERS)
    data = (rng.standard_normal((ROWS, 3 * MEMBERS)) * strengths) @ np.linalg.qr(
        rng.standard_normal((3 * MEMBERS, 3 * MEMBERS))
    )[0]
    return (data + rng.standard_normal(3 * MEMBERS)).reshape(ROWS, MEMBERS, 3).astype(np.float32)


@pytest.fixture
def weights():
    return np.random.default_rng(1).uniform(0.05, 1.0, MEMBERS).astype(np.float32)


def scaled(residuals, weights):
    return (residuals * np.sqrt(weights)[:, None]).reshape(len(residuals), -1).astype(np.float64)


def reduce(residuals, weights, training=None, threshold=0.0, most=64, seed=0, each=math.inf):
    training = np.ones(ROWS, bool) if training is None else training
    return reduce_residuals(residuals.copy(), weights, training, Allowed(threshold, each), most, seed)


def test_components_are_the_leading_singular_vectors(residuals, weights, tolerance):
    training = np.arange(ROWS) % 4 != 0
    basis = reduce(residuals, weights, training, most=8)
    data = scaled(residuals, weights)
    mean = data[training].mean(axis=0)
    np.testing.assert_allclose(basis.mean, mean, atol=tolerance["float32_scaled"])
    _, _, right = np.linalg.svd(data[training] - mean)
    angles = np.linalg.svd(basis.components.T @ right[:8].T, compute_uv=False)
    np.testing.assert_allclose(angles, 1.0, atol=tolerance["float32_character"])
    np.testing.assert_allclose(basis.components.T @ basis.components, np.eye(8), atol=tolerance["float64"])
    np.testing.assert_allclose(
        basis.coefficients, (data - mean) @ basis.components, atol=tolerance["float32_character"]
    )


@pytest.mark.parametrize("threshold", [0.2, 0.05, 0.01])
def test_fewest_components_below_the_threshold(residuals, weights, threshold):
    basis = reduce(residuals, weights, threshold=threshold)
    data = scaled(residuals, weights) - basis.mean
    r = basis.components.shape[1]
    assert 0 < r < 3 * MEMBERS

    def left(count):
        kept = basis.components[:, :count]
        lengths = np.linalg.norm((data - data @ kept @ kept.T).reshape(ROWS, MEMBERS, 3), axis=2)
        return (lengths * np.sqrt(weights)).sum(axis=1).mean() / weights.sum()  # sum_k a_k |e_k| / sum_k a_k

    assert left(r) <= threshold < left(r - 1)


def test_rigid_vertices_need_no_component(weights, tolerance):
    still = np.tile(np.float32([0.5, -1.0, 2.0]), (ROWS, MEMBERS, 1))
    basis = reduce(still, weights, threshold=1e-4)
    assert basis.components.shape == (3 * MEMBERS, 0)
    np.testing.assert_allclose(
        basis.mean.reshape(-1, 3) / np.sqrt(weights)[:, None], still[0], rtol=tolerance["float32_scaled"]
    )


def test_a_faint_member_counts_little(residuals, weights):
    loud = residuals.copy()
    loud[:, 0] *= 100.0
    faint = weights.copy()
    faint[0] = 1e-8
    basis = reduce(loud, faint, threshold=0.05)
    without = reduce(residuals[:, 1:], faint[1:], threshold=0.05)
    assert basis.components.shape[1] == without.components.shape[1]


def test_same_seed_same_basis(residuals, weights):
    first, second = (reduce(residuals, weights, most=5, seed=7) for _ in range(2))
    assert first.components.tobytes() == second.components.tobytes()
    assert first.coefficients.tobytes() == second.coefficients.tobytes()


@pytest.mark.parametrize(
    ("allowed", "kept"),
    [
        (Allowed(2.0), False),
        (Allowed(2.7), True),
        (Allowed(2.7, 2.1), True),  # 0.25 x 5 and 1 x 2
        (Allowed(2.7, 1.9), False),
    ],
)
def test_members_count_by_their_weight(allowed, kept):
    errors = np.array([[[3.0, 0, 4.0], [0, 2.0, 0]]])  # lengths 5 and 2, (0.25 x 5 + 2) / 1.25 = 2.6
    weights = np.float32([0.25, 1.0])
    data = (errors * np.sqrt(weights)[:, None]).reshape(1, -1)
    assert allowed.allows(data, weights) is kept


def test_one_vertex_of_many_is_not_left_out(weights):
    """It moves by 1 beside 11 that are rigid: a mean of a twelfth."""
    lone = np.zeros((ROWS, MEMBERS, 3), np.float32)
    lone[:, 3, 1] = np.where(np.arange(ROWS) % 2, 1.0, -1.0)
    even = np.ones_like(weights)
    assert reduce(lone, even, threshold=0.1).components.shape[1] == 0
    assert reduce(lone, even, threshold=0.1, each=0.5).components.shape[1] == 1
