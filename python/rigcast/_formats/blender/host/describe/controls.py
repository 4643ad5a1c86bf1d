"""Bones that an artist moves to move others: targets of constraints and what drivers read; and the bones they move."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .influences import constrained, driven_paths
from .paths import AXES, drivers_of, inputs_of

LOCATION = ("IK", "SPLINE_IK", "COPY_LOCATION", "COPY_TRANSFORMS", "DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK",
            "STRETCH_TO", "CHILD_OF", "ARMATURE")  # fmt: skip
ROTATION = ("COPY_ROTATION", "COPY_TRANSFORMS", "CHILD_OF", "ARMATURE")
SHARE = 0.2
# Constraints that decide the whole rotation of the bones that they move, at full influence.
DECIDING = ("IK", "SPLINE_IK", "COPY_TRANSFORMS", "DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK", "STRETCH_TO")


@dataclass
class Control:
    """A bone that others follow.

    Attributes
    ----------
    role : str
        Whose: ``"IK target of front_lower.L"``.
    axes : set of (kind, axis)
        Which of its channels matter: ``("location", 0)``, ``("rotation", 2)``.
    span : float
        How far its locations go either way where nobody says so, in armature units: ``SHARE`` of the chain that it
        leads, or of the distance to the bone that looks at it; the bone's own length if a driver reads it.
    """

    role: str
    axes: set[tuple[str, int]] = field(default_factory=set)
    span: float = 0.0


def controls_of(armature: Any, *others: Any) -> dict[str, Control]:
    """Bones by name that constraints of the armature's bones aim at, or that drivers read.

    Parameters
    ----------
    armature : object
    *others : ID blocks or None
        What may have drivers in addition to the armature object: its data, the mesh, its shape keys.
    """
    found: dict[str, Control] = {}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if not constraint.mute and constraint.influence > 0.0:
                for name, role, kinds in _targets(armature, constraint):
                    control = found.setdefault(name, Control(f"{role} of {bone.name}"))
                    control.axes |= {(kind, axis) for kind in kinds for axis in range(3)}
                    control.span = max(control.span, SHARE * _reach(armature, bone, constraint, name))
    for _, curve in drivers_of(armature, *others):
        for text in inputs_of(curve):
            name, _, kind = text.rpartition(".")
            bone, (kind, _, axis) = armature.pose.bones.get(name), kind.partition("_")
            if bone is not None and axis in AXES and axis and kind in ("location", "rotation"):
                control = found.setdefault(name, Control("read by a driver"))
                control.axes.add((kind, AXES.index(axis)))
                control.span = max(control.span, bone.length)
    return found


def moved_bones(armature: Any) -> dict[str, str]:
    """Bones whose rotation a constraint decides at full influence, by name, with the constraint."""
    found: dict[str, str] = {}
    driven = {path for path, _ in driven_paths(armature)}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            path = f"{constraint.path_from_id()}.influence"
            if constraint.mute or constraint.influence < 1.0 or path in driven or not _decides(constraint):
                continue
            for name in constrained(bone, constraint):
                found.setdefault(name, f"{constraint.name!r} of bone {bone.name!r}")
    return found


def swung_bones(armature: Any) -> set[str]:
    """Bones of IK chains without a pole: the solver begins at their rotation, which decides where the chain bends."""
    found = set[str]()
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if constraint.type == "IK" and constraint.target is not None and constraint.pole_target is None:
                found.update(constrained(bone, constraint))
    return found


def _decides(constraint: Any) -> bool:
    if constraint.type == "COPY_ROTATION":
        axes = constraint.use_x and constraint.use_y and constraint.use_z
        return bool(axes and constraint.mix_mode == "REPLACE" and constraint.target is not None)
    return constraint.type in DECIDING and constraint.target is not None


def _targets(armature: Any, constraint: Any) -> list[tuple[str, str, list[str]]]:
    """(bone, its role, kinds of channels that matter) of the bones that a constraint aims at."""
    kinds = ["location"] * (constraint.type in LOCATION) + ["rotation"] * (constraint.type in ROTATION)
    kinds += ["rotation"] * (constraint.type == "IK" and constraint.use_rotation)
    role = f"{constraint.type.replace('_', ' ').capitalize() if constraint.type != 'IK' else 'IK'} target"
    if not kinds:
        return []
    if constraint.type == "ARMATURE":
        aims = [(target.target, target.subtarget, role, kinds) for target in constraint.targets]
    else:
        aims = [(constraint.target, constraint.subtarget, role, kinds)]
    if constraint.type == "IK":
        aims.append((constraint.pole_target, constraint.pole_subtarget, "IK pole target", ["location"]))
    known = armature.pose.bones
    return [(name, role, kinds) for target, name, role, kinds in aims if target == armature and name in known]


def _reach(armature: Any, bone: Any, constraint: Any, target: str) -> float:
    if constraint.type in ("IK", "SPLINE_IK"):
        return float(sum(armature.data.bones[name].length for name in constrained(bone, constraint)))
    rest = armature.data.bones
    return float(max((rest[target].head_local - rest[bone.name].head_local).length, bone.length))
