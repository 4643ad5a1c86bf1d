"""Writing channel values into a file's bones, shape keys and properties, and undoing it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mathutils import Euler

from .channels import Channel

Array = np.ndarray[Any, Any]
NUMERIC = ("shape", "property")


class Writer:
    """Sets a row of channel values; everything that is no channel stays in its bind state."""

    def __init__(self, meshes: list[Any], armature: Any | None, channels: list[Channel], held: list[Channel]) -> None:
        self.meshes, self.armature, self.channels = meshes, armature, channels
        self.columns = np.array([i for i, c in enumerate(channels) if c.kind in NUMERIC], int)
        self._integer = np.zeros(len(channels), bool)
        self._setters: list[Callable[[list[float]], None]] = []
        for (kind, target, mesh), members in _grouped(channels).items():
            self._setters.append(self._setter(kind, target, members, mesh))
        self._undo = _snapshot(meshes, armature)
        self._to_bind_state()
        row = [channel.low for channel in held]
        for (kind, target, mesh), members in _grouped(held).items():
            self._setter(kind, target, members, mesh, fixed=True)(row)

    def write(self, row: Array) -> Array:
        """Set all channels from a row of values; gives the numeric controls as they were set."""
        values = np.where(self._integer, np.rint(row), row)
        listed = values.tolist()
        for setter in self._setters:
            setter(listed)
        if self.armature is not None:
            self.armature.update_tag()
        return np.asarray(values[self.columns])

    def read(self) -> Array:
        """The numeric controls as they are."""
        return np.array([self.value(self.channels[column]) for column in self.columns], np.float64)

    def value(self, channel: Channel) -> float:
        """The value of a numeric control as it is."""
        if channel.kind == "shape":
            return float(self.meshes[channel.mesh].data.shape_keys.key_blocks[channel.target].value)
        assert self.armature is not None
        prefix, key = channel.target.split("\0")
        return float((self.armature if prefix == "property" else self.armature.pose.bones[prefix])[key])

    @property
    def whole_channels(self) -> list[str]:
        """Names of the channels that are rounded before they are set."""
        return [channel.name for channel, whole in zip(self.channels, self._integer, strict=True) if whole]

    def restore(self) -> None:
        """Put back what the user had set."""
        for put_back in self._undo:
            put_back()

    def _to_bind_state(self) -> None:
        for mesh in self.meshes:
            mesh.show_only_shape_key = False
        for item in _animated(self.meshes, self.armature):
            if item.animation_data is not None:
                item.animation_data.action = None
                item.animation_data.use_nla = False
        for bone in self.armature.pose.bones if self.armature else ():
            bone.location, bone.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
            bone.rotation_euler = (0.0, 0.0, 0.0)
            bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
            bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)

    def _setter(
        self, kind: str, target: str, members: list[tuple[int, int]], mesh: int, fixed: bool = False
    ) -> Callable[[list[float]], None]:
        if kind == "shape":
            key, column = self.meshes[mesh].data.shape_keys.key_blocks[target], members[0][1]
            return lambda row: setattr(key, "value", row[column])
        if kind == "property":
            return self._property_setter(target, members[0][1], fixed)
        assert self.armature is not None
        bone = self.armature.pose.bones[target]
        if kind == "rotation":
            return _rotation_setter(bone, members)
        vector = [1.0] * 3 if kind == "scale" else [0.0] * 3

        def assign(row: list[float]) -> None:
            for axis, column in members:
                vector[axis] = row[column]
            setattr(bone, kind, vector)

        return assign

    def _property_setter(self, target: str, column: int, fixed: bool) -> Callable[[list[float]], None]:
        assert self.armature is not None
        prefix, key = target.split("\0")
        owner = self.armature if prefix == "property" else self.armature.pose.bones[prefix]
        kind = type(owner[key])
        if kind is not float and not fixed:
            self._integer[column] = True

        def assign(row: list[float]) -> None:
            owner[key] = kind(round(row[column])) if kind is not float else row[column]

        return assign


def _grouped(channels: list[Channel]) -> dict[tuple[str, str, int], list[tuple[int, int]]]:
    """(kind, target, mesh) to its (axis, column) pairs."""
    groups: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
    for column, channel in enumerate(channels):
        groups.setdefault((channel.kind, channel.target, channel.mesh), []).append((channel.axis, column))
    return groups


def _animated(meshes: list[Any], armature: Any | None) -> list[Any]:
    """What actions may move: the meshes, the armature, shape keys."""
    return [item for item in (*meshes, armature, *(mesh.data.shape_keys for mesh in meshes)) if item is not None]


def _rotation_setter(bone: Any, members: list[tuple[int, int]]) -> Callable[[list[float]], None]:
    """Degrees about the bone's axes in its own order; quaternion and axis-angle bones take XYZ angles."""
    angles = [0.0, 0.0, 0.0]
    mode = bone.rotation_mode

    def assign(row: list[float]) -> None:
        for axis, column in members:
            angles[axis] = math.radians(row[column])
        if mode == "QUATERNION":
            bone.rotation_quaternion = Euler(angles, "XYZ").to_quaternion()
        elif mode == "AXIS_ANGLE":
            axis_vector, angle = Euler(angles, "XYZ").to_quaternion().to_axis_angle()
            bone.rotation_axis_angle = (angle, *axis_vector)
        else:
            bone.rotation_euler = angles

    return assign


def _snapshot(meshes: list[Any], armature: Any | None) -> list[Callable[[], None]]:
    """What to call to bring back bones, shape keys, properties and actions."""
    undo: list[Callable[[], None]] = []

    def remember(owner: Any, attribute: str) -> None:
        value = getattr(owner, attribute)
        value = value[:] if hasattr(value, "__len__") and not isinstance(value, str) else value
        undo.append(lambda: setattr(owner, attribute, value))

    def remember_item(owner: Any, key: str) -> None:
        value = owner[key]
        undo.append(lambda: owner.__setitem__(key, value))

    for mesh in meshes:
        remember(mesh, "show_only_shape_key")
        keys = mesh.data.shape_keys
        for key in keys.key_blocks if keys else ():
            remember(key, "value")
    if armature is not None:
        for bone in armature.pose.bones:
            for attribute in ("location", "scale", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
                remember(bone, attribute)
        for owner in (armature, *armature.pose.bones):
            for key, value in owner.items():
                if isinstance(value, (bool, int, float)):
                    remember_item(owner, key)
    for item in _animated(meshes, armature):
        if item.animation_data is not None:
            remember(item.animation_data, "use_nla")
            remember(item.animation_data, "action")
            if getattr(item.animation_data, "action_slot", None) is not None:
                remember(item.animation_data, "action_slot")
    return undo
