"""The mechanism of a rig: its bones with the constraints, drivers and inverse kinematics that pose them, as data.

What cannot be written this way is left out, with the reason; and what follows it, too. The engine evaluates the rest
without Blender; ``cpp/rigcast/rig/mechanism/mechanism_reader.cpp`` reads the format.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..describe.channels import Channel
from ..describe.influences import constrained
from .constraints import constraint_words, goal_words, ik_of, link_words, target_bones
from .expressions import Unread
from .numbers import Numbers


def mechanism_of(
    armature: Any | None, joints: list[str], channels: Iterable[Channel], held: Iterable[Channel]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The entry ``mechanism`` of model files, and why bones on which joints depend are left out, by name."""
    if armature is None:
        return {}, {}
    bones = Bones(armature, joints, Numbers(armature, channels, held))
    return bones.written(), bones.unread


class Bones:
    """The bones on which joints depend, in the order in which they are posed.

    Parameters
    ----------
    armature : bpy object
    joints : list of str
        Bones that the mechanism is to pose.
    numbers : Numbers
        The values of channels, drivers and what is saved.

    Attributes
    ----------
    unread : dict
        Why bones are left out, by name.
    """

    def __init__(self, armature: Any, joints: list[str], numbers: Numbers) -> None:
        self._bones = armature.pose.bones
        self._armature, self._numbers = armature, numbers
        self.unread = dict[str, str]()
        self._aims = dict[tuple[str, ...], list[tuple[Any, Any]]]()  # bone and constraint of each chain
        self._chains = self._found_chains()
        self._ordered: list[str] = []
        self._entries = dict[str, dict[str, Any]]()
        self._goals = dict[str, list[dict[str, Any]]]()  # by the first bone of the chain
        self._waiting = set[str]()
        for name in joints:
            self._visit(name)

    def written(self) -> dict[str, Any]:
        """The entry ``mechanism`` of a model file."""
        place = {name: index for index, name in enumerate(self._ordered)}
        bones = [_placed(self._entries[name], place) for name in self._ordered]
        chains = [{"first": place[first], "count": len(self._chains[first]),
                   "goals": [_placed(goal, place) for goal in goals]}
                  for first, goals in self._goals.items()]  # fmt: skip
        return {"object": _matrix(self._armature.matrix_world), "bones": bones, "chains": chains}

    def _found_chains(self) -> dict[str, tuple[str, ...]]:
        """The chain of inverse kinematics that each bone belongs to, from its root on."""
        found = dict[str, tuple[str, ...]]()
        for bone in self._bones:
            for constraint in ik_of(bone):
                chain = tuple(reversed(constrained(bone, constraint)))
                self._aims.setdefault(chain, []).append((bone, constraint))
                for name in chain:
                    if found.setdefault(name, chain) != chain:
                        self.unread |= dict.fromkeys(
                            (*chain, *found[name]), "chains of inverse kinematics that overlap"
                        )
        return found

    def _visit(self, name: str) -> bool:
        """Write a bone, or its whole chain, after what it follows. Returns False if it cannot be written."""
        if name in self._entries:
            return True
        if name in self.unread:
            return False
        unit = self._chains.get(name, (name,))
        if name in self._waiting:
            self.unread[name] = "it follows what follows it"
            return False
        self._waiting |= {*unit}
        try:
            for needed in self._needed(unit):
                if needed not in unit and not self._visit(needed):
                    raise Unread(_cause(needed, self.unread[needed]))
            entries = {member: self._entry(member) for member in unit}
            goals = self._chain_goals(unit)
        except Unread as error:
            self.unread |= dict.fromkeys(unit, str(error))
            return False
        finally:
            self._waiting -= {*unit}
        self._entries |= entries
        self._ordered += unit
        if name in self._chains:
            self._goals[unit[0]] = goals
        return True

    def _needed(self, unit: tuple[str, ...]) -> list[str]:
        """The bones that a bone or chain reads; parents of those that it follows are among them already."""
        found = []
        for name in unit:
            bone = self._bones[name]
            found += [bone.parent.name] if bone.parent is not None else []
            for constraint in bone.constraints:
                if self._numbers.is_active(bone, constraint):
                    found += target_bones(constraint, self._armature)
        return list(dict.fromkeys(found))

    def _entry(self, name: str) -> dict[str, Any]:
        bone = self._bones[name]
        entry: dict[str, Any] = {"name": name, "parent": bone.parent.name if bone.parent else "",
                                 "rest": _matrix(bone.bone.matrix_local), "length": bone.bone.length}  # fmt: skip
        if bone.bone.inherit_scale != "FULL":
            entry["inherits_scale"] = bone.bone.inherit_scale
        if not bone.bone.use_inherit_rotation:
            entry["inherits_rotation"] = False
        if not bone.bone.use_local_location:
            entry["local_location"] = False
        if bone.bone.use_connect:
            entry["connected"] = True
        if bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE", "XYZ"):
            entry["order"] = bone.rotation_mode
        entry |= self._numbers.own(bone)
        if name in self._chains:
            entry |= link_words(bone)
        written = [constraint_words(bone, constraint, self._armature, self._numbers)
                   for constraint in bone.constraints
                   if constraint.type != "IK" and self._numbers.is_active(bone, constraint)]  # fmt: skip
        if written:
            entry["constraints"] = written
        return entry

    def _chain_goals(self, unit: tuple[str, ...]) -> list[dict[str, Any]]:
        aims = self._aims.get(unit, [])
        for bone in [self._bones[name] for name in unit] if aims else []:
            free = [not bone.lock_ik_x, not bone.lock_ik_y, not bone.lock_ik_z]
            limited = [bone.use_ik_limit_x, bone.use_ik_limit_y, bone.use_ik_limit_z]
            if sum(free) == 2:
                raise Unread("a chain of inverse kinematics with a bone that turns about two axes")
            if any(f and limit for f, limit in zip(free, limited)):  # noqa: B905
                raise Unread("inverse kinematics with limits")
        return [goal_words(bone, constraint, self._armature, self._numbers)
                for bone, constraint in aims if self._numbers.is_active(bone, constraint)]  # fmt: skip


def _cause(bone: str, reason: str) -> str:
    """The reason of a bone that another depends on, with the bone where it arises."""
    return reason if reason.startswith("bone ") else f"bone {bone!r}: {reason}"


def _matrix(matrix: Any) -> list[float]:
    """The first three rows, as short as float32 allows."""
    return [float(f"{value:.9g}") for row in matrix[:3] for value in row]


def _placed(entry: Any, place: dict[str, int]) -> Any:
    """An entry with bones by their places instead of their names."""
    if isinstance(entry, list):
        return [_placed(item, place) for item in entry]
    if not isinstance(entry, dict):
        return entry
    return {key: place.get(value, -1) if key in ("parent", "bone") else _placed(value, place)
            for key, value in entry.items()}  # fmt: skip
