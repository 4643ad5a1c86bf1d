"""Example-based transfer against dense solves triangle by triangle, and what examples must and must not change."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import UndeterminedShapesWarning
from tests.transfer.meshes import bend, mixed_sheets, sheet
from tests.transfer.slow_transfer import frame, slow_triangles

#: Random examples are no expressions of their targets; what is said of that is held in test_scans.py.
UNRELATED = pytest.mark.filterwarnings("ignore::rigcast.errors.ScansWarning")


def case(seed: int, num_shapes: int = 5, num_examples: int = 3):
    source, faces = sheet(4, 3, seed, seed % 2 == 0)
    target = bend(source, seed + 50)
    shapes = np.stack([bend(source, seed + i, 0.3) for i in range(num_shapes)])
    rng = np.random.default_rng(seed)
    examples = np.stack([bend(target, seed + 20 + j, 0.3) for j in range(num_examples)])
    return source, shapes, target, faces, examples, rng.random((num_examples, num_shapes))


def relative_changes(source, shapes, faces) -> np.ndarray:
    """(F, K): how much shapes change the sides of triangles, relative to their size."""
    rows = []
    for triangle, _ in slow_triangles(faces):
        rest = frame(source, triangle)[:, :2]
        rows.append([np.linalg.norm(frame(m, triangle)[:, :2] - rest) / np.linalg.norm(rest) for m in shapes])
    return np.array(rows)


def slow_example_based(source, shapes, target, faces, examples, weights, beta) -> np.ndarray:
    """Triangle by triangle a dense K x K solve for sides, then one dense global solve; vertex 0 held."""
    a, b = (p - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T.astype(np.float64) @ a)
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    scale = np.linalg.norm(b) / np.linalg.norm(a)
    placed = scale * source.astype(np.float64) @ rotation.T
    moved = scale * shapes.astype(np.float64) @ rotation.T
    num_shapes, num = len(shapes), len(source)
    r = relative_changes(placed, moved, faces)
    typical = np.square(r).sum() / r.sum()
    matrix, rhs = np.zeros((num, num)), np.zeros((num_shapes, num, 3))
    for f, (triangle, share) in enumerate(slow_triangles(faces)):
        rest, own = frame(placed, triangle), frame(target, triangle)
        prior = np.stack([(frame(m, triangle) @ np.linalg.inv(rest) - np.eye(3)) @ own[:, :2] for m in moved])
        stiffness = beta * ((1 + r[f] / typical) / (0.1 + r[f] / typical)) ** 2
        wanted = np.stack([frame(x, triangle)[:, :2] - own[:, :2] for x in examples])
        left = weights.T @ weights + np.diag(stiffness)
        right = weights.T @ wanted.reshape(len(examples), -1) + stiffness[:, None] * prior.reshape(num_shapes, -1)
        sides = np.linalg.solve(left, right).reshape(num_shapes, 3, 2)
        inverse = np.linalg.inv(own)
        row = np.zeros((2, num))  # sides of the offsets
        row[:, triangle[0]], row[0, triangle[1]], row[1, triangle[2]] = -1, 1, 1
        metric = inverse[:2] @ inverse[:2].T * share * 0.5 * np.linalg.norm(np.cross(own[:, 0], own[:, 1]))
        matrix += row.T @ metric @ row
        rhs += row.T @ metric @ sides.transpose(0, 2, 1)
    free = np.arange(1, num)
    result = np.zeros((num_shapes, num, 3))
    result[:, free] = np.linalg.solve(matrix[np.ix_(free, free)], rhs[:, free])
    return target + result


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("beta", [0.5, 0.01])
def test_it_matches_dense_solves_triangle_by_triangle(seed, beta, tolerance):
    source, shapes, target, faces, examples, weights = case(seed)
    solver = rc.transfer.DeformationTransfer(source, target, faces, [0])
    result = solver.transfer_with_examples(shapes, examples, weights, beta)
    expected = slow_example_based(source, shapes, target, faces, examples, weights, beta)
    np.testing.assert_allclose(result, expected, atol=10 * tolerance["float32"])


def test_without_examples_it_is_the_transfer(tolerance):
    source, shapes, target, faces, examples, weights = case(1)
    with pytest.warns(UndeterminedShapesWarning, match=r"leave 5 of the shapes undetermined \(0, 1, 2, 3, 4\)"):
        result = rc.transfer.example_based(source, shapes, target, faces, examples[:0], weights[:0])
    expected = rc.transfer.deformation_transfer(source, shapes, target, faces)
    np.testing.assert_allclose(result, expected, atol=tolerance["float32"])


@UNRELATED
def test_a_shape_that_no_example_uses_keeps_the_prior(tolerance):
    source, shapes, target, faces, examples, weights = case(2)
    weights[:, [1, 3]] = 0.0
    with pytest.warns(UndeterminedShapesWarning, match=r"2 of the shapes undetermined \(1, 3\)"):
        result = rc.transfer.example_based(source, shapes, target, faces, examples, weights)
    expected = rc.transfer.deformation_transfer(source, shapes, target, faces)
    np.testing.assert_allclose(result[[1, 3]], expected[[1, 3]], atol=tolerance["float32"])
    assert np.abs(result[0] - expected[0]).max() > 0.01


def test_examples_of_the_transferred_shapes_change_nothing(tolerance):
    source, faces = mixed_sheets(4)
    target = bend(source, 5)
    shapes = np.stack([bend(source, i, 0.3) for i in range(4)])
    transferred = rc.transfer.deformation_transfer(source, shapes, target, faces)
    result = rc.transfer.example_based(source, shapes, target, faces, transferred, np.eye(4))
    # The transfer's triangles compromise with their neighbors, so the examples are not exactly what each wanted.
    before = np.abs(transferred - target).max()
    assert np.abs(result - transferred).max() < 0.05 * before


@UNRELATED
def test_an_example_for_every_shape_is_met_as_the_prior_fades():
    source, shapes, target, faces, _, _ = case(3)
    truth = np.stack([bend(target, 70 + k, 0.3) for k in range(len(shapes))])
    errors = [
        np.abs(rc.transfer.example_based(source, shapes, target, faces, truth, np.eye(5), beta=beta) - truth).max()
        for beta in (1.0, 1e-2, 1e-4, 1e-8)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-4


@UNRELATED
def test_components_find_their_place_from_examples(tolerance):
    source, faces = mixed_sheets(6)
    other = np.arange(20, len(source))
    shape = source.copy()
    shape[other] += [0.5, 0, 0]
    truth = source.copy()
    truth[other] += [0, 1.0, 0]
    result = rc.transfer.example_based(source, shape[None], source, faces, truth[None], [[1.0]], beta=1e-6)
    np.testing.assert_allclose(result[0], truth, atol=tolerance["printed"])


def test_the_same_bytes_for_any_number_of_threads():
    source, shapes, target, faces, examples, weights = case(5)
    solver = rc.transfer.DeformationTransfer(source, target, faces, contacts=[[0, 9]])
    one = solver.transfer_with_examples(shapes, examples, weights, 0.1, threads=1)
    assert solver.transfer_with_examples(shapes, examples, weights, 0.1, threads=4).tobytes() == one.tobytes()


def test_estimated_weights_come_nearer_to_the_truth():
    source, faces = sheet(6, 6, 1, True)
    target = bend(source, 2)
    shapes = np.stack([bend(source, 30 + i, 0.3) for i in range(4)])
    truth = rc.transfer.deformation_transfer(source, shapes, target, faces)
    rng = np.random.default_rng(0)
    weights = rng.random((6, 4))
    examples = target + np.tensordot(weights, truth - target, 1)
    guess = np.clip(weights + 0.2 * rng.standard_normal(weights.shape), 0.0, 1.0)
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    result = rc.transfer.fit_example_weights(solver, shapes, target, examples=examples, example_weights=guess)
    assert np.abs(result.weights - weights).mean() < 0.5 * np.abs(guess - weights).mean()
    assert np.all((result.weights >= 0) & (result.weights <= 1))
    unchanged = rc.transfer.fit_example_weights(
        solver, shapes, target, examples=examples, example_weights=guess, iterations=0
    )
    assert result.rms.mean() < unchanged.rms.mean()
    assert np.array_equal(unchanged.weights, guess)
    assert result.undetermined == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"example_weights": np.full((3, 5), 1.5)}, r"example_weights is 1.5 at \(0, 0\); it must be in \[0, 1\]"),
        ({"example_weights": np.full((3, 5), np.nan)}, r"example_weights is nan at \(0, 0\)"),
        ({"example_weights": np.ones((3, 4))}, r"example_weights is \(3, 4\); it must be \(3, 5\)"),
        ({"example_weights": np.ones(3)}, "example_weights is float64"),
        ({"examples": np.zeros((3, 7, 3))}, r"examples is \(3, 7, 3\)"),
        ({"examples": np.full((3, 20, 3), np.inf)}, "examples is not finite"),
        ({"beta": 0.0}, r"beta is 0\.0+; it must be above 0"),
    ],
)
def test_wrong_input_is_named(changes, text):
    names = ("source_neutral", "source_shapes", "target_neutral", "faces", "examples", "example_weights")
    arguments = dict(zip(names, case(0), strict=True)) | changes
    with pytest.raises(ValueError, match=f"^example_based: {text}"):
        rc.transfer.example_based(**arguments)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"target_neutral": np.zeros((19, 3))}, r"target_neutral is float64 \(19, 3\); it must be numbers \(20, 3\)"),
        ({"target_neutral": np.zeros((20, 3))}, r"target_neutral is up to [\d.]+ off; it must be the solver's"),
        ({"iterations": -1}, "iterations is -1; it must be a whole number of at least 0"),
        ({"iterations": 2.5}, "iterations is 2.5; it must be a whole number of at least 0"),
    ],
)
def test_wrong_input_of_fit_example_weights_is_named(changes, text):
    source, shapes, target, faces, examples, weights = case(0)
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    arguments = dict(zip(("source_shapes", "target_neutral"), (shapes, target), strict=True))
    arguments |= {"examples": examples, "example_weights": weights} | changes
    with pytest.raises(ValueError, match=f"^fit_example_weights: {text}"):
        rc.transfer.fit_example_weights(solver, **arguments)


@pytest.mark.parametrize("seed", range(3))
def test_triangles_are_fitted_as_by_dense_solves(seed, tolerance):
    rng = np.random.default_rng(seed)
    weights, stiffness = rng.random((4, 17)), 0.01 + rng.random((6, 17))
    wanted, prior = rng.standard_normal((6, 4, 6)), rng.standard_normal((6, 17, 6))
    left = weights.T @ weights + stiffness[:, None] * np.eye(17)
    expected = np.linalg.solve(left, weights.T @ wanted + stiffness[:, :, None] * prior)
    result = rc._core.fit_triangles(weights, stiffness, wanted, prior)
    np.testing.assert_allclose(result, expected, atol=1e3 * tolerance["float64"])
