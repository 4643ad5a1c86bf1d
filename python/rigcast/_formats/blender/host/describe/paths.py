"""The names of data paths of an armature, a mesh or its shape keys: by channel names where it is a channel."""

from __future__ import annotations

import re
from typing import Any

import bpy

BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
SHAPE = re.compile(r'key_blocks\["((?:[^"\\]|\\.)*)"\]\.value')
PROPERTY = re.compile(r'\["((?:[^"\\]|\\.)*)"\]')
CONSTRAINT = re.compile(r'\.constraints\["((?:[^"\\]|\\.)*)"\]\.(\w+)')
ELEMENT = re.compile(r"(.*)\[(\d)\]")
AXES = "xyz"
TRANSFORMS = {"LOC": "location", "ROT": "rotation", "SCALE": "scale"}
FRAME = ("frame_current", "frame_current_final", "frame_float", "frame_subframe")


def words_of(path: str, index: int = 0) -> str:
    """The channel that a data path with an array index is, or other words for it.

    Quaternions and axis-angles are ``bone.rotation``: no single channel is any of their numbers.
    """
    bone = BONE.match(path)
    if bone is None:
        return _without_bone(path, index)
    name, rest = bpy.utils.unescape_identifier(bone[1]), path[bone.end() :]
    if held := CONSTRAINT.fullmatch(rest):
        return f"{held[2]} of constraint {bpy.utils.unescape_identifier(held[1])!r} of bone {name!r}"
    if found := PROPERTY.fullmatch(rest):
        return f"{name}.{bpy.utils.unescape_identifier(found[1])}"
    kind = rest.removeprefix(".")
    if kind in ("rotation_quaternion", "rotation_axis_angle"):
        return f"{name}.rotation"
    if kind in ("location", "scale", "rotation_euler"):
        return f"{name}.{kind.removesuffix('_euler')}_{AXES[index]}"
    return f"{kind} of bone {name!r}"


def _without_bone(path: str, index: int) -> str:
    if found := SHAPE.fullmatch(path):
        return f"shape.{bpy.utils.unescape_identifier(found[1])}"
    if found := PROPERTY.fullmatch(path):
        return f"property.{bpy.utils.unescape_identifier(found[1])}"
    if path in ("location", "scale", "rotation_euler"):
        return f"{path.removesuffix('_euler')} {AXES[index]} of the object"
    return path


def drivers_of(*owners: Any) -> list[tuple[Any, Any]]:
    """(owner, driver curve) of everything that has drivers; owners may be None."""
    found = [(owner, curve) for owner in owners if owner is not None and owner.animation_data is not None
             for curve in owner.animation_data.drivers]  # fmt: skip
    return [(owner, curve) for owner, curve in found if not curve.mute]


def inputs_of(curve: Any) -> list[str]:
    """The inputs of a driver, as :func:`words_of` calls it, ``frame`` among it."""
    found = [_read(variable, target) for variable in curve.driver.variables for target in variable.targets]
    if curve.driver.type == "SCRIPTED" and re.search(r"\b(frame|depsgraph)\b", curve.driver.expression):
        names = {variable.name for variable in curve.driver.variables}
        found += ["frame"] * ("frame" not in names)
    return list(dict.fromkeys(text for text in found if text))


def _read(variable: Any, target: Any) -> str:
    if variable.type == "TRANSFORMS" and target.bone_target:
        kind, _, axis = target.transform_type.partition("_")
        letter = axis.lower()
        return f"{target.bone_target}.{TRANSFORMS.get(kind, kind.lower())}" + (f"_{letter}" if letter in AXES else "")
    if variable.type != "SINGLE_PROP":
        return f"{target.bone_target}.location" if target.bone_target else ""
    if target.data_path in FRAME:
        return "frame"
    element = ELEMENT.fullmatch(target.data_path)
    return words_of(element[1], int(element[2])) if element else words_of(target.data_path)
