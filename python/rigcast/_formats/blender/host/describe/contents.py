"""The contents of a file, and what of it sampling pose by pose cannot reproduce."""

from __future__ import annotations

import re
from typing import Any

import bpy

from .actions import frames_of
from .curves import curves_of
from .paths import drivers_of, inputs_of, words_of
from .strips import NLA, nla_frames

MOST_NAMED = 12
REASON = "its driver is Python in the file, which was not run"
NOTE = "Python in the file was not run"
REMEDY = "--run-scripts (run_scripts=True) runs it, if you trust the file"

SIMULATED = {
    "CLOTH": "cloth",
    "SOFT_BODY": "a soft body",
    "FLUID": "a fluid",
    "DYNAMIC_PAINT": "dynamic paint",
    "PARTICLE_SYSTEM": "particles",
    "PARTICLE_INSTANCE": "particles",
    "EXPLODE": "particles",
}
TIMED = {
    "MESH_CACHE": "a cache",
    "MESH_SEQUENCE_CACHE": "a cache",
    "WAVE": "waves",
    "BUILD": "building",
    "OCEAN": "an ocean",
}
HISTORY = "depends on the frames before"
TIME = "depends on the frame"


def contents(meshes: list[Any], armature: Any | None, nla: list[Any]) -> dict[str, Any]:
    """Modifiers, constraints, drivers and actions of a character, as lists of plain values.

    What NLA tracks play is one action more, ``NLA``, unless the file has one of that name.
    """
    owners = _owners(meshes, armature)
    several = len(meshes) > 1
    return {
        "modifiers": [
            f"{m.name} ({m.type})" + (m.show_viewport is False) * ", off" + several * f" of {mesh.name}"
            for mesh in meshes
            for m in mesh.modifiers
        ],
        "constraints": _constraints(meshes, armature),
        "drivers": [
            f"{words_of(curve.data_path, curve.array_index)} by {', '.join(inputs_of(curve)) or 'nothing'}"
            for _, curve in drivers_of(*owners)
        ],
        "actions": _actions(nla),
    }


def _actions(nla: list[Any]) -> list[list[Any]]:
    """Name, first and last frame of each."""
    found = [[action.name, frames_of(action)[0], frames_of(action)[-1]] for action in bpy.data.actions]
    if nla and NLA not in bpy.data.actions:
        frames = nla_frames(nla)
        found.append([NLA, frames[0], frames[-1]])
    return found


def _owners(meshes: list[Any], armature: Any | None) -> list[Any]:
    """The data blocks that may have drivers; None among them."""
    blocks = [block for mesh in meshes for block in (mesh, mesh.data, mesh.data.shape_keys)]
    return [armature, armature and armature.data, *blocks]


def not_reproduced(meshes: list[Any], armature: Any | None, assigned: list[tuple[Any, Any]]) -> list[str]:
    """The things that sampling leaves out or freezes, each by name with the reason.

    Parameters
    ----------
    assigned : list of (ID block, action)
        The actions that the file plays.
    """
    shown = [modifier for mesh in meshes for modifier in mesh.modifiers if modifier.show_viewport]
    found = [text for modifier in shown for text in _of_modifier(modifier)]
    for owner, curve in drivers_of(*_owners(meshes, armature)):
        if "frame" in inputs_of(curve):
            found.append(f"driver of {words_of(curve.data_path, curve.array_index)} in {owner.name!r}: {TIME}")
    found += [f"rigid body of {mesh.name!r}: {HISTORY}" for mesh in meshes if mesh.rigid_body is not None]
    for item in _with_parents(armature, *meshes):
        moves = [action for owner, action in assigned if owner == item and _moves_object(action)]
        for action in moves:
            found.append(f"object-level motion of {item.name!r} in action {action.name!r}: no channel")
            behind = [mesh.name for mesh in meshes if item not in (*_with_parents(mesh), *_object_aims(mesh))]
            moved = f"when action {action.name!r} moves {item.name!r}: it is not parented to it"
            found += [f"mesh {name!r} stays behind {moved}" for name in behind]
        found += [
            f"constraint {c.name!r} of object {item.name!r}: no channel moves it"
            for c in _active(item.constraints)
            if armature is None or armature not in _aims(c)
        ]
    for bone in armature.pose.bones if armature else ():
        for constraint in _active(bone.constraints):
            target = getattr(constraint, "target", None)
            if target is not None and target not in (armature, *meshes):
                found.append(
                    f"constraint {constraint.name!r} of bone {bone.name!r}: object {target.name!r} is no channel"
                )
            if constraint.type == "ACTION" and getattr(constraint, "use_eval_time", False):
                found.append(f"constraint {constraint.name!r} of bone {bone.name!r}: {TIME}")
    return list(dict.fromkeys(found))


def _of_modifier(modifier: Any) -> list[str]:
    name = f"modifier {modifier.name!r}"
    if modifier.type in SIMULATED:
        return [f"{name}, {SIMULATED[modifier.type]}: {HISTORY}"]
    if modifier.type in TIMED:
        return [f"{name}, {TIMED[modifier.type]}: {TIME}"]
    if modifier.type == "NODES" and modifier.node_group is not None:
        kinds = {node.bl_idname for node in _nodes(modifier.node_group, set())}
        if "GeometryNodeSimulationOutput" in kinds:
            return [f"{name}, a simulation zone: {HISTORY}"]
        if "GeometryNodeInputSceneTime" in kinds:
            return [f"{name}, scene time: {TIME}"]
    return []


def _nodes(tree: Any, seen: set[str]) -> list[Any]:
    """Nodes of a tree and of the groups in it."""
    if tree is None or tree.name in seen:
        return []
    seen.add(tree.name)
    nodes = list(tree.nodes)
    return nodes + [inner for node in nodes for inner in _nodes(getattr(node, "node_tree", None), seen)]


def _aims(constraint: Any) -> list[Any]:
    """The objects that a constraint aims at."""
    several = [target.target for target in constraint.targets] if constraint.type == "ARMATURE" else []
    return [getattr(constraint, "target", None), *several]


def _object_aims(mesh: Any) -> list[Any]:
    """The objects that the constraints of a mesh, or of what it hangs on, aim at."""
    return [
        aim for item in _with_parents(mesh) for constraint in _active(item.constraints) for aim in _aims(constraint)
    ]


def _constraints(meshes: list[Any], armature: Any | None) -> list[str]:
    bones = list(armature.pose.bones) if armature else []
    found = [(f"bone {bone.name!r}", c) for bone in bones for c in bone.constraints]
    found += [(f"object {item.name!r}", c) for item in _with_parents(*meshes, armature) for c in item.constraints]
    return [f"{c.name} ({c.type}) of {owner}{_aim(c)}{', off' if c.mute else ''}" for owner, c in found]


def _aim(constraint: Any) -> str:
    target = getattr(constraint, "target", None)
    if target is None:
        return ""
    return f" to {getattr(constraint, 'subtarget', '') or target.name!r}"


def _active(constraints: Any) -> list[Any]:
    return [constraint for constraint in constraints if not constraint.mute and constraint.influence > 0.0]


def _with_parents(*items: Any) -> list[Any]:
    found: dict[Any, None] = {}
    for item in items:
        while item is not None:
            found[item] = None
            item = item.parent
    return list(found)


def _moves_object(action: Any) -> bool:
    paths = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale", "delta_location")
    for curve in curves_of(action):
        values = [curve.evaluate(frame) for frame in frames_of(action)]
        if curve.data_path in paths and max(values) - min(values) > 1e-6:
            return True
    return False


def drivers_not_run() -> dict[str, str]:
    """The reasons why properties with drivers of Python alone rest, by name; none if Python may run."""
    if not bpy.app.autoexec_fail:
        return {}
    found = {}
    for collection in (bpy.data.objects, bpy.data.shape_keys, bpy.data.armatures, bpy.data.meshes, bpy.data.materials):
        for owner in collection:
            animation = owner.animation_data
            for curve in animation.drivers if animation else ():
                if curve.driver.type == "SCRIPTED" and not curve.driver.is_simple_expression:
                    found[_shown(owner, curve)] = f"{REASON} ({curve.driver.expression[:60]})"
    return found


def notes_on_python(drivers: dict[str, str]) -> list[str]:
    """A line on drivers that were not run, and one on text blocks that register themselves."""
    lines = []
    if drivers:
        names = list(drivers)
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        count = f"{len(names)} driver{'s' * (len(names) > 1)}"
        lines.append(f"{NOTE}: {count} ({', '.join(names[:MOST_NAMED])}{more}); {REMEDY}")
    if bpy.app.autoexec_fail and (texts := [text.name for text in bpy.data.texts if text.use_module]):
        lines.append(f"{NOTE}: text {', '.join(texts)}, which registers itself; {REMEDY}")
    if bpy.app.autoexec_fail and not lines:
        lines.append(f"{NOTE}: {bpy.app.autoexec_fail_message}; {REMEDY}")
    return lines


def _shown(owner: Any, curve: Any) -> str:
    """``shape.S``, ``bone.rotation_euler`` or the owner and the path of a property."""
    if match := re.fullmatch(r'key_blocks\["(.*)"\]\.value', curve.data_path):
        return f"shape.{match[1]}"
    axis = f"_{'xyzw'[curve.array_index]}" if "rotation" in curve.data_path or "location" in curve.data_path else ""
    if match := re.fullmatch(r'pose\.bones\["(.*?)"\]\.?(.*)', curve.data_path):
        return f"{match[1]}.{match[2]}{axis}"
    return f"{owner.name}.{curve.data_path}{axis}"
