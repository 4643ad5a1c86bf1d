"""Units and up axes: a model states its own, and a scene has others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import rigcast_runtime as rr

Array = np.ndarray[Any, Any]
AXES = {  # columns: the x, y, z of a model with this axis up, where y is up
    "X": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "Y": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "Z": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
}


@dataclass(frozen=True)
class Space:
    """The unit and up axis of a scene.

    Attributes
    ----------
    meters_per_unit : float
        Above 0; 0.01 for characters that were imported in centimeters and not scaled.
    up_axis : str
        "X", "Y" or "Z".

    Raises
    ------
    ValueError
        For anything else.
    """

    meters_per_unit: float = 1.0
    up_axis: str = "Y"

    def __post_init__(self) -> None:
        if self.up_axis not in AXES:
            raise ValueError(f"Space: up_axis is {self.up_axis!r}; it must be 'X', 'Y' or 'Z'")
        if not 0.0 < self.meters_per_unit < float("inf"):
            raise ValueError(f"Space: meters_per_unit is {self.meters_per_unit!r}; it must be a number above 0")


@dataclass(frozen=True, eq=False)
class Change:
    """From the space of a model to that of a scene.

    Attributes
    ----------
    matrix : (3, 3) float64 array or None
        Rotation and scale, for column vectors; None if the spaces are the same.
    words : str
        What it does; empty if nothing.
    """

    matrix: Array | None
    words: str

    def to_scene(self, vertices: Array) -> Array:
        """Vertices (V, 3) of the model in the scene, float32."""
        return vertices if self.matrix is None else np.asarray(vertices @ self.matrix.T, np.float32)

    def to_model(self, points: Array) -> Array:
        """Points (V, 3) of the scene in the model's space, float32."""
        return points if self.matrix is None else np.asarray(points @ np.linalg.inv(self.matrix).T, np.float32)

    def joints_to_model(self, transforms: Array) -> Array:
        """Transforms (J, 4, 4) of the scene in the model's space: moved, not scaled themselves."""
        if self.matrix is None:
            return transforms
        back = np.linalg.inv(self.matrix)
        result = transforms.copy()
        result[:, :3, :3] = back / np.cbrt(np.linalg.det(back)) @ transforms[:, :3, :3]
        result[:, :3, 3] = transforms[:, :3, 3] @ back.T
        return np.asarray(result)


def change_of(model: rr.Deformer, space: Space) -> Change:
    """The change from a model's space to a scene's."""
    if model.up_axis == space.up_axis and model.meters_per_unit == space.meters_per_unit:
        return Change(None, "")
    turn = np.array(AXES[space.up_axis], np.float64).T @ np.array(AXES[model.up_axis], np.float64)
    scale = model.meters_per_unit / space.meters_per_unit
    words = (
        f"the model has {model.up_axis} up and {model.meters_per_unit:g} m per unit, the scene {space.up_axis} up and "
        f"{space.meters_per_unit:g} m per unit: points are converted (times {scale:g})"
    )
    return Change(scale * turn, words)
