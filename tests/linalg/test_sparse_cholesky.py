"""The contract of SparseCholesky, the same for every backend: also run with the Eigen-only build."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigcast import NumericalError, _core


def entries(matrix):
    rows, columns = np.nonzero(matrix)
    return rows, columns, matrix[rows, columns]


def factor(matrix):
    return _core.SparseCholesky(*entries(matrix), len(matrix))


def random_spd(n, seed, density=0.2):
    """A sparse symmetric positive definite matrix with condition number of a few hundred."""
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((n, n)) * (rng.random((n, n)) < density)
    return half @ half.T + np.diag(0.1 + rng.random(n))


def grid_laplacian(side):
    """Graph Laplacian of a side x side grid: singular, the constants are its null space."""
    path = np.diag(np.full(side - 1, -1.0), 1) + np.diag(np.full(side - 1, -1.0), -1)
    path -= np.diag(path.sum(axis=1))
    return np.kron(path, np.eye(side)) + np.kron(np.eye(side), path)


@settings(max_examples=60)
@given(n=st.integers(1, 40), columns=st.integers(1, 20), seed=st.integers(0, 2**32 - 1))
def test_solve_matches_dense(n, columns, seed):
    matrix = random_spd(n, seed)
    expected = np.random.default_rng(seed).standard_normal((n, columns))
    solution = factor(matrix).solve(matrix @ expected)
    np.testing.assert_allclose(solution, expected, atol=1e-14 * np.linalg.cond(matrix) * np.abs(expected).max() * n)


def test_a_large_grid_solves(tolerance):
    side = 45
    matrix = grid_laplacian(side) + 0.01 * np.eye(side * side)
    expected = np.random.default_rng(0).standard_normal((side * side, 3))
    solution = factor(matrix).solve(matrix @ expected)
    np.testing.assert_allclose(solution, expected, atol=1e3 * tolerance["float64"])  # condition number 800


def test_one_right_hand_side_keeps_its_shape(tolerance):
    matrix = random_spd(7, 1)
    rhs = np.arange(7.0)
    solution = factor(matrix).solve(rhs)
    assert solution.shape == (7,)
    np.testing.assert_allclose(matrix @ solution, rhs, atol=1e2 * tolerance["float64"])
    assert factor(matrix).solve(np.zeros((7, 0))).shape == (7, 0)


def test_entries_of_one_place_are_summed_in_any_order(tolerance):
    matrix = random_spd(12, 2)
    rows, columns, values = entries(matrix)
    order = np.random.default_rng(0).permutation(2 * len(rows))
    twice = [np.concatenate([x, x])[order] for x in (rows, columns, values / 2)]
    rhs = np.ones(12)
    whole = _core.SparseCholesky(rows, columns, values, 12).solve(rhs)
    np.testing.assert_allclose(_core.SparseCholesky(*twice, 12).solve(rhs), whole, rtol=1e3 * tolerance["float64"])


def test_inputs_stay_as_they_are():
    matrix = random_spd(9, 3)
    given_entries = entries(matrix)
    kept = [x.copy() for x in given_entries]
    rhs = np.ones((9, 2))
    _core.SparseCholesky(*given_entries, 9).solve(rhs)
    assert all(np.array_equal(x, y) for x, y in zip(given_entries, kept, strict=True))
    assert (rhs == 1).all()


def test_any_thread_and_any_number_of_threads_give_the_same_bytes():
    matrix = grid_laplacian(20) + 0.1 * np.eye(400)
    cholesky = factor(matrix)
    rhs = np.random.default_rng(0).standard_normal((400, 50))
    expected = cholesky.solve(rhs, threads=1).tobytes()
    with ThreadPoolExecutor(4) as pool:
        for solution in pool.map(lambda threads: cholesky.solve(rhs, threads=threads), [0, 1, 2, 3] * 8):
            assert solution.tobytes() == expected


@pytest.mark.parametrize("make", [lambda: random_spd(150, 5, 0.03), lambda: grid_laplacian(20) + 0.1 * np.eye(400)])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 8, 11, 16, 17, 24, 25, 50])
def test_a_column_has_the_bytes_that_it_has_alone(make, count, tolerance):
    matrix = make()
    cholesky = factor(matrix)
    rhs = np.random.default_rng(count).standard_normal((len(matrix), count))
    solution = cholesky.solve(rhs, threads=1)
    np.testing.assert_allclose(matrix @ solution, rhs, atol=1e3 * tolerance["float64"])
    for c in range(count):
        assert cholesky.solve(rhs[:, c]).tobytes() == solution[:, c].tobytes()


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 130])
def test_panels_of_any_width_solve(n, tolerance):
    """Dense, so that all columns would share a panel; and an arrow, whose columns share nothing but the last row."""
    rng = np.random.default_rng(n)
    dense = np.eye(n) + np.outer(*[rng.standard_normal(n) / np.sqrt(n)] * 2)
    arrow = np.diag(np.full(n, 2.0))
    arrow[-1, :-1] = arrow[:-1, -1] = 1.0 / n
    for matrix in (dense, arrow):
        rhs = rng.standard_normal((n, 26))
        np.testing.assert_allclose(matrix @ factor(matrix).solve(rhs), rhs, atol=1e3 * tolerance["float64"])


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        -np.eye(3),
        np.diag([1.0, 0.0, 1.0]),
        grid_laplacian(6),
        grid_laplacian(40),
        grid_laplacian(40) - 0.05 * np.eye(1600),
    ],
    ids=["indefinite", "negative", "empty row", "singular", "large singular", "large indefinite"],
)
def test_a_matrix_that_is_not_positive_definite_is_refused(matrix):
    with pytest.raises(NumericalError, match="SparseCholesky: the matrix is not positive definite"):
        factor(matrix)


def test_a_badly_scaled_matrix_is_not_refused(tolerance):
    scale = 10.0 ** np.arange(-12.0, 12.0, 2.0)
    matrix = random_spd(12, 4) * scale[:, None] * scale
    expected = 1.0 / scale
    np.testing.assert_allclose(factor(matrix).solve(matrix @ expected), expected, rtol=1e4 * tolerance["float64"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([0], [0], [1.0], 0), r"SparseCholesky: n is 0; it must be in \[1,"),
        (([0, 2], [0, 1], [1.0, 1.0], 2), r"rows is 2 somewhere; it must be in \[0, 2\)"),
        (([0, 1], [0, -1], [1.0, 1.0], 2), r"cols is -1 somewhere"),
        (([0, 2**32], [0, 1], [1.0, 1.0], 2), "rows is 4294967296 somewhere"),
        (([0], [0], [1.0, 2.0], 2), r"rows is \(1,\); it must be \(2,\)"),
        (([0], [0], [np.nan], 1), "values is not finite everywhere"),
        (([0.5], [0], [1.0], 1), r"rows is float64 \(1,\); it must be integers"),
        (([0, 1, 0], [0, 1, 1], [2.0, 2.0, 1.0], 2), "the matrix is not symmetric"),
        (([0, 1, 0, 1], [0, 1, 1, 0], [2.0, 2.0, 1.0, 0.5], 2), "the matrix is not symmetric"),
    ],
)
def test_wrong_matrices_are_named(arguments, text):
    with pytest.raises(ValueError, match=text):
        _core.SparseCholesky(*(np.array(x) for x in arguments[:3]), arguments[3])


def test_wrong_right_hand_sides_are_named():
    cholesky = factor(np.eye(3))
    with pytest.raises(ValueError, match=r"SparseCholesky.solve: rhs is \(4, 1\); it must be \(3, any\)"):
        cholesky.solve(np.ones(4))
    with pytest.raises(ValueError, match="rhs is not finite"):
        cholesky.solve([1.0, np.inf, 0.0])
    with pytest.raises(ValueError, match="rhs is float64"):
        cholesky.solve(np.ones((3, 1, 1)))


@settings(max_examples=40)
@given(n=st.integers(1, 60), density=st.sampled_from([0.02, 0.2]), seed=st.integers(0, 2**32 - 1))
def test_the_diagonal_of_the_inverse_matches_dense(n, density, seed):
    matrix = random_spd(n, seed, density)
    expected = np.diag(np.linalg.inv(matrix))
    np.testing.assert_allclose(factor(matrix).inverse_diagonal(), expected, rtol=1e-14 * np.linalg.cond(matrix) * n)


def test_the_diagonal_of_the_inverse_of_a_large_grid(tolerance):
    side = 30
    matrix = grid_laplacian(side) + 0.01 * np.eye(side * side)
    expected = np.diag(np.linalg.inv(matrix))
    np.testing.assert_allclose(factor(matrix).inverse_diagonal(), expected, rtol=1e2 * tolerance["float64"])
