"""SHA-256 hashes that tie models, data sets and rigs together."""

from __future__ import annotations

import hashlib
import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments


def padded_faces(
    faces: ArrayLike, function: str = "padded_faces", num_vertices: int | None = None, argument: str = "faces"
) -> NDArray[np.int32]:
    """Faces as (F, 4) int32, triangles padded with -1.

    Parameters
    ----------
    faces : array_like, shape (F, 3) or (F, 4)
    function, argument : str
        Named in errors.
    num_vertices : int, optional
        With it, each corner must be one of the vertices.

    Raises
    ------
    ValueError
        If ``faces`` is not an (F, 3) or (F, 4) array of integers that fit 32 bits; naming the first face that has a
        corner that is no vertex.
    """
    check = Arguments(function)
    given = check.integers(argument, faces, "F 3", "F 4", low=-(2**31), dtype=np.int32)
    padding = np.full((len(given), 4 - given.shape[1]), -1, np.int32)
    corners: NDArray[np.int32] = np.concatenate([given, padding], axis=1)
    if num_vertices is not None:
        wrong = (corners < 0) | (corners >= num_vertices)
        wrong[:, 3] &= corners[:, 3] != -1
        if wrong.any():
            face, corner = np.argwhere(wrong)[0]
            got = f"{corners[face, corner]} in face {face}"
            raise check.wrong(argument, got, f"vertex indices from 0 to {num_vertices - 1}")
    return corners


def topology_hash(faces: ArrayLike, num_vertices: int) -> str:
    """Hash that is equal for meshes of equal faces and vertex counts: what ties models, data sets and rigs together.

    Hex SHA-256 of the padded faces (int32, little endian) followed by V (int64, little endian).

    Parameters
    ----------
    faces : array_like of int, shape (F, 3) or (F, 4)
        -1 pads triangles.
    num_vertices : int

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    ValueError
        If ``faces`` are no faces, or ``num_vertices`` is no whole number of at least 0.
    """
    count = Arguments("topology_hash").whole("num_vertices", num_vertices, most=2**63 - 1)
    digest = hashlib.sha256(padded_faces(faces, "topology_hash").astype("<i4").tobytes())
    digest.update(np.int64(count).astype("<i8").tobytes())
    return digest.hexdigest()


def file_hash(path: str | os.PathLike[str]) -> str:
    """Hex SHA-256 of a file's content.

    Raises
    ------
    FileNotFoundError
    """
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(BYTES_PER_READ):
            digest.update(block)
    return digest.hexdigest()


BYTES_PER_READ = 1 << 22
