"""Index buffers of a mesh: its triangles, fewer of them for slow machines, and its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

Indices = NDArray[np.uint32]
REDUCED_TRIANGLES = 24_000


def triangles(faces: NDArray[np.int32]) -> Indices:
    """(F, 3): quads are split along their first diagonal, as picking splits them."""
    quads = faces[faces[:, 3] >= 0]
    result: Indices = np.concatenate([faces[:, :3], quads[:, [0, 2, 3]]]).astype(np.uint32)
    return result


def edges(faces: NDArray[np.int32], num_vertices: int) -> Indices:
    """(E, 2): sides of the faces, without the diagonals of quads."""
    return np.asarray(_core.edges(faces, num_vertices)).astype(np.uint32)


def reduced(rest_vertices: NDArray[np.float32], all_triangles: Indices, most: int = REDUCED_TRIANGLES) -> Indices:
    """At most ``most`` triangles between some of the same vertices (vertex clustering; Rossignac and Borrel 1993).

    A mesh that is small enough stays as it is. The cells of the grid grow until few enough triangles are left.
    """
    if len(all_triangles) <= most:
        return all_triangles
    low, extent = rest_vertices.min(axis=0), float(np.ptp(rest_vertices, axis=0).max()) or 1.0
    cells = 256.0
    while True:
        kept = _clustered(np.floor((rest_vertices - low) / extent * cells).astype(np.int64), all_triangles)
        if len(kept) <= most:
            return kept
        cells /= 1.2


def _clustered(cell: NDArray[np.int64], all_triangles: Indices) -> Indices:
    """Triangles between the first vertex of each cell."""
    key = (cell * np.array([1, 1 << 20, 1 << 40])).sum(axis=1)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    corners = first[group.reshape(-1)][all_triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, unique = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    result: Indices = corners[np.sort(unique)].astype(np.uint32)
    return result
