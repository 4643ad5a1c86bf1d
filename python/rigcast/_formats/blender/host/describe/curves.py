"""The F-curves of actions, and the values that they give channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import bpy

Reader = Callable[[float], float]
Curves = Mapping[tuple[str, int], Any]


def curves_of(action: Any) -> list[Any]:
    """F-curves of an action: of all its layers where Blender has them (4.4 and newer)."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]


def paths_of(channel: Any, armature: Any) -> list[tuple[str, int]]:
    """The data paths with array index that decide a channel."""
    if channel.kind == "shape":
        return [(f'key_blocks["{bpy.utils.escape_identifier(channel.target)}"].value', 0)]
    if channel.kind == "property":
        prefix, key = channel.target.split("\0")
        path = f'["{bpy.utils.escape_identifier(key)}"]'
        return [((armature.pose.bones[prefix].path_from_id() if prefix != "property" else "") + path, 0)]
    bone = armature.pose.bones[channel.target]
    path = bone.path_from_id()
    if channel.kind != "rotation":
        return [(f"{path}.{channel.kind}", channel.axis)]
    if bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        return [(f"{path}.rotation_{bone.rotation_mode.lower()}", index) for index in range(4)]
    return [(f"{path}.rotation_euler", channel.axis)]


def channel_curves(channel: Any, armature: Any, curves: Curves) -> Reader | None:
    """The values of a channel by frame; None if no curve moves it.

    Rotations are read as the curves of the bone's own mode; those of quaternion and axis-angle bones become XYZ angles.
    """
    paths = paths_of(channel, armature)
    found: list[Any] = [curves.get(path) for path in paths]
    if not any(curve is not None for curve in found):
        return None
    if len(paths) == 4:
        return _turn(found, channel.axis, channel.turn, quaternion=paths[0][0].endswith("quaternion"))
    scale = 180.0 / math.pi if channel.kind == "rotation" else 1.0
    (curve,) = found
    return lambda frame: float(curve.evaluate(frame) * scale)


def _turn(curves: list[Any], axis: int, saved: tuple[float, ...], quaternion: bool) -> Reader:
    """One of the XYZ angles of a quaternion, or of an angle and axis; numbers without a curve stay as saved."""
    from mathutils import Quaternion

    def angle(frame: float) -> float:
        values = [value if curve is None else curve.evaluate(frame) for curve, value in zip(curves, saved, strict=True)]
        turn = Quaternion(values) if quaternion else Quaternion(values[1:], values[0])
        return math.degrees(turn.normalized().to_euler("XYZ")[axis])

    return angle
