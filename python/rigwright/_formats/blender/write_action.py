"""Keys the shape keys of the active object, one key a frame. Runs inside Blender 3.4 or newer.

Scripting workspace: open this file, select the face, press Run.
"""

from __future__ import annotations

from typing import Any

import bpy


def curves_of(action: Any) -> list[Any]:
    """F-curves of an action, in any version of Blender."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def key_shapes(item: Any, names: list[str], rows: list[list[float]], fps: float) -> list[str]:
    """Key the values of shape keys by name from frame 1 on; gives the names that the object does not have."""
    keys = item.data.shape_keys
    render = bpy.context.scene.render
    render.fps, render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, len(rows)
    if keys.animation_data is None:
        keys.animation_data_create()
    keys.animation_data.action = None  # an action that other keys share stays as it is
    missing = []
    for index, name in enumerate(names):
        block = keys.key_blocks.get(name)
        if block is None:
            missing.append(name)
            continue
        values = [row[index] for row in rows]
        block.slider_min = max(-10.0, min(block.slider_min, *values, 0.0))
        block.slider_max = min(10.0, max(block.slider_max, *values, 0.0))
        block.value = values[0]
        block.keyframe_insert("value", frame=1)
        path = block.path_from_id("value")
        curve = next(c for c in curves_of(keys.animation_data.action) if c.data_path == path)
        points = curve.keyframe_points
        points.add(len(values) - len(points))
        points.foreach_set("co", [x for pair in enumerate(values, start=1) for x in pair])
        for point in points:
            point.interpolation = "LINEAR"
        curve.update()
    return missing
