"""What an artist can turn in a file: bone rotations, locations and scales, shape keys, custom properties."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import bpy

from .objects import InputError

AXES = "xyz"
DEFAULT_ROTATION = 30.0  # degrees, for deforming bones of a file that limits nothing
UNBOUNDED = 1e6  # Blender writes "no range" as the largest float or int
KINDS = {"LIMIT_ROTATION": "rotation", "LIMIT_LOCATION": "location", "LIMIT_SCALE": "scale"}


@dataclass
class Channel:
    """One channel: where it is written, its range and its value in the bind state."""

    name: str
    kind: str  # "rotation" (degrees), "location", "scale", "shape", "property"
    target: str  # bone, or shape key, or property path
    axis: int
    low: float
    high: float
    rest: float


@dataclass
class Found:
    """The channels of a file, in order, those that are held at one value, and what the user should know."""

    channels: list[Channel] = field(default_factory=list)
    held: list[Channel] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def find_channels(mesh: Any, armature: Any | None, limits: dict[str, tuple[float, float]] | None) -> Found:
    """All channels of a mesh object and its armature object.

    Parameters
    ----------
    limits : dict, optional
        Ranges by channel name from the user's file; they replace those found in the .blend, and add channels to it.
    """
    found = Found()
    candidates = _bone_channels(armature, found.notes) if armature else []
    limited = any(low is not None for _, low, _ in candidates)
    if candidates and not limited and not limits:
        found.notes.append(
            f"the file limits no bone: rotations of deforming bones range over +-{DEFAULT_ROTATION:g} degrees"
        )
        candidates = [_default_range(armature, *item) for item in candidates]
    candidates += _shape_channels(mesh, found.notes)
    candidates += _property_channels(armature, found.notes) if armature else []
    _apply_limits(candidates, limits or {}, found)
    return found


def driven_paths(owner: Any) -> set[tuple[str, int]]:
    """Data paths (with array index) under a driver, which overwrites whatever a user sets there."""
    data = owner.animation_data
    return {(curve.data_path, curve.array_index) for curve in data.drivers} if data else set()


Candidate = tuple[Channel, "float | None", "float | None"]


def _bone_channels(armature: Any, notes: list[str]) -> list[Candidate]:
    driven = driven_paths(armature)
    candidates: list[Candidate] = []
    for bone in armature.pose.bones:
        ranges = _constraint_ranges(bone, notes)
        for kind, locks in (
            ("location", bone.lock_location),
            ("rotation", bone.lock_rotation),
            ("scale", bone.lock_scale),
        ):
            for axis in range(3):
                if locks[axis] or _is_driven(bone, kind, axis, driven):
                    continue
                if kind == "location" and bone.bone.use_connect:
                    continue
                low, high = ranges.get((kind, axis), (None, None))
                name = f"{bone.name}.{kind}_{AXES[axis]}"
                rest = 1.0 if kind == "scale" else 0.0
                candidates.append((Channel(name, kind, bone.name, axis, 0.0, 0.0, rest), low, high))
    return candidates


def _is_driven(bone: Any, kind: str, axis: int, driven: set[tuple[str, int]]) -> bool:
    path = bone.path_from_id()
    if kind != "rotation":
        return (f"{path}.{kind}", axis) in driven
    if bone.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        attribute = "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_axis_angle"
        return any((f"{path}.{attribute}", index) in driven for index in range(4))
    return (f"{path}.rotation_euler", axis) in driven


def _constraint_ranges(bone: Any, notes: list[str]) -> dict[tuple[str, int], tuple[float, float]]:
    """Ranges from the bone's active limit constraints, degrees for rotations; axes with both ends only."""
    ranges: dict[tuple[str, int], tuple[float, float]] = {}
    for constraint in bone.constraints:
        kind = KINDS.get(constraint.type)
        if kind is None or constraint.mute or constraint.influence == 0.0:
            continue
        if constraint.owner_space != "LOCAL":
            notes.append(
                f"bone {bone.name!r}: {constraint.name!r} limits in {constraint.owner_space} space and gives no range"
            )
            continue
        for axis, letter in enumerate(AXES):
            if kind == "rotation":
                bounded = getattr(constraint, f"use_limit_{letter}")
            else:
                bounded = getattr(constraint, f"use_min_{letter}") and getattr(constraint, f"use_max_{letter}")
            if bounded:
                low, high = getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
                scale = 180.0 / math.pi if kind == "rotation" else 1.0
                ranges[kind, axis] = (_tidy(low * scale), _tidy(high * scale))
    return ranges


def _tidy(value: float) -> float:
    """Undo the float32 and radian rounding of a limit that was typed in degrees."""
    return round(value, 4) + 0.0


def _default_range(armature: Any, channel: Channel, low: float | None, high: float | None) -> Candidate:
    if channel.kind == "rotation" and armature.data.bones[channel.target].use_deform:
        return channel, -DEFAULT_ROTATION, DEFAULT_ROTATION
    return channel, low, high


def _shape_channels(mesh: Any, notes: list[str]) -> list[Candidate]:
    keys = mesh.data.shape_keys
    if keys is None:
        return []
    if not keys.use_relative:
        notes.append("the shape keys are absolute (played by time) and give no channels")
        return []
    driven = {path for path, _ in driven_paths(keys)}
    candidates: list[Candidate] = []
    for key in keys.key_blocks:
        if key == keys.reference_key or key.mute or key.path_from_id("value") in driven:
            continue
        channel = Channel(f"shape.{key.name}", "shape", key.name, 0, 0.0, 0.0, _tidy(key.value))
        candidates.append((channel, key.slider_min, key.slider_max))
    return candidates


def _property_channels(armature: Any, notes: list[str]) -> list[Candidate]:
    driven = {path for path, _ in driven_paths(armature)}
    owners = [("property", armature)] + [(bone.name, bone) for bone in armature.pose.bones]
    candidates: list[Candidate] = []
    for prefix, owner in owners:
        for key, value in owner.items():
            # Add-ons register their own settings as properties of every object: those are no dials of this rig.
            if not isinstance(value, (bool, int, float)) or key in owner.bl_rna.properties:
                continue
            path = f'["{bpy.utils.escape_identifier(key)}"]'
            if (path if owner == armature else owner.path_from_id() + path) in driven:
                continue
            low, high = _property_range(owner, key, value)
            channel = Channel(f"{prefix}.{key}", "property", f"{prefix}\0{key}", 0, 0.0, 0.0, float(value))
            if low is None:
                notes.append(f"custom property {prefix}.{key} has no range and is no channel")
            candidates.append((channel, low, high))
    return candidates


def _property_range(owner: Any, key: str, value: Any) -> tuple[float | None, float | None]:
    if isinstance(value, bool):
        return 0.0, 1.0
    ui = owner.id_properties_ui(key).as_dict()
    low = max(ui["min"], ui.get("soft_min", ui["min"]))
    high = min(ui["max"], ui.get("soft_max", ui["max"]))
    if abs(low) > UNBOUNDED or abs(high) > UNBOUNDED:
        return None, None
    return _tidy(low), _tidy(high)


def _apply_limits(candidates: list[Candidate], limits: dict[str, tuple[float, float]], found: Found) -> None:
    names = {channel.name for channel, _, _ in candidates}
    unknown = [name for name in limits if name not in names]
    if unknown:
        raise InputError("limits", f"a file with the channel {unknown[0]!r}", f"made of {_some(sorted(names))}")
    for channel, low, high in candidates:
        if channel.name in limits:
            low, high = limits[channel.name]
        if low is None or high is None:
            continue
        channel.low, channel.high = float(low), float(high)
        channel.rest = min(max(channel.rest, channel.low), channel.high)
        (found.channels if channel.low < channel.high else found.held).append(channel)


def _some(names: list[str], count: int = 12) -> str:
    shown = ", ".join(repr(name) for name in names[:count])
    return shown + (f" and {len(names) - count} more" if len(names) > count else "")
