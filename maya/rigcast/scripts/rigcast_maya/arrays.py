"""Arrays of Maya's API as NumPy's, and the space of its scenes.

Matrices of Maya act on rows, ``p M``, those of models on columns: they are transposed here, once.
"""

from __future__ import annotations

from typing import Any

import maya.OpenMaya as om
import numpy as np

from rigcast_host.spaces import Space

Array = np.ndarray[Any, Any]
SIDE = range(4)


def scene_space() -> Space:
    """Centimeters, which the API has whatever the user interface shows, and the up axis of the scene."""
    return Space(0.01, "Y" if om.MGlobal.isYAxisUp() else "Z")


def matrix_of(matrix: om.MMatrix) -> Array:
    """A matrix (4, 4) for column vectors."""
    return np.array([[matrix(row, column) for row in SIDE] for column in SIDE], np.float64)


def positions(points: om.MPointArray) -> Array:
    """The points (N, 3), float64."""
    listed = (points[index] for index in range(points.length()))
    return np.array([(point.x, point.y, point.z) for point in listed], np.float64).reshape(-1, 3)


def write_positions(points: om.MPointArray, vertices: Array) -> None:
    """Replace all points."""
    for index, (x, y, z) in enumerate(vertices.tolist()):
        points.set(om.MPoint(x, y, z), index)
