"""A small moving mesh without any symmetry, so that a swapped axis or a lost frame shows, and what it is in Blender."""

from __future__ import annotations

import numpy as np

FACES = np.array([[0, 1, 2, 3], [0, 1, 4, -1], [1, 2, 4, -1]], np.int32)
REST = np.array([[0.0, 0, 0], [4, 0, 0.5], [4, 2, 0], [0, 2, 0.25], [1, 0.5, 3]])
FPS, UNIT, UP = 48.0, 0.01, "Z"
# Rows are the axes of a z-up world in terms of one with the key up; both are right-handed.
Z_UP = {"Z": np.eye(3), "Y": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "X": [[0, -1, 0], [0, 0, -1], [1, 0, 0]]}


def moving_mesh(frames: int = 9) -> np.ndarray:
    """(T, 5, 3): the mesh bends, stretches and walks away along each axis at another speed."""
    t = np.arange(frames)[:, None, None]
    walk = t * [0.5, -0.25, 0.125]
    swing = 0.3 * np.sin((0.5 + 0.2 * np.arange(5)[:, None]) * t + np.array([1.0, 2.0, 3.0]))
    return (REST + walk + swing * REST[:, [2, 0, 1]]).astype(np.float32)


def in_blender(vertices: np.ndarray, up_axis: str, scale: float = 1.0) -> np.ndarray:
    """Vertices (..., 3) as Blender shows them: upright, z up."""
    return scale * vertices @ np.transpose(Z_UP[up_axis])
