"""Faces of a mesh: which of its corners are vertices, and which faces have no area to speak of."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._hashing import padded_faces
from rigcast._validate import Arguments, as_array

#: A triangle whose height over its longest side is below this part of that side is degenerate
#: (cpp/rigcast/mesh/triangles.h): what a deformation gradient across it says is rounding.
DEGENERATE_HEIGHT = 1e-4


def degenerate_faces(vertices: ArrayLike, faces: ArrayLike) -> NDArray[np.bool_]:
    """Faces with a triangle that is degenerate: no gradient crosses it, so that a transfer says nothing there.

    Parameters
    ----------
    vertices : array_like, shape (V, 3)
    faces : array_like, shape (F, 3) or (F, 4)
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
    points = Arguments("degenerate_faces").numbers("vertices", vertices, "V 3", finite=False)
    corners = padded_faces(faces, "degenerate_faces", len(points))
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


def checked_vertices(function: str, argument: str, vertices: ArrayLike, num_vertices: int) -> NDArray[np.int64]:
    """Vertex indices of any shape as a vector.

    Raises
    ------
    ValueError
        If they are no integers, or naming the first that is no vertex.
    """
    check = Arguments(function)
    rank = as_array(function, argument, vertices, "integers").ndim
    shape = " ".join("abcdefgh"[:rank])  # sizes of no interest
    flat: NDArray[np.int64] = check.integers(argument, vertices, shape, low=-(2**63), must="integers").reshape(-1)
    wrong = np.flatnonzero((flat < 0) | (flat >= num_vertices))
    if len(wrong):
        place = f"at {wrong[0]}" if rank == 1 else "somewhere"
        raise check.wrong(argument, f"{flat[wrong[0]]} {place}", f"vertex indices from 0 to {num_vertices - 1}")
    return flat
