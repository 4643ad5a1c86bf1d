# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of a model as controls of the rig in the scene: read, set and keyed by their names.

Units and orders are those with which a .blend is sampled: degrees about the bone's axes in its own order (bones in
quaternion or axis-angle mode: XYZ), locations and scales as the bone has them, values of shape keys and properties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Quaternion

MOVED = re.compile(r"(.+)\.(location|rotation|scale)_([xyz])")
FOUR = ("QUATERNION", "AXIS_ANGLE")


@dataclass(frozen=True)
class Control:
    """One number of the rig.

    Attributes
    ----------
    kind : str
        ``location``, ``rotation`` (degrees), ``scale``, ``property`` or ``shape``.
    owner : str
        Bone, or mesh of a shape key; empty for the armature itself.
    key : str
        Custom property or shape key.
    axis : int
    """

    kind: str
    owner: str = ""
    key: str = ""
    axis: int = 0


class Controls:
    """Controls of one character, in the order of a model's channels.

    Parameters
    ----------
    names : list of str
        Of channels.
    armature : object or None
    meshes : list of objects
        Whose shape keys may be channels.

    Attributes
    ----------
    missing : list of str
        Names that the rig has no control for: these are neither read nor set.
    """

    def __init__(self, names: Sequence[str], armature: Any | None, meshes: Sequence[Any]) -> None:
        self.armature, self.meshes = armature, {mesh.name: mesh for mesh in meshes}
        self.controls = [self._find(name) for name in names]
        self.missing = [name for name, control in zip(names, self.controls, strict=True) if control is None]

    def read(self) -> np.ndarray[Any, Any]:
        """The values as they are set, NaN for what is missing."""
        return np.array([math.nan if control is None else self._value(control) for control in self.controls])

    def write(self, row: Sequence[float], only: Sequence[int] | None = None) -> None:
        """Set values; with ``only`` those of some channels."""
        turned: dict[str, dict[int, float]] = {}
        for index in range(len(row)) if only is None else only:
            control = self.controls[index]
            if control is None:
                continue
            if control.kind == "rotation":
                turned.setdefault(control.owner, {})[control.axis] = math.radians(row[index])
            else:
                self._set(control, float(row[index]))
        for name, angles in turned.items():
            _turn(self._bone(name), angles)
        for item in [self.armature, *(mesh.data for mesh in self.meshes.values())]:
            if item is not None:
                item.update_tag()

    def key(self, frame: float, only: Sequence[int]) -> None:
        """Insert keys of some channels at their present values; a turned bone gets keys of its whole rotation."""
        for owner, path in dict.fromkeys(self._path(self.controls[index]) for index in only if self.controls[index]):
            owner.keyframe_insert(path, frame=frame)

    def _find(self, name: str) -> Control | None:
        bones = self.armature.pose.bones if self.armature is not None else {}
        moved = MOVED.fullmatch(name)
        if moved is not None and moved[1] in bones:
            return Control(moved[2], moved[1], axis="xyz".index(moved[3]))
        first, _, rest = name.partition(".")
        if first == "property" and self.armature is not None and rest in self.armature:
            return Control("property", key=rest)
        if first == "shape":
            return self._shape(rest)
        places = [place for place, letter in enumerate(name) if letter == "."]
        for place in reversed(places):
            if name[:place] in bones and name[place + 1 :] in bones[name[:place]]:
                return Control("property", name[:place], name[place + 1 :])
        return None

    def _shape(self, name: str) -> Control | None:
        for mesh in self.meshes.values():
            keys = mesh.data.shape_keys
            for key in (name, name[len(mesh.name) + 1 :] if name.startswith(f"{mesh.name}.") else name):
                if keys is not None and key in keys.key_blocks:
                    return Control("shape", mesh.name, key)
        return None

    def _bone(self, name: str) -> Any:
        assert self.armature is not None
        return self.armature.pose.bones[name]

    def _value(self, control: Control) -> float:
        if control.kind == "shape":
            return float(self._key_block(control).value)
        if control.kind == "property":
            return float(self._owner(control)[control.key])
        bone = self._bone(control.owner)
        if control.kind == "rotation":
            return math.degrees(_angles(bone)[control.axis])
        return float(getattr(bone, control.kind)[control.axis])

    def _set(self, control: Control, value: float) -> None:
        if control.kind == "shape":
            self._key_block(control).value = value
        elif control.kind == "property":
            kind = type(self._owner(control)[control.key])
            self._owner(control)[control.key] = value if kind is float else kind(round(value))
        else:
            getattr(self._bone(control.owner), control.kind)[control.axis] = value

    def _owner(self, control: Control) -> Any:
        return self._bone(control.owner) if control.owner else self.armature

    def _key_block(self, control: Control) -> Any:
        return self.meshes[control.owner].data.shape_keys.key_blocks[control.key]

    def _path(self, control: Control | None) -> tuple[Any, str]:
        assert control is not None
        if control.kind == "shape":
            return self._key_block(control), "value"
        if control.kind == "property":
            return self._owner(control), f'["{bpy.utils.escape_identifier(control.key)}"]'
        bone = self._bone(control.owner)
        if control.kind != "rotation":
            return bone, control.kind
        mode = bone.rotation_mode
        return bone, f"rotation_{mode.lower()}" if mode in FOUR else "rotation_euler"


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
