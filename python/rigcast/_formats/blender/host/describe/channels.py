"""The channels that an artist can turn in a file: bone rotations, locations and scales, shape keys, custom
properties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
from mathutils import Quaternion

from ..control_rigs.joint_limits import Reach
from ..control_rigs.recognition import ControlSets
from .controls import Control
from .influences import driven_paths
from .paths import AXES

MOST_NAMED = 6  # in a note
UNBOUNDED = 1e6  # Blender writes "no range" as the largest float or int
# Where a range comes from.
FILE, ACTIONS, PEOPLE, DEGREES = "file", "actions", "people", "degrees"
LIMITS_FILE, SAVED = "limits file", "saved"
KINDS = {"LIMIT_ROTATION": "rotation", "LIMIT_LOCATION": "location", "LIMIT_SCALE": "scale"}


@dataclass
class Channel:
    """One channel: where it is written, its range, its value in the bind state, and its value as the file was saved."""

    name: str
    kind: str  # "rotation" (degrees), "location", "scale", "shape", "property"
    target: str  # bone, or shape key, or property path
    axis: int
    low: float
    high: float
    rest: float
    source: str = ""  # where the range comes from, in words
    origin: str = FILE  # and as one of the words above
    mesh: int = 0  # whose shape key, among the meshes
    saved: float = 0.0
    turn: tuple[float, ...] = ()  # the quaternion, or angle and axis, that its bone was saved with


@dataclass
class Candidate:
    """A possible channel, its range if it has one, and why it has none if a constraint decides it."""

    channel: Channel
    low: float | None = None
    high: float | None = None
    withheld: str = ""
    file_range: tuple[float, float] | None = None  # of a property
    carries: bool = False  # its bone carries the body: a channel even if it is held at one value

    def give(self, low: float, high: float, source: str, origin: str = FILE) -> None:
        """A range, and where it comes from."""
        self.low, self.high, self.channel.source, self.channel.origin = low, high, source, origin

    def hold(self, why: str) -> None:
        """The value that was saved, and no other."""
        self.give(self.channel.saved, self.channel.saved, f"held as saved: {why}", SAVED)


@dataclass
class Found:
    """The channels that a file offers.

    Attributes
    ----------
    channels, held : lists of Channel
        In order; those that are held at one value.
    without_range : list of Candidate
        What could be a channel.
    driven : dict
        What would be a channel but for a driver, by name, with what the driver reads.
    controls, moved : dicts
        See :func:`.controls.controls_of` and :func:`.controls.moved_bones`.
    swung : set of str
        See :func:`.controls.swung_bones`.
    carriers : set of str
        Bones that meshes hang on as rigid pieces.
    inner : set of str
        Properties that act on bones alone.
    notes : list of str
        What the user should know.
    sets : ControlSets, optional
        Which controls pose limbs by FK and which by IK.
    reaches : list of Reach
        Where the IK targets of these limbs can go.
    assumed : str
        What ranges were taken for lack of any in the file, in one line.
    """

    channels: list[Channel] = field(default_factory=list)
    held: list[Channel] = field(default_factory=list)
    without_range: list[Candidate] = field(default_factory=list)
    driven: dict[str, str] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    swung: set[str] = field(default_factory=set)
    carriers: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    sets: ControlSets | None = None
    reaches: list[Reach] = field(default_factory=list)
    assumed: str = ""


def bone_candidates(armature: Any, found: Found) -> list[Candidate]:
    driven = driven_paths(armature)
    candidates: list[Candidate] = []
    for bone in armature.pose.bones:
        given = _constraint_ranges(bone, found.notes)
        turn = tuple(bone.rotation_axis_angle if bone.rotation_mode == "AXIS_ANGLE" else bone.rotation_quaternion)
        withheld = found.moved.get(bone.name, "")
        if withheld and any(kind == "rotation" for kind, _ in given):
            found.notes.append(f"bone {bone.name!r}: its Limit Rotation gives no range: {withheld} decides it")
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
                name = f"{bone.name}.{kind}_{AXES[axis]}"
                saved = bone_value(bone, kind, axis)
                channel = Channel(name, kind, bone.name, axis, 0.0, 0.0, float(kind == "scale"), saved=saved, turn=turn)
                candidate = Candidate(channel)
                if kind == "rotation" and withheld:
                    candidate.withheld = withheld
                elif (kind, axis) in given:
                    candidate.give(*given[kind, axis], f"Limit {kind.capitalize()} of the bone")
                candidates.append(candidate)
    return candidates


def bone_value(bone: Any, kind: str, axis: int) -> float:
    """The present location, rotation (degrees) or scale of a bone; quaternion and axis-angle bones give XYZ angles."""
    if kind != "rotation":
        return float(getattr(bone, kind)[axis])
    if bone.rotation_mode == "QUATERNION":
        return math.degrees(bone.rotation_quaternion.normalized().to_euler("XYZ")[axis])
    if bone.rotation_mode == "AXIS_ANGLE":
        angle, *direction = bone.rotation_axis_angle
        return math.degrees(Quaternion(direction, angle).to_euler("XYZ")[axis])
    return math.degrees(bone.rotation_euler[axis])


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


def shape_candidates(meshes: list[Any], notes: list[str]) -> list[Candidate]:
    candidates: list[Candidate] = []
    for place, mesh in enumerate(meshes):
        keys = mesh.data.shape_keys
        if keys is None:
            continue
        if not keys.use_relative:
            notes.append(f"the shape keys of mesh {mesh.name!r} are absolute (played by time) and give no channels")
            continue
        driven = {path for path, _ in driven_paths(keys)}
        for key in keys.key_blocks:
            if key == keys.reference_key or key.mute or key.path_from_id("value") in driven:
                continue
            channel = Channel(shape_name(meshes, place, key.name), "shape", key.name, 0, 0.0, 0.0, _tidy(key.value))
            channel.mesh, channel.saved = place, float(key.value)
            candidate = Candidate(channel)
            candidate.give(key.slider_min, key.slider_max, "the shape key's slider")
            candidates.append(candidate)
    return candidates


def shape_name(meshes: list[Any], place: int, key: str) -> str:
    """``shape.KEY``, or ``shape.MESH.KEY`` where several of the meshes have a key of that name."""
    blocks = [mesh.data.shape_keys for mesh in meshes]
    several = sum(block is not None and key in block.key_blocks for block in blocks) > 1
    return f"shape.{meshes[place].name}.{key}" if several else f"shape.{key}"


def property_candidates(armature: Any, notes: list[str]) -> list[Candidate]:
    driven = {path for path, _ in driven_paths(armature)}
    candidates: list[Candidate] = []
    unbounded = []
    for prefix, owner, key, value in numbers_of(armature):
        path = f'["{bpy.utils.escape_identifier(key)}"]'
        if (path if owner == armature else owner.path_from_id() + path) in driven:
            continue
        low, high = _property_range(owner, key, value)
        target = f"{prefix}\0{key}"
        channel = Channel(f"{prefix}.{key}", "property", target, 0, 0.0, 0.0, float(value), saved=float(value))
        candidate = Candidate(channel)
        if low is None or high is None:
            unbounded.append(f"{prefix}.{key}")
        else:
            candidate.file_range = low, high
            candidate.give(low, high, "the property's range")
        candidates.append(candidate)
    if unbounded:
        more = f" and {len(unbounded) - MOST_NAMED} more" if len(unbounded) > MOST_NAMED else ""
        notes.append(f"custom properties without a range are no channels: {', '.join(unbounded[:MOST_NAMED])}{more}")
    return candidates


def numbers_of(armature: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """(first part of its name, owner, key, value) of the numbers among custom properties of an armature and its bones.

    Add-ons register their own settings as properties of every object: those are no dials of this rig.
    """
    for prefix, owner in [("property", armature), *((bone.name, bone) for bone in armature.pose.bones)]:
        for key, value in owner.items():
            if isinstance(value, (bool, int, float)) and key not in owner.bl_rna.properties:
                yield prefix, owner, key, value


def _property_range(owner: Any, key: str, value: Any) -> tuple[float | None, float | None]:
    if isinstance(value, bool):
        return 0.0, 1.0
    ui = owner.id_properties_ui(key).as_dict()
    low = max(ui["min"], ui.get("soft_min", ui["min"]))
    high = min(ui["max"], ui.get("soft_max", ui["max"]))
    if abs(low) > UNBOUNDED or abs(high) > UNBOUNDED:
        return None, None
    return _tidy(low), _tidy(high)
