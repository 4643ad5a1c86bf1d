# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices of mesh objects as the scene shows them, frame after frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

Array = np.ndarray[Any, Any]


def vertices_of(item: Any, depsgraph: Any, world: bool = False) -> Array:
    """The evaluated vertices (V, 3) float32 of a mesh object, in its own coordinates or those of the world."""
    evaluated = item.evaluated_get(depsgraph)
    mesh = evaluated.data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    position = mesh.attributes.get("position")
    if position is not None:  # Blender 3.5
        position.data.foreach_get("vector", points.reshape(-1))
    else:
        mesh.vertices.foreach_get("co", points.reshape(-1))
    if world:
        matrix = np.array(evaluated.matrix_world, np.float64)
        points = np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3], np.float32)
    return points


def at_frame(frame: int) -> Any:
    """The evaluated dependency graph of a frame, to which the scene goes."""
    if bpy.context.scene.frame_current != frame:
        bpy.context.scene.frame_set(frame)
    return bpy.context.evaluated_depsgraph_get()
