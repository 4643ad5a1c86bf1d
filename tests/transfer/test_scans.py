"""Scans that cannot be meant are said, right ones are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import ScansWarning, UndeterminedShapesWarning
from tests.transfer.meshes import random_rotation


@pytest.fixture(scope="module")
def scanned():
    """The built-in face, another one, scans of six expressions that are stronger there, and their weights."""
    rig = rc.faces.example()
    rest, shapes = rig.rest_vertices, rc.transfer.positions_from_rig(rig)[: rig.num_shapes]
    target = rest * np.float32([1.1, 0.95, 1.05])
    weights = np.zeros((6, rig.num_shapes))
    for row, chosen in enumerate(np.array_split(np.random.default_rng(0).permutation(rig.num_shapes), 6)):
        weights[row, chosen] = 1.0
    scans = target + np.tensordot(weights, 1.2 * (shapes - rest), 1)
    return rest, shapes, target, rig.faces, scans, weights


def notes(scanned, change) -> list[str]:
    rest, shapes, target, faces, scans, weights = scanned
    solver = rc.transfer.DeformationTransfer(rest, target, faces)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = rc.transfer.fit_example_weights(
            solver, shapes, target, examples=change(scans), example_weights=weights, iterations=0
        )
    said = [str(warning.message) for warning in told if warning.category is ScansWarning]
    assert said == [f"fit_example_weights: {note}" for note in made.notes]
    return made.notes


def some(change):
    """Of the second and the fourth scan."""

    def changed(scans):
        scans = scans.copy()
        scans[[1, 3]] = change(scans[[1, 3]])
        return scans

    return changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda scans: 10 * scans, "all scans are 10 times as large as the target"),
        (some(lambda scans: scans / 2.54), "scans 2, 4 are 0.3"),
        (lambda scans: scans * [-1, 1, 1], "all scans are mirrored: "),
        (some(lambda scans: scans * [1, 1, -1]), "scans 2, 4 are mirrored: "),
        (
            lambda scans: scans[..., [0, 2, 1]] * [1, -1, 1],
            "all scans are turned or moved beside the target as a whole",
        ),
        (lambda scans: scans @ random_rotation(3).T + 5.0, "all scans are turned or moved beside the target"),
        (lambda scans: scans[::-1], "another order than their weights: met far better are scan 1 by row 6, 2 by row 5"),
        (lambda scans: scans[[1, 0, 2, 3, 4, 5]], "met far better are scan 1 by row 2, 2 by row 1"),
    ],
)
def test_scans_that_cannot_be_meant_are_said(scanned, change, words):
    (note,) = notes(scanned, change)
    assert words in note


def test_weights_of_other_expressions_are_said(scanned):
    rest, shapes, target, faces, scans, weights = scanned
    with pytest.warns(UndeterminedShapesWarning), pytest.warns(ScansWarning, match="weights of others"):
        rc.transfer.example_based(rest, shapes, target, faces, scans[:1], weights[1:2])


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_right_scans_are_left_alone(scanned, noise):
    rng = np.random.default_rng(1)
    assert notes(scanned, lambda scans: scans + noise * rng.standard_normal(scans.shape)) == []
