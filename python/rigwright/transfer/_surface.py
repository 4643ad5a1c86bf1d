"""Faces of a mesh: which of its corners are vertices, and which faces have no area to speak of."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._hashing import padded_faces
from rigwright._validate import bad_argument

#: A triangle whose height over its longest side is below this part of that side is degenerate
#: (cpp/rigwright/mesh/triangles.h): what a deformation gradient across it says is rounding.
DEGENERATE_HEIGHT = 1e-4


def degenerate_faces(vertices: ArrayLike, faces: ArrayLike) -> NDArray[np.bool_]:
    """Faces with a triangle that is degenerate: no gradient crosses it, so that a transfer says nothing there.

    Parameters
    ----------
    vertices : (V, 3)
    faces : (F, 3) or (F, 4)
        Of quads, both halves along both diagonals count.

    Returns
    -------
    (F,) bool
        Whether a triangle's height over its longest side is at most 1e-4 of that side, whatever the unit.

    Raises
    ------
    ValueError
        On indices out of range.
    """
    points = np.asarray(vertices, np.float64)
    corners = checked_faces("degenerate_faces", faces, len(points))
    found = np.zeros(len(corners), bool)
    quad = corners[:, 3] >= 0
    for columns, rows in (([0, 1, 2], ~quad), *((c, quad) for c in ([0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]))):
        found[rows] |= is_degenerate(points, corners[rows][:, columns])
    return found


def is_degenerate(points: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.bool_]:
    """(F,) of triangles (F, 3) of points (V, 3)."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    longest = np.max([np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)], axis=0, initial=0.0)
    # Sides in lengths of the longest: products of tiny coordinates would vanish.
    scale = np.divide(1.0, longest, out=np.zeros_like(longest), where=longest > 0.0)[:, None]
    area = np.linalg.norm(np.cross(scale * (b - a), scale * (c - a)), axis=1)
    return np.asarray(~(area > DEGENERATE_HEIGHT))


def checked_faces(function: str, faces: ArrayLike, num_vertices: int, argument: str = "faces") -> NDArray[np.int32]:
    """Faces as (F, 4) int32 whose corners are vertices.

    Raises
    ------
    ValueError
        Naming the first face that has another corner.
    """
    corners = padded_faces(faces, function)
    wrong = (corners < 0) | (corners >= num_vertices)
    wrong[:, 3] &= corners[:, 3] != -1
    if wrong.any():
        face, corner = np.argwhere(wrong)[0]
        got = f"{corners[face, corner]} in face {face}"
        raise bad_argument(function, argument, got, f"vertex indices from 0 to {num_vertices - 1}")
    return corners


def checked_vertices(function: str, argument: str, vertices: ArrayLike, num_vertices: int) -> NDArray[np.int64]:
    """Vertex indices of any shape as a vector.

    Raises
    ------
    ValueError
        If they are no integers, or naming the first that is no vertex.
    """
    given = np.asarray(vertices)
    if given.size == 0:
        return np.zeros(0, np.int64)
    if given.dtype.kind not in "iu":
        raise bad_argument(function, argument, f"{given.dtype} {given.shape}", "integers")
    flat = given.reshape(-1)
    wrong = np.flatnonzero((flat < 0) | (flat >= num_vertices))
    if len(wrong):
        got = f"{flat[wrong[0]]} at {wrong[0]}" if given.ndim == 1 else f"{flat[wrong[0]]} somewhere"
        raise bad_argument(function, argument, got, f"vertex indices from 0 to {num_vertices - 1}")
    return flat.astype(np.int64)
