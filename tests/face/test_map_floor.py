"""The best possible deformation map at given texture coordinates, against dense least squares."""

import numpy as np
import pytest

from rigcast import _core


def sampling_matrix(uvs, resolution):
    """(V, R^2) bilinear weights, texel centers at (i, j) / (R - 1), one row at a time."""
    matrix = np.zeros((len(uvs), resolution**2))
    for row, uv in zip(matrix, np.clip(uvs, 0.0, 1.0), strict=True):
        x, y = uv * (resolution - 1)
        i, j = min(int(x), resolution - 2), min(int(y), resolution - 2)
        a, b = x - i, y - j
        for di, dj, weight in ((0, 0, (1 - a) * (1 - b)), (1, 0, a * (1 - b)), (0, 1, (1 - a) * b), (1, 1, a * b)):
            row[(j + dj) * resolution + i + di] = weight
    return matrix


@pytest.fixture(scope="module")
def case():
    random = np.random.default_rng(0)
    return random.random((60, 2)), random.standard_normal((11, 60, 3)).astype(np.float32)


@pytest.mark.parametrize("resolution", [2, 3, 5])
def test_the_floor_is_that_of_dense_least_squares(case, resolution, tolerance):
    uvs, offsets = case
    matrix = sampling_matrix(uvs, resolution)
    oracle = [np.linalg.norm(matrix @ np.linalg.lstsq(matrix, d, rcond=None)[0] - d, axis=1) for d in offsets]
    np.testing.assert_allclose(_core.map_floor(uvs, offsets, resolution), oracle, atol=tolerance["map_ridge"])


def test_weights_multiply_samples(case, tolerance):
    uvs, offsets = case
    weights = np.random.default_rng(1).random(len(uvs)).astype(np.float32)
    matrix = weights[:, None] * sampling_matrix(uvs, 3)
    oracle = [np.linalg.norm(matrix @ np.linalg.lstsq(matrix, d, rcond=None)[0] - d, axis=1) for d in offsets]
    found = _core.map_floor(uvs, offsets, 3, weights)
    np.testing.assert_allclose(found, oracle, atol=tolerance["map_ridge"])


def test_residuals_are_what_the_distances_measure(case, tolerance):
    uvs, offsets = case
    matrix = sampling_matrix(uvs, 3)
    oracle = [d - matrix @ np.linalg.lstsq(matrix, d, rcond=None)[0] for d in offsets]
    np.testing.assert_allclose(_core.map_residuals(uvs, offsets, 3), oracle, atol=tolerance["map_ridge"])


def test_more_texels_than_vertices_leave_nothing(case, tolerance):
    uvs, offsets = case
    assert _core.map_floor(uvs[:5], offsets[:, :5], 64).max() < tolerance["map_ridge"]


def test_vertices_on_one_texel_share_their_mean(tolerance):
    uvs = np.full((2, 2), 0.25)
    offsets = np.array([[[0.0, 2.0, 0.0], [0.0, -2.0, 0.0]]])
    np.testing.assert_allclose(_core.map_floor(uvs, offsets, 4), [[2.0, 2.0]], atol=tolerance["map_ridge"])


def test_coordinates_outside_sample_the_border(case):
    uvs, offsets = case
    outside = uvs * 3.0 - 1.0
    np.testing.assert_array_equal(
        _core.map_floor(outside, offsets, 4), _core.map_floor(np.clip(outside, 0.0, 1.0), offsets, 4)
    )


def test_bytes_do_not_depend_on_the_number_of_threads(case):
    uvs, offsets = case
    offsets = np.tile(offsets, (4, 1, 1))
    np.testing.assert_array_equal(
        _core.map_floor(uvs, offsets, 8, threads=1), _core.map_floor(uvs, offsets, 8, threads=2)
    )


@pytest.mark.parametrize(
    ("uvs", "offsets", "resolution", "message"),
    [
        (np.zeros((2, 2)), np.zeros((1, 2, 3)), 1, "map_floor: resolution is 1; it must be from 2 to 256"),
        (np.zeros((2, 2)), np.zeros((1, 2, 3)), 257, "map_floor: resolution is 257"),
        (np.zeros((0, 2)), np.zeros((1, 0, 3)), 4, "map_floor: uvs is empty"),
        (np.zeros((2, 2)), np.zeros((1, 3, 3)), 4, r"map_floor: offsets is \(1, 3, 3\); it must be \(any, 2, 3\)"),
        (np.full((2, 2), np.nan), np.zeros((1, 2, 3)), 4, "map_floor: uvs is not finite everywhere"),
        (np.zeros((2, 2)), np.full((1, 2, 3), np.inf), 4, "map_floor: offsets is not finite everywhere"),
    ],
)
def test_refusals_name_the_argument(uvs, offsets, resolution, message):
    with pytest.raises(ValueError, match=message):
        _core.map_floor(uvs, offsets, resolution)


@pytest.mark.parametrize("weights", [np.ones(59), np.full(60, np.nan)])
def test_weights_are_checked(case, weights):
    uvs, offsets = case
    with pytest.raises(ValueError, match="map_floor: weights is"):
        _core.map_floor(uvs, offsets, 4, weights)
