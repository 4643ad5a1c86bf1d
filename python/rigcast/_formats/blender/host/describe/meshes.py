"""The meshes of a file that are one character, and those left out, with reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ..objects import InputError, armatures_of, one_of
from .paths import drivers_of

Array = np.ndarray[Any, Any]
# Modifiers that move vertices and leave the mesh its vertices and faces.
SWITCHED_OFF = ("CLOTH", "SOFT_BODY")
MOST_JOINTS = 8  # joints per vertex that are kept, those with the largest weights
SHAPE = "the shape of a bone"
CUTTING = ("MESH_DEFORM", "BOOLEAN")  # modifiers whose object is a tool, no part of the character


@dataclass
class ChosenMeshes:
    """The meshes of a character.

    Attributes
    ----------
    meshes : list of objects
        By name, or in the order in which they were asked for.
    left_out : list of str
        The other meshes of the file, each with the reason.
    """

    meshes: list[Any]
    left_out: list[str] = field(default_factory=list)


def choose_meshes(names: list[str] | None, armature: str | None) -> ChosenMeshes:
    """The mesh objects called ``names``; without them all that one armature moves, or all if nothing can be turned."""
    every = sorted((item for item in bpy.context.scene.objects if item.type == "MESH"), key=lambda item: item.name)
    if not every:
        raise InputError("path", "a file without a mesh", "a .blend file whose scene holds a mesh object")
    if names:
        return ChosenMeshes(_named(names, every), [f"{i.name!r}: not asked for" for i in every if i.name not in names])
    rigs_here = [item for item in bpy.context.scene.objects if item.type == "ARMATURE"]
    if armature is not None and armature not in [rig.name for rig in rigs_here]:
        raise InputError("armature", repr(armature), _one_of(rigs_here))
    movers = {item.name: movers_of(item) for item in every}
    rigs = list(dict.fromkeys(rig for found in movers.values() for rig in found))
    if armature is not None:
        rigs = [rig for rig in rigs if rig.name == armature]
    bound = [item for item in every if any(rig in movers[item.name] for rig in rigs)]
    if not bound:
        if len(every) > 1 and any(item.data.shape_keys for item in every):
            raise InputError("mesh", f"not given, and the file holds {len(every)} meshes", _one_of(every))
        return ChosenMeshes(every)
    shapes = _shapes_of_bones()
    reasons = {item.name: _why_not(item, every, shapes) for item in bound}
    taken = [item for item in bound if not reasons[item.name]] or bound
    if len(taken) > 1 and not any(all(rig in movers[item.name] for item in taken) for rig in rigs):
        moved = f"not given, and the file holds {len(taken)} meshes of {len(rigs)} armatures"
        raise InputError("mesh", moved, _one_of(taken))
    unmoved = {i.name: SHAPE if i.name in shapes else "no armature of the character moves it" for i in every}
    left = [(i.name, reasons.get(i.name) or unmoved[i.name]) for i in every if i not in taken]
    return ChosenMeshes(taken, [f"{name!r}: {why}" for name, why in left])


def movers_of(mesh: Any) -> list[Any]:
    """Armature objects that move a mesh: those that deform it, that it or a parent of it hangs on, that its
    constraints aim at, or whose bones drive its shape keys."""
    found = list(armatures_of(mesh))
    item = mesh
    while item is not None:
        aims = [getattr(c, "target", None) for c in item.constraints if not c.mute]
        aims += [target.target for c in item.constraints if c.type == "ARMATURE" for target in c.targets]
        found += [aim for aim in [item.parent, *aims] if aim is not None and aim.type == "ARMATURE"]
        item = item.parent
    for _, curve in drivers_of(mesh.data.shape_keys):
        for variable in curve.driver.variables:
            found += [t.id for t in variable.targets if getattr(t.id, "type", None) == "ARMATURE"]
    return list(dict.fromkeys(found))


def carriers(meshes: list[Any], armature: Any | None) -> set[str]:
    """Bones that meshes hang on as rigid pieces, by name."""
    found = set()
    for item in meshes:
        while item is not None:
            if item.parent is not None and item.parent == armature and item.parent_type == "BONE":
                found.add(item.parent_bone)
            item = item.parent
    return found


def _named(names: list[str], every: list[Any]) -> list[Any]:
    known = {item.name: item for item in every}
    for name in names:
        if name not in known:
            raise InputError("mesh", repr(name), _one_of(every))
    return [known[name] for name in dict.fromkeys(names)]


def _shapes_of_bones() -> set[str]:
    """Names of the meshes with which bones are drawn."""
    rigs = [item for item in bpy.context.scene.objects if item.type == "ARMATURE"]
    return {bone.custom_shape.name for rig in rigs for bone in rig.pose.bones if bone.custom_shape is not None}


def _why_not(item: Any, every: list[Any], shapes: set[str]) -> str:
    """The reason why a mesh that the armature moves is no part of the character; empty if it is one."""
    if item.hide_render:
        return "hidden in renders"
    if item.name in shapes:
        return SHAPE
    for other in every:
        for modifier in other.modifiers:
            if modifier.type in CUTTING and modifier.object == item:
                return f"the object of modifier {modifier.name!r} of {other.name!r}"
    return ""


def _one_of(items: list[Any]) -> str:
    return one_of([item.name for item in items])


def switch_off(meshes: list[Any]) -> list[Any]:
    """Hide cloth and soft bodies in the viewport; returns the modifiers that were shown.

    They depend on the frames before, so that no pose decides them. Sampling would freeze them in the state of the
    file's frame, and an action that is played would run them, and then a model would be judged by what it never saw.
    """
    shown = [m for mesh in meshes for m in mesh.modifiers if m.type in SWITCHED_OFF and m.show_viewport]
    for modifier in shown:
        modifier.show_viewport = False
    return shown


def own_skin(meshes: list[Any], sizes: list[int], armature: Any | None, joints: list[str]) -> dict[str, Array]:
    """``skin_joint`` (V, K) int32 and ``skin_weight`` (V, K) float64, rows of sum 1, of all meshes one after another.

    Empty if vertex groups do not say it: a mesh that one Armature modifier does not move alone, that envelopes move,
    whose modifiers change the number of its vertices, or that has vertices without a weight.
    """
    if armature is None or not joints:
        return {}
    place = {name: index for index, name in enumerate(joints) if armature.data.bones[name].use_deform}
    tables = []
    for mesh, size in zip(meshes, sizes):  # noqa: B905
        table = _of_mesh(mesh, armature, place, len(joints)) if len(mesh.data.vertices) == size else None
        if table is None:
            return {}
        tables.append(table)
    dense = np.concatenate(tables)
    count = min(MOST_JOINTS, max(1, int((dense > 0.0).sum(axis=1).max())))
    joint = np.argsort(-dense, axis=1, kind="stable")[:, :count]
    weight = np.take_along_axis(dense, joint, axis=1)
    return {"skin_joint": joint.astype(np.int32), "skin_weight": weight / weight.sum(axis=1, keepdims=True)}


def _of_mesh(mesh: Any, armature: Any, place: dict[str, int], num_joints: int) -> Array | None:
    """Weights (V, J); None if vertex groups alone do not say them."""
    movers = [m for m in mesh.modifiers if m.type == "ARMATURE" and m.show_viewport]
    if mesh.parent is not None and mesh.parent_type == "ARMATURE":
        return None
    one = len(movers) == 1 and movers[0].object == armature
    if not one or movers[0].use_bone_envelopes or not movers[0].use_vertex_groups or movers[0].vertex_group:
        return None
    columns = {group.index: place[group.name] for group in mesh.vertex_groups if group.name in place}
    table = np.zeros((len(mesh.data.vertices), num_joints))
    for row, vertex in enumerate(mesh.data.vertices):
        for entry in vertex.groups:
            if entry.group in columns:
                table[row, columns[entry.group]] = entry.weight
    return table if (table.sum(axis=1) > 0.0).all() else None
