"""Lips and lids: which vertices face each other, and where surfaces cut through each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright import _core
from rigwright.errors import bad_argument
from rigwright.hashing import padded_faces


def find_contacts(
    neutral: ArrayLike, shapes: ArrayLike, faces: ArrayLike, *, reach: float = 1.0, threads: int = 0
) -> NDArray[np.int32]:
    """Pairs of vertices whose surfaces meet in the neutral or in a shape, as lips and lids do.

    Two vertices are a pair where, in one of the poses, they are closer than ``reach`` mean edge lengths with their
    normals more than 120 degrees apart; where in the neutral the way from one to the other leads through air and not
    through the solid; and where they belong to one component, more than three edges apart. Each vertex is paired with
    the one that comes nearest.

    Parameters
    ----------
    neutral : (V, 3)
    shapes : (K, V, 3)
        Positions, not offsets.
    faces : (F, 3) or (F, 4)
    reach : float
        In mean lengths of a vertex's edges, above 0.

    Returns
    -------
    (P, 2) int32
        Ascending, the lower vertex of a pair first. The user may remove pairs and add others, between components too.

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, and indices out of range.
    """
    first, others = np.asarray(neutral, np.float32), np.asarray(shapes, np.float32)
    if others.ndim != 3 or first.shape != others.shape[1:]:
        raise bad_argument("find_contacts", "shapes", str(others.shape), f"(K, {', '.join(map(str, first.shape))})")
    return _core.find_contacts(np.concatenate([first[None], others]), faces, reach, threads=threads)


def crossings(vertices: ArrayLike, faces: ArrayLike, near: ArrayLike | None = None, *, rings: int = 2) -> int:
    """How many pairs of faces cut through each other.

    Faces that share a vertex are not compared; faces that touch or lie in one plane do not cut. Quads are cut along
    their first diagonal.

    Parameters
    ----------
    vertices : (V, 3)
    faces : (F, 3) or (F, 4)
    near : integers of any shape, optional
        Only faces within ``rings`` rings of these vertices are compared: the pairs of :func:`find_contacts` ask about
        lips and lids.
    rings : int
    """
    corners = padded_faces(faces, "crossings")
    points = np.asarray(vertices, np.float32)
    chosen = np.ones(len(corners), np.uint8)
    if near is not None:
        chosen = _faces_near(corners, len(points), np.asarray(near, np.int64).reshape(-1), rings)
    return len(_core.self_intersections(points, corners, chosen))


def _faces_near(faces: NDArray[np.int32], num_vertices: int, near: NDArray[np.int64], rings: int) -> NDArray[np.uint8]:
    inside = np.zeros(num_vertices, bool)
    inside[near] = True
    touched = np.zeros(len(faces), bool)
    for _ in range(rings):
        touched = (inside[faces] & (faces >= 0)).any(axis=1)
        corners = faces[touched]
        inside[corners[corners >= 0]] = True
    return touched.astype(np.uint8)
