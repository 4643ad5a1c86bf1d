"""Writing channel values into a file's bones, shape keys and properties, and undoing it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from mathutils import Euler

from ..describe.channels import Channel, bone_value, numbers_of

Array = np.ndarray[Any, Any]
NUMERIC = ("shape", "property")


class Writer:
    """Sets a row of channel values; everything that is no channel stays as it was saved, without its actions."""

    def __init__(self, meshes: list[Any], armature: Any | None, channels: list[Channel], held: list[Channel]) -> None:
        self.meshes, self.armature, self.channels = meshes, armature, channels
        self.columns = np.array([i for i, c in enumerate(channels) if c.kind in NUMERIC], int)
        self._integer = np.zeros(len(channels), bool)
        self._setters: list[Callable[[list[float]], None]] = []
        for (kind, target, mesh), members in _grouped(channels).items():
            self._setters.append(self._setter(kind, target, members, mesh))
        self._values, self._animation = _values(meshes, armature), _animation(meshes, armature)
        self._holds = [
            partial(self._setter(kind, target, members, mesh, fixed=True), [channel.low for channel in held])
            for (kind, target, mesh), members in _grouped(held).items()
        ]
        self.hold()

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

    def numbers(self) -> dict[str, Array]:
        """Properties and shape keys by the names of their channels, as they are, channels or not."""
        found = dict[str, Array]()
        for mesh in self.meshes:
            keys = mesh.data.shape_keys
            found |= {f"shape.{key.name}": np.array([key.value]) for key in (keys.key_blocks if keys else ())}
        if self.armature is not None:
            for prefix, _, key, value in numbers_of(self.armature):
                found[f"{prefix}.{key}"] = np.array([float(value)])
        return found

    @property
    def whole_channels(self) -> list[str]:
        """Names of the channels that are rounded before they are set."""
        return [channel.name for channel, whole in zip(self.channels, self._integer, strict=True) if whole]

    def restore(self) -> None:
        """Put back what the user had set."""
        for put_back in (*self._values, *self._animation):
            put_back()

    def as_saved(self) -> None:
        """Give bones, shape keys and properties the values that they were saved with; no action plays."""
        for put_back in self._values:
            put_back()
        self._stop_actions()

    def hold(self) -> None:
        """No action plays, and what is held has its value: all that :meth:`write` does not set."""
        self._stop_actions()
        for hold in self._holds:
            hold()

    def _stop_actions(self) -> None:
        for mesh in self.meshes:
            mesh.show_only_shape_key = False
        for item in _animated(self.meshes, self.armature):
            if item.animation_data is not None:
                item.animation_data.action = None
                item.animation_data.use_nla = False

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
        vector = list(getattr(bone, kind))

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
    """The data blocks that actions may move: the meshes, the armature, shape keys."""
    return [item for item in (*meshes, armature, *(mesh.data.shape_keys for mesh in meshes)) if item is not None]


def _rotation_setter(bone: Any, members: list[tuple[int, int]]) -> Callable[[list[float]], None]:
    """Degrees about the bone's axes in its own order; quaternion and axis-angle bones take XYZ angles."""
    angles = [math.radians(bone_value(bone, "rotation", axis)) for axis in range(3)]
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


Undo = list[Callable[[], None]]


def _values(meshes: list[Any], armature: Any | None) -> Undo:
    """The calls that bring back bones, shape keys and properties."""
    undo: Undo = []
    for mesh in meshes:
        _remember(undo, mesh, "show_only_shape_key")
        keys = mesh.data.shape_keys
        for key in keys.key_blocks if keys else ():
            _remember(undo, key, "value")
    if armature is None:
        return undo
    for bone in armature.pose.bones:
        for attribute in ("location", "scale", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"):
            _remember(undo, bone, attribute)
    for _, owner, key, value in numbers_of(armature):
        undo.append(partial(owner.__setitem__, key, value))
    return undo


def _animation(meshes: list[Any], armature: Any | None) -> Undo:
    """The calls that bring back actions and NLA tracks."""
    undo: Undo = []
    for item in _animated(meshes, armature):
        if item.animation_data is not None:
            _remember(undo, item.animation_data, "use_nla")
            _remember(undo, item.animation_data, "action")
            if getattr(item.animation_data, "action_slot", None) is not None:
                _remember(undo, item.animation_data, "action_slot")
    return undo


def _remember(undo: Undo, owner: Any, attribute: str) -> None:
    value = getattr(owner, attribute)
    value = value[:] if hasattr(value, "__len__") and not isinstance(value, str) else value
    undo.append(partial(setattr, owner, attribute, value))
