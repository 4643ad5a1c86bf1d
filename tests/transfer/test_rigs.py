"""Whole rigs: combinations and in-betweens keep their meaning."""

from __future__ import annotations

import numpy as np
import pytest

import rigwright as rw
from tests.transfer.meshes import bend, mixed_sheets, random_rotation


def source_rig(seed: int = 0) -> rw.BlendshapeRig:
    neutral, faces = mixed_sheets(seed)
    deltas = np.stack([bend(neutral, i, 0.3) - neutral for i in range(3)])
    small = [0.3 * (bend(neutral, 10 + i, 0.3) - neutral) for i in range(4)]
    combinations = [
        ((0, 1, 2), small[0]),
        ((0, 1), small[1]),
        ((rw.Tent(1, 0.0, 0.5, 1.0),), small[2]),
        ((rw.Tent(0, 0.0, 0.4, 1.0), 2), small[3]),
    ]
    return rw.BlendshapeRig(
        neutral, deltas, combinations, ["a", "b", "c"], [[0, 1], [0, 2], [-1, 1]], faces, metadata={"up_axis": "Z"}
    )


def test_the_source_as_target_gives_the_rig():
    rig = source_rig()
    result = rw.transfer.transfer_rig(rig, rig.rest_vertices)
    np.testing.assert_allclose(result.columns(), rig.columns(), atol=1e-5)
    assert result.shape_names == rig.shape_names
    assert result.combinations == rig.combinations
    assert np.array_equal(result.bounds, rig.bounds)
    assert result.metadata["up_axis"] == "Z"


def test_a_moved_and_scaled_target_gets_a_moved_and_scaled_rig():
    rig = source_rig()
    turn = 2.0 * random_rotation(1)
    result = rw.transfer.transfer_rig(rig, rig.rest_vertices @ turn.T + 3.0)
    weights = np.random.default_rng(0).random((20, 3))
    expected = rig.evaluate(weights) @ turn.T + 3.0
    np.testing.assert_allclose(result.evaluate(weights), expected, atol=5e-5)


def test_a_combination_completes_its_expression():
    rig = source_rig()
    target = bend(rig.rest_vertices, 5)
    result = rw.transfer.transfer_rig(rig, target)
    pose = np.ones(3)  # the expression of the combination of all three; the tents are 0 here
    expected = rw.transfer.deformation_transfer(rig.rest_vertices, rig.evaluate(pose)[None], target, rig.faces)[0]
    np.testing.assert_allclose(result.evaluate(pose), expected, atol=1e-5)


def test_a_rig_without_faces_needs_some():
    rig = rw.BlendshapeRig(np.eye(3), np.ones((1, 3, 3)))
    with pytest.raises(ValueError, match="transfer_rig: target is a mesh without faces"):
        rw.transfer.transfer_rig(rig, np.eye(3))
    assert rw.transfer.transfer_rig(rig, np.eye(3), [[0, 1, 2]]).num_shapes == 1
