"""Constraints of bones as data; what is more than the engine evaluates raises :class:`Unread`."""

from __future__ import annotations

from typing import Any

import bpy

from .expressions import Unread
from .numbers import Numbers

SPACES = ("WORLD", "POSE", "LOCAL", "LOCAL_WITH_PARENT")
SPACELESS = ("STRETCH_TO", "DAMPED_TRACK", "ARMATURE")
LIMITS = ("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE")
VOLUMES = {"VOLUME_XZX": [0.5, 0.0, 0.5], "VOLUME_X": [1.0, 0.0, 0.0], "VOLUME_Z": [0.0, 0.0, 1.0],
           "NO_VOLUME": [0.0, 0.0, 0.0]}  # fmt: skip
ANYWHERE = 1e30  # of limits that are off
Words = dict[str, Any]


def ik_of(bone: Any) -> list[Any]:
    """The inverse kinematics of a bone that has a target."""
    return [c for c in bone.constraints if c.type in ("IK", "SPLINE_IK") and c.is_valid and c.target is not None]


def target_bones(constraint: Any, armature: Any) -> list[str]:
    """The bones of the armature that a constraint follows."""
    pairs = [(getattr(constraint, "target", None), getattr(constraint, "subtarget", "")),
             (getattr(constraint, "pole_target", None), getattr(constraint, "pole_subtarget", ""))]  # fmt: skip
    pairs += [(target.target, target.subtarget) for target in getattr(constraint, "targets", [])]
    return [name for item, name in pairs if item == armature and name]


def constraint_words(bone: Any, constraint: Any, armature: Any, numbers: Numbers) -> Words:
    """A constraint other than inverse kinematics."""
    writer = WRITERS.get(constraint.type)
    if writer is None:
        raise Unread(f"constraint {constraint.name!r} of type {constraint.type.replace('_', ' ').title()}")
    found: Words = {"kind": constraint.type}
    influence = numbers.influence(bone, constraint)
    if influence != 1.0:
        found["influence"] = influence
    if constraint.type not in SPACELESS:
        found |= _spaces(constraint)
    if constraint.type == "ARMATURE":
        found["targets"] = _weighted_targets(bone, constraint, armature, numbers)
    elif constraint.type not in LIMITS:
        found["targets"] = [_target(constraint.target, constraint.subtarget, armature, constraint)]
    return found | writer(bone, constraint)


def goal_words(bone: Any, constraint: Any, armature: Any, numbers: Numbers) -> Words:
    """A goal of inverse kinematics."""
    if constraint.type != "IK" or constraint.ik_type != "COPY_POSE":
        raise Unread(f"constraint {constraint.name!r} of a kind of inverse kinematics of its own")
    if constraint.use_rotation or not constraint.use_location or constraint.weight != 1.0:
        raise Unread("inverse kinematics that reaches for an orientation, or by a weight")
    goal: Words = {
        "influence": numbers.influence(bone, constraint),
        "target": _target(constraint.target, constraint.subtarget, armature, None),
        "stretches": bool(constraint.use_stretch),
        "max_iterations": constraint.iterations,
    }
    if constraint.pole_target is not None:
        goal["pole"] = _target(constraint.pole_target, constraint.pole_subtarget, armature, None)
        goal["pole_angle"] = constraint.pole_angle
    return goal


def link_words(bone: Any) -> Words:
    """The limits of a bone as a link of a chain."""
    found: Words = {}
    locked = [bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z]
    stiffness = [bone.ik_stiffness_x, bone.ik_stiffness_y, bone.ik_stiffness_z]
    if any(locked):
        found["locked"] = "".join(letter for letter, lock in zip("xyz", locked) if lock)  # noqa: B905
    if any(stiffness):
        found["stiffness"] = stiffness
    if bone.ik_stretch > 0.0:
        found["stretch"] = bone.ik_stretch
    return found


def _spaces(constraint: Any) -> Words:
    found: Words = {}
    for key in ("owner_space", "target_space"):
        space = getattr(constraint, key, "WORLD")
        if constraint.type == "LIMIT_DISTANCE":
            space = "WORLD"  # a distance is the same in the coordinates of any bone that is not scaled
        if space not in SPACES:
            raise Unread(f"constraint {constraint.name!r} in {space.replace('_', ' ').lower()} coordinates")
        if space != "WORLD":
            found[key] = space
    return found


def _target(item: Any, name: str, armature: Any, constraint: Any) -> Words:
    if item == armature and name:
        found: Words = {"bone": name}
        share = getattr(constraint, "head_tail", 0.0)
        if share and getattr(constraint, "use_bbone_shape", False) and armature.data.bones[name].bbone_segments > 1:
            raise Unread("a constraint along a bent bone")
        return found | ({"head_tail": share} if share else {})
    return {"fixed": _fixed(item, name, armature)}


def _fixed(item: Any, name: str, armature: Any) -> list[float]:
    """The transform of an object that nothing moves."""
    if name:
        raise Unread(f"a constraint to a part of object {item.name!r}")
    above = item
    while above is not None:
        on_armature = above == armature and item != armature
        if on_armature or (above != armature and (above.animation_data is not None or above.constraints)):
            raise Unread(f"a constraint to object {item.name!r}, which may move")
        above = above.parent
    return [float(value) for row in item.matrix_world[:3] for value in row]


def _weighted_targets(bone: Any, constraint: Any, armature: Any, numbers: Numbers) -> list[Words]:
    if constraint.use_deform_preserve_volume or constraint.use_bone_envelopes or constraint.use_current_location:
        raise Unread("an Armature constraint that keeps volume, or weighs by envelopes")
    path = f'{bone.path_from_id()}.constraints["{bpy.utils.escape_identifier(constraint.name)}"]'
    found: list[Words] = []
    for place, target in enumerate(constraint.targets):
        if target.target != armature or not target.subtarget:
            raise Unread("an Armature constraint to another armature")
        weight = numbers.setting(f"{path}.targets[{place}].weight", target.weight)
        found.append({"bone": target.subtarget, "weight": weight})
    return found


def _axes(constraint: Any) -> Words:
    used = "".join(letter for letter in "xyz" if getattr(constraint, f"use_{letter}"))
    inverted = "".join(letter for letter in "xyz" if getattr(constraint, f"invert_{letter}", False))
    return ({"axes": used} if used != "xyz" else {}) | ({"inverted": inverted} if inverted else {})


def _order(bone: Any, constraint: Any) -> Words:
    order = constraint.euler_order
    if order == "AUTO":
        order = "XYZ" if bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE") else bone.rotation_mode
    return {"order": order} if order != "XYZ" else {}


def _copied_location(_: Any, constraint: Any) -> Words:
    return _axes(constraint) | ({"offset": True} if constraint.use_offset else {})


def _copied_rotation(bone: Any, constraint: Any) -> Words:
    return _axes(constraint) | _order(bone, constraint) | {"mix": constraint.mix_mode}


def _copied_scale(_: Any, constraint: Any) -> Words:
    found = _axes(constraint)
    if constraint.use_offset:
        found |= {"offset": True, "additive": bool(constraint.use_add)}
    if constraint.use_make_uniform:
        found["uniform"] = True
    if constraint.power != 1.0:
        found["power"] = constraint.power
    return found


def _copied_transforms(_: Any, constraint: Any) -> Words:
    if constraint.mix_mode != "REPLACE" or constraint.remove_target_shear:
        raise Unread("a Copy Transforms constraint that mixes, or removes shear")
    return {}


def _tracked(_: Any, constraint: Any) -> Words:
    axis = constraint.track_axis.removeprefix("TRACK_")
    return {"axis": axis.lower().replace("negative_", "-")}


def _stretched(_: Any, constraint: Any) -> Words:
    if constraint.keep_axis != "SWING_Y" or constraint.use_bulge_min or constraint.use_bulge_max:
        raise Unread("a Stretch To constraint that keeps a plane, or limits its bulge")
    if constraint.rest_length <= 0.0:
        raise Unread("a Stretch To constraint without a rest length")
    found: Words = {"length": constraint.rest_length, "volume": VOLUMES[constraint.volume]}
    return found | ({"bulge": constraint.bulge} if constraint.bulge != 1.0 else {})


def _moved_with(_: Any, __: Any) -> Words:
    return {}


def _limited(bone: Any, constraint: Any) -> Words:
    low, high = [-ANYWHERE] * 3, [ANYWHERE] * 3
    for axis, letter in enumerate("xyz"):
        rotation = constraint.type == "LIMIT_ROTATION"
        if getattr(constraint, f"use_limit_{letter}" if rotation else f"use_min_{letter}"):
            low[axis] = getattr(constraint, f"min_{letter}")
        if getattr(constraint, f"use_limit_{letter}" if rotation else f"use_max_{letter}"):
            high[axis] = getattr(constraint, f"max_{letter}")
    return {"low": low, "high": high} | (_order(bone, constraint) if constraint.type == "LIMIT_ROTATION" else {})


def _distanced(_: Any, constraint: Any) -> Words:
    if constraint.limit_mode != "LIMITDIST_INSIDE":
        raise Unread("a Limit Distance constraint that keeps away")
    return {"length": constraint.distance}


WRITERS = {
    "COPY_LOCATION": _copied_location,
    "COPY_ROTATION": _copied_rotation,
    "COPY_SCALE": _copied_scale,
    "COPY_TRANSFORMS": _copied_transforms,
    "DAMPED_TRACK": _tracked,
    "STRETCH_TO": _stretched,
    "ARMATURE": _moved_with,
    "LIMIT_LOCATION": _limited,
    "LIMIT_ROTATION": _limited,
    "LIMIT_SCALE": _limited,
    "LIMIT_DISTANCE": _distanced,
}
