# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of a model as controls of the rig in the scene: read, set and keyed by their names.

Units and orders are those with which a .blend is sampled: degrees about the bone's axes in its own order (bones in
quaternion or axis-angle mode: XYZ), locations and scales as the bone has them, values of shape keys and properties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from ..dials import Place, places_of

MOVED = re.compile(r"(.+)\.(location|rotation|scale)_([xyz])")
FOUR = ("QUATERNION", "AXIS_ANGLE")


class Moved(NamedTuple):
    """One number of a bone's own: ``what`` is location, rotation (degrees) or scale."""

    bone: str
    what: str
    axis: int


class Controls:
    """Controls of one character, in the order of a model's channels.

    Parameters
    ----------
    names : list of str
        Of channels.
    armature : object or None
    meshes : list of objects
        Whose shape keys and custom properties may be channels.

    Attributes
    ----------
    controls : list of Moved, Place or None
        By channel; None if the rig has no such control.
    missing : list of str
        Names that the rig has no control for: these are neither read nor set.
    """

    def __init__(self, names: Sequence[str], armature: Any | None, meshes: Sequence[Any]) -> None:
        self.armature, self.meshes = armature, list(meshes)
        places, _ = places_of(names, armature, meshes)
        self.controls = [self._moved(name) or place for name, place in zip(names, places, strict=True)]
        self.missing = [name for name, control in zip(names, self.controls, strict=True) if control is None]

    def read(self) -> np.ndarray[Any, Any]:
        """The values as they are set, NaN for what is missing."""
        return np.array([math.nan if control is None else self._value(control) for control in self.controls])

    def write(self, row: Sequence[float], only: Sequence[int] | None = None) -> None:
        """Set values; with ``only`` those of some channels."""
        turned: dict[str, dict[int, float]] = {}
        for index in range(len(row)) if only is None else only:
            control = self.controls[index]
            if isinstance(control, Place):
                _set(control, float(row[index]))
            elif control is not None and control.what == "rotation":
                turned.setdefault(control.bone, {})[control.axis] = math.radians(row[index])
            elif control is not None:
                getattr(self._bone(control), control.what)[control.axis] = float(row[index])
        for name, angles in turned.items():
            _turn(self.armature.pose.bones[name], angles)
        for item in [self.armature, *(mesh.data for mesh in self.meshes)]:
            if item is not None:
                item.update_tag()

    def key(self, frame: float, only: Sequence[int]) -> None:
        """Insert keys of some channels at their present values; a turned bone gets keys of its whole rotation."""
        for owner, path in dict.fromkeys(self._path(self.controls[index]) for index in only if self.controls[index]):
            owner.keyframe_insert(path, frame=frame)

    def _moved(self, name: str) -> Moved | None:
        found = MOVED.fullmatch(name)
        if found is None or self.armature is None or found[1] not in self.armature.pose.bones:
            return None
        return Moved(found[1], found[2], "xyz".index(found[3]))

    def _bone(self, control: Moved) -> Any:
        assert self.armature is not None
        return self.armature.pose.bones[control.bone]

    def _value(self, control: Moved | Place) -> float:
        if isinstance(control, Place):
            return float(control.holder.value if control.kind == "shape" else control.holder[control.key])
        bone = self._bone(control)
        if control.what == "rotation":
            return math.degrees(_angles(bone)[control.axis])
        return float(getattr(bone, control.what)[control.axis])

    def _path(self, control: Moved | Place | None) -> tuple[Any, str]:
        """What has a control, and the path of its keys."""
        assert control is not None
        if isinstance(control, Place):
            shape = control.kind == "shape"
            return control.holder, "value" if shape else f'["{bpy.utils.escape_identifier(control.key)}"]'
        bone = self._bone(control)
        if control.what != "rotation":
            return bone, control.what
        mode = bone.rotation_mode
        return bone, f"rotation_{mode.lower()}" if mode in FOUR else "rotation_euler"


def _set(place: Place, value: float) -> None:
    """Set a shape key or a custom property, which keeps its type."""
    holder = place.holder
    if place.kind == "shape":
        holder.value = value
    else:
        kind = type(holder[place.key])
        holder[place.key] = value if kind is float else kind(round(value))


def _angles(bone: Any) -> Any:
    """The rotation of a bone as angles in radians about its axes."""
    if bone.rotation_mode == "QUATERNION":
        return bone.rotation_quaternion.normalized().to_euler("XYZ")
    if bone.rotation_mode == "AXIS_ANGLE":
        angle, *axis = bone.rotation_axis_angle
        return Quaternion(axis, angle).to_euler("XYZ")
    return bone.rotation_euler


def _turn(bone: Any, changed: dict[int, float]) -> None:
    angles = list(_angles(bone))
    for axis, angle in changed.items():
        angles[axis] = angle
    if bone.rotation_mode == "QUATERNION":
        turn = Euler(angles, "XYZ").to_quaternion()
        if turn.dot(bone.rotation_quaternion) < 0.0:  # the same rotation, near the key before
            turn.negate()
        bone.rotation_quaternion = turn
    elif bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = Euler(angles, "XYZ").to_quaternion().to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis)
    else:
        bone.rotation_euler = angles
