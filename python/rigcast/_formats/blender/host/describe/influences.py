"""Influences on a bone other than its own channels: drivers, constraints, and how it inherits from its parent."""

from __future__ import annotations

import re
from typing import Any

import bpy

ANGLE = re.compile(r'pose\.bones\["(.*)"\]\.rotation_euler')
ANGLE_ELEMENT = re.compile(ANGLE.pattern + r"\[([012])\]")
LIMITS = ("LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_SCALE")  # they give ranges, and channels stay inside
TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")


def driven_paths(owner: Any) -> set[tuple[str, int]]:
    """Data paths (with array index) under a driver, which overwrites whatever a user sets there."""
    data = owner.animation_data
    return {(curve.data_path, curve.array_index) for curve in data.drivers} if data else set()


def posed_elsewhere(armature: Any | None) -> dict[str, str]:
    """Bones whose pose may depend on something other than their channels, and the reason in a few words.

    Reads the structure of the file only. Sampling measures which of these bones really leave plain kinematics.
    """
    reasons: dict[str, list[str]] = {}
    for bone in armature.pose.bones if armature else ():
        for constraint in bone.constraints:
            if constraint.mute or constraint.type in LIMITS:
                continue
            for name in constrained(bone, constraint):
                reasons.setdefault(name, []).append(f"constraint {constraint.name!r} of bone {bone.name!r}")
        driven = _driven(armature, bone)
        reasons.setdefault(bone.name, []).extend(f"a driver on its {path}" for path in driven)
        if bone.parent is not None and not bone.bone.use_inherit_rotation:
            reasons[bone.name].append("it does not inherit rotation")
        if bone.parent is not None and bone.bone.inherit_scale != "FULL":
            reasons[bone.name].append(f"it inherits scale as {bone.bone.inherit_scale}")
        if not bone.bone.use_local_location:
            reasons[bone.name].append("its location is not local")
    return {name: ", ".join(found) for name, found in reasons.items() if found}


def followers(armature: Any | None) -> dict[str, dict[str, tuple[str, float]]]:
    """Bones whose angles drivers copy from other bones, with either sign: bone to axis to (channel, factor)."""
    found: dict[str, dict[str, tuple[str, float]]] = {}
    if armature is None or armature.animation_data is None:
        return found
    for curve in armature.animation_data.drivers:
        place = ANGLE.fullmatch(curve.data_path)
        leader = _copied(armature, curve)
        if place is None or leader is None:
            continue
        name = bpy.utils.unescape_identifier(place[1])
        if armature.pose.bones[name].rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
            found.setdefault(name, {})["xyz"[curve.array_index]] = leader
    return found


def _copied(armature: Any, curve: Any) -> tuple[str, float] | None:
    """The rotation channel that a driver copies, and 1 or -1; None if it does anything else."""
    driver = curve.driver
    # Drivers come with two keys on a line, in older Blenders with a polynomial: both give back what goes in.
    simple = len(driver.variables) == 1 and not curve.mute and all(m.type == "GENERATOR" for m in curve.modifiers)
    shaped = curve.keyframe_points or curve.modifiers
    straight = not shaped or all(abs(curve.evaluate(x) - x) < 1e-6 for x in (-3.0, -0.3, 0.3, 3.0))
    if not simple or not straight or driver.variables[0].type != "SINGLE_PROP":
        return None
    variable = driver.variables[0]
    target = variable.targets[0]
    place = ANGLE_ELEMENT.fullmatch(target.data_path)
    expression = variable.name if driver.type in ("AVERAGE", "SUM", "MIN", "MAX") else driver.expression.strip()
    if target.id != armature or place is None or expression.removeprefix("-") != variable.name:
        return None
    name = bpy.utils.unescape_identifier(place[1])
    bone = armature.pose.bones.get(name)
    if bone is None or bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        return None
    return f"{name}.rotation_{'xyz'[int(place[2])]}", -1.0 if expression.startswith("-") else 1.0


def constrained(bone: Any, constraint: Any) -> list[str]:
    """The bones that a constraint moves: a chain for inverse kinematics, else its owner."""
    if constraint.type not in ("IK", "SPLINE_IK"):
        return [bone.name]
    chain = [bone, *bone.parent_recursive]
    if constraint.type == "IK" and not constraint.use_tail:
        chain = chain[1:]
    return [link.name for link in (chain[: constraint.chain_count] if constraint.chain_count else chain)]


def _driven(armature: Any, bone: Any) -> list[str]:
    """The transforms of a bone that drivers set."""
    data, path = armature.animation_data, bone.path_from_id()
    paths = {curve.data_path for curve in data.drivers} if data else set()
    return [name for name in TRANSFORMS if f"{path}.{name}" in paths]
