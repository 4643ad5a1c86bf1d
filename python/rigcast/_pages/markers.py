"""Octahedra at points, as part of a mesh that pictures are drawn of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
_SIDES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]], np.int32)
CORNERS = len(_CORNERS)


class MarkedMesh:
    """A mesh with an octahedron at each of A points.

    Parameters
    ----------
    model : model, rig or data set
        Its rest vertices, faces and up axis.
    points : (A, 3)
        Where the octahedra are at rest.
    share : float
        Radius of an octahedron, relative to the longest side of the mesh.
    """

    def __init__(self, model: Any, points: ArrayLike, share: float) -> None:
        rest, faces = np.asarray(model.rest_vertices, np.float32), np.asarray(model.faces)
        self._radius = share * float(np.ptp(rest, axis=0).max())
        count = len(np.asarray(points))
        sides = (len(rest) + CORNERS * np.arange(count)[:, None, None] + _SIDES).reshape(-1, 3)
        padded = np.concatenate([sides, np.full((len(sides), 1), -1)], axis=1)
        four = faces if faces.shape[1] == 4 else np.concatenate([faces, np.full((len(faces), 1), -1)], axis=1)
        self.faces = np.concatenate([four, padded]).astype(np.int32)
        self.up_axis = model.up_axis
        self.rest_vertices = self.vertices(rest, points)
        self.on_marker = np.arange(len(self.rest_vertices)) >= len(rest)

    def vertices(self, mesh: ArrayLike, points: ArrayLike) -> NDArray[np.float32]:
        """Of the mesh (V, 3) with octahedra at points (A, 3)."""
        corners = np.asarray(points, np.float32)[:, None] + self._radius * _CORNERS
        return np.asarray(np.concatenate([np.asarray(mesh, np.float32), corners.reshape(-1, 3)]), np.float32)

    def values(self, mesh: ArrayLike, points: ArrayLike) -> NDArray[np.float64]:
        """A number per vertex, from those of the mesh (V,) and of the points (A,)."""
        return np.concatenate([np.asarray(mesh, np.float64), np.repeat(np.asarray(points, np.float64), CORNERS)])
