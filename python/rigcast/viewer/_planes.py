"""Intersection of a ray with a plane: the place of a cursor in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def on_plane(point: Vector, normal: Vector, origin: Vector, direction: Vector) -> Vector | None:
    """The intersection of the ray with the plane through a point; None if the plane is behind the ray or along it."""
    slope = float(direction @ normal)
    along = float((point - origin) @ normal) / slope if slope else -1.0
    return origin + along * direction if along > 0.0 else None
