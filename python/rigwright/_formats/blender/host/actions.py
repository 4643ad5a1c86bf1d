"""Channel values of an action stored in the file, one row a frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .objects import InputError

if TYPE_CHECKING:
    from .scene import Scene


def action_channels(scene: Scene, name: str) -> np.ndarray[Any, Any]:
    """Channels (T, N) of a named action over its whole frames; channels it does not move stay in the bind state.

    Rotations are read as the curves of the bone's own mode; quaternion curves become XYZ angles.
    """
    action = bpy.data.actions.get(name)
    if action is None:
        known = ", ".join(repr(item.name) for item in bpy.data.actions) or "left out: the file holds none"
        raise InputError("name", repr(name), f"the name of an action: {known}")
    curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(action)}
    first, last = (round(value) for value in action.frame_range)
    columns = [_column(scene, channel, curves) for channel in scene.channels]
    return np.array([[column(frame) for column in columns] for frame in range(first, last + 1)], np.float64)


def curves_of(action: Any) -> list[Any]:
    """F-curves of an action: of all its layers where Blender has them (4.4 and newer)."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def _column(scene: Scene, channel: Any, curves: dict[tuple[str, int], Any]) -> Any:
    if channel.kind == "shape":
        escaped = bpy.utils.escape_identifier(channel.target)
        return _reader(curves.get((f'key_blocks["{escaped}"].value', 0)), channel.rest)
    assert scene.armature is not None
    if channel.kind == "property":
        prefix, key = channel.target.split("\0")
        path = f'["{bpy.utils.escape_identifier(key)}"]'
        if prefix != "property":
            path = scene.armature.pose.bones[prefix].path_from_id() + path
        return _reader(curves.get((path, 0)), channel.rest)
    bone = scene.armature.pose.bones[channel.target]
    if channel.kind != "rotation":
        return _reader(curves.get((f"{bone.path_from_id()}.{channel.kind}", channel.axis)), channel.rest)
    if bone.rotation_mode == "QUATERNION":
        return _quaternion_reader(bone, channel.axis, curves)
    return _reader(curves.get((f"{bone.path_from_id()}.rotation_euler", channel.axis)), channel.rest, 180.0 / math.pi)


def _reader(curve: Any, rest: float, scale: float = 1.0) -> Any:
    return (lambda frame: rest) if curve is None else (lambda frame: curve.evaluate(frame) * scale)


def _quaternion_reader(bone: Any, axis: int, curves: dict[tuple[str, int], Any]) -> Any:
    from mathutils import Quaternion

    readers = [_reader(curves.get((f"{bone.path_from_id()}.rotation_quaternion", i)), float(i == 0)) for i in range(4)]
    return lambda frame: math.degrees(Quaternion([r(frame) for r in readers]).normalized().to_euler("XYZ")[axis])
