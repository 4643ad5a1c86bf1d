"""What examples tell about shapes: against dense matrices, and in the cases that a user must hear of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import UndeterminedShapesWarning
from tests.transfer.meshes import bend, mixed_sheets, sheet
from tests.transfer.slow_transfer import slow_triangles
from tests.transfer.test_example_based import case, relative_changes


def slow_resolution(source, shapes, faces, weights, beta) -> np.ndarray:
    r = relative_changes(source.astype(np.float64), shapes.astype(np.float64), faces)
    typical = np.square(r).sum() / r.sum()
    told, alone = np.zeros(len(shapes)), np.zeros(len(shapes))
    for row, (triangle, _) in zip(r, slow_triangles(faces), strict=True):
        stiffness = beta * ((1 + row / typical) / (0.1 + row / typical)) ** 2
        resolution = np.linalg.solve(weights.T @ weights + np.diag(stiffness), weights.T @ weights)
        a, b, c = source[list(triangle)].astype(np.float64)
        change = np.square(row) * (np.square(b - a).sum() + np.square(c - a).sum())
        told += change * np.diag(resolution)
        alone += change / (1 + stiffness)
    return told / alone


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("beta", [0.5, 0.01])
def test_it_is_the_diagonal_of_the_resolution_matrix(seed, beta, tolerance):
    source, shapes, _, faces, _, weights = case(seed)
    solver = rc.transfer.DeformationTransfer(source, source, faces)
    result = solver.resolution(shapes, weights, beta)
    np.testing.assert_allclose(
        result, slow_resolution(source, shapes, faces, weights, beta), rtol=tolerance["float32_scaled"]
    )
    assert solver.resolution(shapes, weights, beta, threads=3).tobytes() == result.tobytes()


def test_one_scan_of_each_tells_all_and_none_tells_nothing(tolerance):
    source, shapes, target, faces, _, _ = case(1)
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    np.testing.assert_allclose(solver.resolution(shapes, np.eye(5), 0.1), 1.0, rtol=tolerance["float64"])
    assert not solver.resolution(shapes, np.zeros((3, 5)), 0.1).any()
    assert solver.resolution(shapes, np.zeros((0, 5)), 0.1).tolist() == [0.0] * 5


def apart(count: int = 6):
    """Shapes that move one place each of a long sheet."""
    source, faces = sheet(6 * count, 4, 0, True)
    bumps = np.exp(-np.square(source[:, 0] - (6 * np.arange(count)[:, None] + 3)))
    offsets = np.where(bumps > 1e-3, bumps, 0)[..., None] * np.float32([0.1, 0.2, 0.6])
    return source, (source + offsets).astype(np.float32), bend(source, 1), faces


def test_one_scan_of_shapes_in_different_places_tells_them_apart():
    source, shapes, target, faces = apart()
    transferred = rc.transfer.deformation_transfer(source, shapes, target, faces)
    scan = target + 1.2 * (transferred - target).sum(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = rc.transfer.example_based(source, shapes, target, faces, scan[None], np.ones((1, 6)))
    truth = 1.2 * (transferred - target)
    assert np.abs(made - target - truth).max() < 0.5 * np.abs(transferred - target - truth).max()


def test_one_scan_of_shapes_in_one_place_leaves_them_undetermined():
    source, shapes, target, faces, examples, _ = case(2, num_shapes=12)
    said = (
        r"12 of the shapes undetermined \(0, 1, 2, 3, 4, 5, 6, 7, ...\): none shows them, or only faintly or together"
    )
    with pytest.warns(UndeterminedShapesWarning, match=said):
        rc.transfer.example_based(source, shapes, target, faces, examples[:1], np.full((1, 12), 0.5))


def test_faint_and_estimated_weights_do_not_count_as_shown():
    source, shapes, target, faces = apart()
    solver = rc.transfer.DeformationTransfer(source, target, faces)
    transferred = solver.transfer(shapes)
    shown = np.eye(6)[:4]
    scans = target + np.tensordot(shown, 1.1 * (transferred - target), 1)
    guess = np.clip(shown + 0.03, 0, 1)  # as an estimate gives them: hardly a weight is exactly 0
    with pytest.warns(UndeterminedShapesWarning, match=r"2 of the shapes undetermined \(4, 5\)"):
        made = rc.transfer.fit_example_weights(
            solver, shapes, target, examples=scans, example_weights=guess, iterations=0
        )
    assert made.undetermined == [4, 5]
    assert made.resolution[:4].min() > 0.8
    with pytest.warns(UndeterminedShapesWarning, match=r"6 of the shapes"):
        rc.transfer.fit_example_weights(
            solver, shapes, target, examples=scans, example_weights=0.05 * shown, iterations=0
        )


def test_a_shape_that_only_shifts_a_component_counts():
    source, faces = mixed_sheets(0)
    shape = source.copy()
    shape[20:] += [1, 0, 0]
    solver = rc.transfer.DeformationTransfer(source, source, faces)
    assert solver.resolution(np.stack([shape, shape]), [[1.0, 0.0]], 0.1) == pytest.approx([1.0, 0.0])
