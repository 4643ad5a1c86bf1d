"""Keys the shape keys of the active object, and the object itself for the motion of the head, one key per frame.

Runs inside Blender 3.4 or newer.

Scripting workspace: open this file, select the face, press Run.
"""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix, Vector


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


def key_head(item: Any, rows: list[list[float]], center: list[float], size: float) -> None:
    """Key location, rotation and scale of the object from frame 1 on.

    Rows hold the 12 numbers of 3 x 4 transforms, z up, in the unit of a face with this center and diagonal of its box.
    The object may stand anywhere upright, in any unit: its own box says where the face is and how large.
    """
    points = [item.matrix_world @ vertex.co for vertex in item.data.vertices]
    low, high = (Vector([ends(point[axis] for point in points) for axis in range(3)]) for ends in (min, max))
    unit = (high - low).length / size
    offset = (low + high) / 2 - unit * Vector(center)
    rest, parent = item.matrix_world.copy(), item.matrix_world @ item.matrix_basis.inverted_safe()
    item.rotation_mode = "QUATERNION"
    if item.animation_data is not None:
        item.animation_data.action = None
    before = None
    for frame, row in enumerate(rows, start=1):
        turn = Matrix([row[0:3], row[4:7], row[8:11]])
        shift = unit * Vector([row[3], row[7], row[11]]) + offset - turn @ offset
        place = Matrix.Translation(shift) @ turn.to_4x4()
        item.location, item.rotation_quaternion, item.scale = (parent.inverted_safe() @ place @ rest).decompose()
        if before is not None and item.rotation_quaternion.dot(before) < 0:
            item.rotation_quaternion.negate()
        before = item.rotation_quaternion.copy()
        for path in ("location", "rotation_quaternion", "scale"):
            item.keyframe_insert(path, frame=frame)
    for curve in curves_of(item.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(1)
