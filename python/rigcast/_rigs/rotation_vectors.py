"""Rotations as vectors: axis times angle in radians, and back."""

from __future__ import annotations

import numpy as np

from rigcast._rigs.rotations import Array, Float64


def rotation_vectors(rotations: Array) -> Float64:
    """Axis times angle of rotations: the logarithm.

    Parameters
    ----------
    rotations : (..., 3, 3) array

    Returns
    -------
    (..., 3) float64 array, of length at most pi
    """
    matrix = np.asarray(rotations, np.float64)
    sine = 0.5 * np.stack([matrix[..., i, j] - matrix[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=-1)
    length = np.linalg.norm(sine, axis=-1, keepdims=True)
    cosine = 0.5 * (np.trace(matrix, axis1=-2, axis2=-1)[..., None] - 1.0)
    result = sine * np.where(length > 1e-9, np.arctan2(length, cosine) / np.maximum(length, 1e-9), 1.0)
    far = cosine[..., 0] < -0.9  # the sine cancels: (R + R^T) / 2 = c I + (1 - c) n n^T
    if far.any():
        outer = 0.5 * (matrix[far] + np.swapaxes(matrix[far], -1, -2)) - cosine[far][..., None] * np.eye(3)
        largest = np.diagonal(outer, axis1=-2, axis2=-1).argmax(axis=-1)
        axis = outer[np.arange(len(outer)), largest]
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        axis *= np.where((axis * sine[far]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        result[far] = axis * np.arctan2(length[far], cosine[far])
    return np.asarray(result)


def rotations_of(vectors: Array) -> Float64:
    """Rotations of vectors: the exponential (Rodrigues), the inverse of :func:`rotation_vectors`.

    Parameters
    ----------
    vectors : (..., 3) array

    Returns
    -------
    (..., 3, 3) float64 array
    """
    vector = np.asarray(vectors, np.float64)
    angle = np.linalg.norm(vector, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vector, -1, 0)
    zero = np.zeros_like(x)
    skew = np.stack(
        [np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))],
        axis=-2,
    )
    half = np.sinc(angle / (2.0 * np.pi))
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * skew + 0.5 * half**2 * (skew @ skew))
