"""Meshes with fewer vertices that move as they did: vertices are merged where they stay together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigwright import _core

Triangles = NDArray[np.uint32]
POSES = 4  # in which vertices that are merged lie together
FINEST, COARSER = 1024.0, 1.1  # cells along the size of the figure, and their number from one grid to the next


def coarse_mesh(
    frames: NDArray[np.float32], faces: NDArray[np.int32], triangles: Triangles, most: int
) -> tuple[NDArray[np.intp], Triangles]:
    """Vertices (n,) that are kept, and triangles between them (vertex clustering; Rossignac and Borrel 1993).

    Vertices are merged if they are of one connected part and share a cell of a grid in the poses that differ most: lips
    that touch at rest and part later stay two. The cells grow until at most ``most`` vertices are left.

    Parameters
    ----------
    frames : (T, V, 3) array
        The first is that of rest.
    faces : (F, 4) array
        Edges are those of its faces.
    triangles : (M, 3) array
    most : int
    """
    count = frames.shape[1]
    if count <= most:
        return np.arange(count), triangles
    chosen = frames[_differing(frames, POSES)].transpose(1, 0, 2).reshape(count, -1)
    chosen = chosen - chosen.min(axis=0)
    size = float(np.ptp(frames[0], axis=0).max()) or 1.0
    parts = _connected_parts(np.asarray(_core.edges(faces, count)), count)
    cells = FINEST
    while True:
        key = np.column_stack([parts, np.floor(chosen / size * cells).astype(np.int32)])
        _, first, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
        corners = first[group.reshape(-1)][triangles]
        a, b, c = corners.T
        corners = corners[(a != b) & (b != c) & (c != a)]
        kept, places = np.unique(corners, return_inverse=True)
        if len(kept) <= most or cells < 1.0:
            _, unique = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
            return kept, places.reshape(-1, 3)[np.sort(unique)].astype(np.uint32)
        cells /= COARSER


def _differing(frames: NDArray[np.float32], count: int) -> list[int]:
    """Frames, the first of all among them, each the farthest from those before it."""
    flat = frames.reshape(len(frames), -1)
    chosen = [0]
    away = ((flat - flat[0]) ** 2).sum(axis=1)
    while len(chosen) < min(count, len(frames)) and away.max() > 0.0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, ((flat - flat[chosen[-1]]) ** 2).sum(axis=1))
    return chosen


def _connected_parts(edges: NDArray[np.integer], count: int) -> NDArray[np.int32]:
    """(V,) the least vertex of each vertex' connected part."""
    part = np.arange(count)
    while True:
        before = part.copy()
        np.minimum.at(part, edges[:, 0], part[edges[:, 1]])
        np.minimum.at(part, edges[:, 1], part[edges[:, 0]])
        part = part[part]
        if (part == before).all():
            return part.astype(np.int32)
