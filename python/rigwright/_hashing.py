"""SHA-256 hashes that tie models, data sets and rigs together."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._validate import bad_argument


def padded_faces(faces: ArrayLike, function: str = "padded_faces") -> NDArray[np.int32]:
    """Faces as (F, 4) int32, triangles padded with -1.

    Raises
    ------
    ValueError
        If ``faces`` is not an (F, 3) or (F, 4) array of integers that fit 32 bits.
    """
    array = np.asarray(faces)
    if array.ndim != 2 or array.shape[1] not in (3, 4) or array.dtype.kind not in "iu":
        raise bad_argument(function, "faces", f"{array.dtype} {array.shape}", "an integer array (F, 3) or (F, 4)")
    limits = np.iinfo(np.int32)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise bad_argument(function, "faces", f"{array.min()} to {array.max()}", "vertex indices of 32 bits")
    corners = np.ascontiguousarray(array, np.int32)
    if corners.shape[1] == 3:
        corners = np.concatenate([corners, np.full((len(corners), 1), -1, np.int32)], axis=1)
    return corners


def topology_hash(faces: ArrayLike, num_vertices: int) -> str:
    """Hex SHA-256 of the padded faces (int32, little endian) followed by V (int64, little endian)."""
    digest = hashlib.sha256(padded_faces(faces, "topology_hash").astype("<i4").tobytes())
    digest.update(np.int64(num_vertices).astype("<i8").tobytes())
    return digest.hexdigest()
