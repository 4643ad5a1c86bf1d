"""The origin of every number of a rig's bones: a channel, what is held, a driver, or the value it was saved with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import bpy

from ..describe.channels import Channel, bone_value
from ..describe.paths import AXES, BONE, PROPERTY
from .expressions import Expression, Unread, applied, of_driver

KINDS = {"location": "location", "rotation_euler": "rotation", "scale": "scale"}


class Numbers:
    """Expressions of the channels for properties, bone transforms and settings of constraints.

    Parameters
    ----------
    armature : bpy object
    channels, held : lists of Channel
        What the rig is driven by, and what is held at one value.
    """

    def __init__(self, armature: Any, channels: Iterable[Channel], held: Iterable[Channel]) -> None:
        self._armature = armature
        self._set: dict[tuple[str, str, int], Expression] = {
            **{(c.kind, c.target, c.axis): c.low for c in held},
            **{(c.kind, c.target, c.axis): [f"${c.name}"] for c in channels},
        }
        data = armature.animation_data
        curves = [] if data is None else [curve for curve in data.drivers if not curve.mute]
        self._drivers = {(curve.data_path, curve.array_index): curve for curve in curves}
        self._compiling = set[tuple[str, int]]()

    def own(self, bone: Any) -> dict[str, Expression]:
        """The own transform of a bone: what differs from 0, of scales from 1."""
        found = {f"{kind}_{letter}": self.of_bone(bone, kind, axis)
                 for kind in KINDS.values() for axis, letter in enumerate(AXES)}  # fmt: skip
        return {key: value for key, value in found.items() if value != float(key.startswith("scale"))}

    def of_bone(self, bone: Any, kind: str, axis: int) -> Expression:
        """Location, rotation (radians) or scale of a bone along one of its axes."""
        path = bone.path_from_id()
        attribute = "rotation_euler" if kind == "rotation" else kind
        if kind == "rotation" and bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
            attribute = f"rotation_{bone.rotation_mode.lower()}"
            if any((f"{path}.{attribute}", index) in self._drivers for index in range(4)):
                raise Unread("a driver on a quaternion")
        elif (f"{path}.{attribute}", axis) in self._drivers:
            return self._driven(f"{path}.{attribute}", axis)
        value = self._set.get((kind, bone.name, axis), bone_value(bone, kind, axis))
        if kind != "rotation":
            return value
        return applied("radians", value) if isinstance(value, list) else math.radians(value)

    def setting(self, path: str, value: float) -> Expression:
        """A setting of a constraint: its driver's, or its value."""
        return self._driven(path, 0) if (path, 0) in self._drivers else float(value)

    def influence(self, bone: Any, constraint: Any) -> Expression:
        """The influence of a constraint, 0 where it is muted."""
        path = f'{bone.path_from_id()}.constraints["{bpy.utils.escape_identifier(constraint.name)}"]'
        influence = self.setting(f"{path}.influence", constraint.influence)
        muted = self.setting(f"{path}.mute", constraint.mute)
        if isinstance(muted, list):
            return applied("*", influence, applied("not", muted))
        return 0.0 if muted else influence

    def is_active(self, bone: Any, constraint: Any) -> bool:
        """Return True if a constraint may do anything."""
        return constraint.is_valid and self.influence(bone, constraint) != 0.0

    def _driven(self, path: str, index: int) -> Expression:
        if (path, index) in self._compiling:
            raise Unread("drivers that read each other")
        self._compiling.add((path, index))
        try:
            return of_driver(self._drivers[path, index], self._variable)
        finally:
            self._compiling.discard((path, index))

    def _variable(self, variable: Any) -> Expression:
        target = variable.targets[0]
        if variable.type == "SINGLE_PROP":
            return self._property(target.id, target.data_path)
        if variable.type == "TRANSFORMS" and target.id == self._armature and target.bone_target:
            return self._transform(target)
        raise Unread(f"a driver that reads {variable.type.lower().replace('_', ' ')}")

    def _property(self, owner: Any, path: str) -> Expression:
        if owner != self._armature:
            return self._constant(owner, path)
        found = BONE.match(path)
        name = bpy.utils.unescape_identifier(found[1]) if found else ""
        rest = path[found.end() :] if found else path
        if name and name not in self._armature.pose.bones:
            raise Unread(f"a driver that reads bone {name!r}, which does not exist")
        if custom := PROPERTY.fullmatch(rest):
            key = bpy.utils.unescape_identifier(custom[1])
            if (path, 0) in self._drivers:
                return self._driven(path, 0)
            given = self._set.get(("property", f"{name or 'property'}\0{key}", 0))
            return self._saved(name, key) if given is None else given
        attribute, axis = _element(rest.removeprefix("."))
        if name and attribute in KINDS:
            bone = self._armature.pose.bones[name]
            if attribute == "rotation_euler" and bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
                raise Unread("a driver that reads angles which the bone does not use")
            return self.of_bone(bone, KINDS[attribute], axis)
        raise Unread(f"a driver that reads {path}")

    def _saved(self, name: str, key: str) -> float:
        owner = self._armature.pose.bones[name] if name else self._armature
        value = owner.get(key)
        if not isinstance(value, (bool, int, float)):
            raise Unread(f"a driver that reads property {key!r} of {name or self._armature.name!r}, which is no number")
        return float(value)

    def _constant(self, owner: Any, path: str) -> float:
        """A number of something else, which nothing may move."""
        moved = owner is None or owner.animation_data is not None or not isinstance(owner, bpy.types.Object)
        if moved:
            raise Unread(f"a driver that reads {path} of {owner.name if owner else 'nothing'}")
        try:
            return float(owner.path_resolve(path))
        except (ValueError, TypeError) as error:
            raise Unread(f"a driver that reads {path} of {owner.name}") from error

    def _transform(self, target: Any) -> Expression:
        """A bone's own transform, in the order of its rotation mode, where nothing else poses the bone."""
        bone = self._armature.pose.bones.get(target.bone_target)
        kind, _, letter = target.transform_type.partition("_")
        kinds = {"LOC": "location", "ROT": "rotation", "SCALE": "scale"}
        free = bone is not None and not any(self.is_active(bone, constraint) for constraint in bone.constraints)
        own_order = target.rotation_mode in ("AUTO", bone.rotation_mode if bone else "")
        if not free or kind not in kinds or letter not in ("X", "Y", "Z") or target.transform_space != "LOCAL_SPACE":
            raise Unread("a driver that reads the transform of a bone that constraints pose")
        if kind == "ROT" and not own_order:
            raise Unread("a driver that reads a rotation in another order")
        return self.of_bone(bone, kinds[kind], "XYZ".index(letter))


def _element(path: str) -> tuple[str, int]:
    """The attribute and the axis of ``location[0]`` or ``location.x``; axis -1 for anything else."""
    for axis, letter in enumerate(AXES):
        for end in (f"[{axis}]", f".{letter}"):
            if path.endswith(end):
                return path.removesuffix(end), axis
    return path, -1
