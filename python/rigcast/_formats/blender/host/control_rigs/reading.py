"""The control sets of the armature that is open in Blender, and the ranges of their controls."""

from __future__ import annotations

import re
from typing import Any

import bpy
import numpy as np

from ..describe.channels import PEOPLE, Candidate, Channel, Found
from ..describe.paths import BONE, CONSTRAINT, drivers_of, inputs_of
from .joint_limits import ENDS, MODEST, SOURCE, JointLimits, Rest
from .names import parsed
from .recognition import ControlSets, Property, recognized


def control_sets(armature: Any, candidates: list[Candidate], found: Found) -> ControlSets | None:
    """The control sets of an armature, or None if it has none."""
    parents = {bone.name: bone.parent.name if bone.parent else "" for bone in armature.data.bones}
    turned = {
        candidate.channel.target
        for candidate in candidates
        if candidate.channel.kind in ("rotation", "location") and not candidate.withheld
    }
    leading = _leading_to_fk(armature)
    properties = []
    for candidate in candidates:
        channel = candidate.channel
        if channel.kind == "property" and channel.name in found.inner:
            owner, key = channel.target.split("\0")
            low, high = candidate.file_range or (0.0, 1.0)
            properties.append(Property(owner, key, low, high, leading.get(channel.name)))
    return recognized(parents, sorted(turned), properties)


def by_joint_limits(candidates: list[Candidate], armature: Any, found: Found) -> str:
    """Give the controls of known joints the ranges of people; says so in one line."""
    assert found.sets is not None
    limits = JointLimits(found.sets, {bone.name: _rest(bone) for bone in armature.data.bones})
    found.reaches, ranges = limits.reaches(), limits.ranges()
    given, without = set[str](), set[str]()
    for candidate in candidates:
        channel = candidate.channel
        if channel.kind not in ("rotation", "location") or (candidate.withheld and channel.target not in found.swung):
            continue
        key = (channel.target, channel.kind, channel.axis)
        if candidate.low is None and key in ranges:
            candidate.give(*ranges[key], _why(channel, found.sets), PEOPLE)
        (without if candidate.low is None else given).add(channel.target)
    seen = {bone.name for bone in armature.pose.bones if bone.custom_shape and not bone.name.startswith("VIS_")}
    resting = len((without - given) & seen)
    others = f"; {resting} controls of no known joint stay at rest" if resting else ""
    return f"ranges: none in the file, joint limits of people for {len(given)} controls ({SOURCE}){others}"


def _rest(bone: Any) -> Rest:
    axes = np.array(bone.matrix_local, np.float64)[:3, :3]
    local = bone.parent is None or bone.use_local_location
    return Rest(axes, np.array(bone.head_local, np.float64), axes if local else np.eye(3))


def _why(channel: Channel, sets: ControlSets) -> str:
    """The source of the range of a control, in words."""
    role = sets.roles.get(channel.target, "")
    limb = next((limb for limb in sets.limbs if channel.target in limb.ik), None)
    if channel.kind == "location":
        return "assumed: a share of " + (f"the length of {limb.name}" if limb is not None else "the length of the legs")
    if limb is not None:
        role = ENDS[limb.kind] if channel.target == limb.ik[0] else "swivel"
    return f"assumed for the {role}" if role in MODEST else f"joint limits of people, {role}: {SOURCE}"


def _leading_to_fk(armature: Any) -> dict[str, bool]:
    """Properties that drive the influence of constraints to FK or IK bones: whether more of them is more FK."""
    found: dict[str, list[bool]] = {}
    for _, curve in drivers_of(armature):
        rising, words = _rises(curve), set(parsed(_target(armature, curve)).words)
        if rising is not None and ("fk" in words) != ("ik" in words):
            for name in inputs_of(curve):
                found.setdefault(name, []).append(rising == ("fk" in words))
    return {name: votes[0] for name, votes in found.items() if len(set(votes)) == 1}


def _target(armature: Any, curve: Any) -> str:
    """The bone that a constraint aims at whose influence a driver sets."""
    place = BONE.match(curve.data_path)
    held = CONSTRAINT.fullmatch(curve.data_path[place.end() :]) if place is not None else None
    if place is None or held is None or held[2] != "influence":
        return ""
    bone = armature.pose.bones[bpy.utils.unescape_identifier(place[1])]
    constraint = bone.constraints.get(bpy.utils.unescape_identifier(held[1]))
    return getattr(constraint, "subtarget", "")


def _rises(curve: Any) -> bool | None:
    """Return True if a driver of one variable grows with it; None if it is another function."""
    driver, sign = curve.driver, 1.0
    if len(driver.variables) != 1:
        return None
    if driver.type == "SCRIPTED":
        name, text = re.escape(driver.variables[0].name), driver.expression.replace(" ", "")
        if re.fullmatch(rf"1(\.0*)?-{name}", text):
            sign = -1.0
        elif text != driver.variables[0].name:
            return None
    if curve.keyframe_points or curve.modifiers:
        sign *= curve.evaluate(1.0) - curve.evaluate(0.0)
    return sign > 0.0
