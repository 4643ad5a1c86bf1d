"""Where a transfer is doubtful."""

from __future__ import annotations

import numpy as np
import pytest

import rigwright as rw
from tests.transfer.meshes import bend, mixed_sheets, random_rotation, sheet


def test_a_faithful_transfer_leaves_no_doubt():
    source, faces = mixed_sheets(0)
    shapes = np.stack([bend(source, i, 0.3) for i in range(2)])
    turn = 2.0 * random_rotation(3)
    result = rw.transfer.quality(source, shapes, source @ turn.T, shapes @ turn.T, faces)
    assert np.nanmax(result.distortion) < 1e-4
    assert np.array_equal(result.source_crossings, result.target_crossings)


def test_a_stretched_face_is_measured():
    source, faces = sheet(3, 3, 0, False)
    source[:, 2] = 0
    result = rw.transfer.quality(source, source[None], source, source[None] * np.float32([1.2, 1, 1]), faces)
    np.testing.assert_allclose(result.distortion, np.log(1.2), atol=1e-5)
    assert not result.flipped.any()


def test_a_flipped_face_is_found():
    source, faces = sheet(4, 4, 0, False)
    source[:, 2] = 0
    shape = source.copy()
    shape[12, :2] += [1.6, 0]  # past its neighbours
    result = rw.transfer.quality(source, source[None], source, shape[None], faces)
    normals = np.cross(shape[faces[:, 1]] - shape[faces[:, 0]], shape[faces[:, 2]] - shape[faces[:, 0]])[:, 2]
    assert normals.min() < 0
    assert np.array_equal(result.flipped[0], normals < 0)
    assert result.doubt[0] >= result.flipped.sum()


def test_shapes_that_do_not_fit_are_named():
    source, faces = sheet(2, 2, 0, True)
    with pytest.raises(ValueError, match=r"quality: target_shapes is \(1, 8, 3\); it must be \(1, 9, 3\)"):
        rw.transfer.quality(source, source[None], source, source[None, :8], faces)
