"""The joints of a rig: the bones that move the skin, out of all bones of its armature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .channels import Found
from .influences import posed_elsewhere
from .meshes import carriers
from .paths import drivers_of, inputs_of, words_of

COPYING = ("COPY_TRANSFORMS", "CHILD_OF", "ARMATURE", "COPY_LOCATION")
HANDLES = ("ABSOLUTE", "TANGENT")  # of B-bones, that another bone decides
NEAR = 1e-4  # of a bone's length


@dataclass
class SceneJoints:
    """The skeleton of a character.

    Attributes
    ----------
    names : list of str
        Parents before children.
    parents : list of int
        -1 for roots. The nearest joint that passes its motion on, be it through bones that are no joints.
    posed_elsewhere : dict
        Joints whose own channels do not decide their pose, with the reason.
    left_out : list of str
        Bones that only pass motion on.
    """

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    posed_elsewhere: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def joints_of(meshes: list[Any], armature: Any | None, found: Found) -> SceneJoints:
    """The bones that move vertices, and those that turn them in a plain hierarchy.

    A bone is a joint if vertices hang on it (by weights, as a rigid piece, through a B-bone's handle, a modifier, or a
    driver that reads it for a shape), or if it turns such a bone as its parent, without constraints or drivers between
    them, and may move. What reaches the skin through constraints, as the controls and mechanism of a generated rig do,
    is no joint: the bones that follow are. All bones are joints where none moves vertices.
    """
    if armature is None:
        return SceneJoints()
    bones = armature.pose.bones
    elsewhere = posed_elsewhere(armature)
    moving = skin_bones(meshes, armature) or {bone.name for bone in bones}
    turned = {channel.target for channel in found.channels if channel.kind in ("rotation", "location", "scale")}
    kept = _with_turning_parents(bones, moving, elsewhere, turned)
    parents = _parents(armature, kept)
    ordered = _parents_first([bone.name for bone in bones if bone.name in kept], parents)
    place = {name: index for index, name in enumerate(ordered)}
    result = SceneJoints(ordered, [place.get(parents[name] or "", -1) for name in ordered])
    result.left_out = [bone.name for bone in bones if bone.name not in kept]
    for name in ordered:
        why = elsewhere.get(name) or _through(bones[name], parents[name], elsewhere)
        if why:
            result.posed_elsewhere[name] = why
    return result


def skin_bones(meshes: list[Any], armature: Any) -> set[str]:
    """Names of the bones that vertices of the meshes depend on."""
    found = set(carriers(meshes, armature))
    for mesh in meshes:
        found |= _weighted(mesh, armature) | _aimed_at(mesh, armature)
        for modifier in mesh.modifiers:
            found |= {name for name in (getattr(modifier, "subtarget", ""), getattr(modifier, "bone_from", ""),
                                        getattr(modifier, "bone_to", "")) if name}  # fmt: skip
    for text in skin_inputs(meshes, armature):
        bone = armature.pose.bones.get(text.rpartition(".")[0])
        if bone is not None and text.rpartition(".")[2] not in bone:  # what drivers read of it is no property
            found.add(bone.name)
    for name in [name for name in found if name in armature.data.bones]:
        bone = armature.data.bones[name]
        if bone.bbone_segments > 1:
            ends = [(bone.bbone_handle_type_start, bone.bbone_custom_handle_start),
                    (bone.bbone_handle_type_end, bone.bbone_custom_handle_end)]  # fmt: skip
            found |= {handle.name for kind, handle in ends if kind in HANDLES and handle is not None}
    return found & set(armature.pose.bones.keys())


def skin_inputs(meshes: list[Any], armature: Any | None) -> set[str]:
    """The inputs of drivers of the meshes, their shapes and modifiers, by the names of channels: ``bone.rotation_x``,
    ``bone.KEY``, ``property.KEY``; and what drivers of the armature make it of."""
    made = _made_of(armature)
    waiting = [text for _, curve in drivers_of(*_blocks(meshes)) for text in inputs_of(curve)]
    found = set[str]()
    while waiting:
        text = waiting.pop()
        if text not in found:
            found.add(text)
            waiting += made.get(text, [])
    return found


def passed_on(meshes: list[Any], armature: Any | None) -> set[str]:
    """The inputs of drivers of the armature that no mesh reads: each reaches the skin through bones alone."""
    return {text for texts in _made_of(armature).values() for text in texts} - skin_inputs(meshes, armature)


def _made_of(armature: Any | None) -> dict[str, list[str]]:
    return {words_of(curve.data_path, curve.array_index): inputs_of(curve)
            for _, curve in drivers_of(armature, armature and armature.data)}  # fmt: skip


def _blocks(meshes: list[Any]) -> list[Any]:
    return [block for mesh in meshes for block in (mesh, mesh.data, mesh.data.shape_keys)]


def _weighted(mesh: Any, armature: Any) -> set[str]:
    """Deforming bones whose vertex group weighs any vertex; all deforming bones where envelopes do the work."""
    deforming = {bone.name for bone in armature.data.bones if bone.use_deform}
    binders = [m for m in mesh.modifiers if m.type == "ARMATURE" and m.object == armature]
    bound = bool(binders) or (mesh.parent == armature and mesh.parent_type == "ARMATURE")
    if not bound:
        return set()
    if any(modifier.use_bone_envelopes for modifier in binders):
        return deforming
    groups = {entry.group for vertex in mesh.data.vertices for entry in vertex.groups if entry.weight > 0.0}
    return deforming & {group.name for group in mesh.vertex_groups if group.index in groups}


def _aimed_at(mesh: Any, armature: Any) -> set[str]:
    """Bones that constraints of a mesh, or of what it hangs on, aim at."""
    found = set()
    item = mesh
    while item is not None:
        for constraint in [c for c in item.constraints if not c.mute]:
            if getattr(constraint, "target", None) == armature:
                found.add(constraint.subtarget)
            if constraint.type == "ARMATURE":
                found |= {target.subtarget for target in constraint.targets if target.target == armature}
        item = item.parent
    return found


def _with_turning_parents(bones: Any, moving: set[str], elsewhere: dict[str, str], turned: set[str]) -> set[str]:
    """``moving``, and the parents that turn bones of it by plain kinematics."""
    kept, waiting = set(moving), list(moving)
    while waiting:
        bone = bones[waiting.pop()]
        if bone.name in elsewhere:
            continue
        parent = bone.parent
        while parent is not None and parent.name not in kept:
            if parent.name in elsewhere:
                break
            if parent.name in turned:
                kept.add(parent.name)
                waiting.append(parent.name)
                break
            parent = parent.parent
    return kept


def _parents(armature: Any, kept: set[str]) -> dict[str, str | None]:
    """The parent of each joint: the nearest ancestor that is a joint, or that a joint follows."""
    following = _following(armature, kept)
    parents: dict[str, str | None] = {}
    for bone in [bone for bone in armature.pose.bones if bone.name in kept]:
        parents[bone.name] = next((name for name in _candidates(bone, kept, following)
                                   if not _leads_to(name, bone.name, parents)), None)  # fmt: skip
    return parents


def _candidates(bone: Any, kept: set[str], following: dict[str, list[str]]) -> Iterator[str]:
    for ancestor in bone.parent_recursive:
        if ancestor.name in kept:
            yield ancestor.name
        else:
            yield from following.get(ancestor.name, [])


def _leads_to(name: str | None, child: str, parents: dict[str, str | None]) -> bool:
    while name is not None:
        if name == child:
            return True
        name = parents.get(name)
    return False


def _following(armature: Any, kept: set[str]) -> dict[str, list[str]]:
    """Joints that move as a bone does which is none, by its name: they copy it, or lie on it as its children."""
    found: dict[str, list[str]] = {}
    for bone in [bone for bone in armature.pose.bones if bone.name in kept]:
        for constraint in bone.constraints:
            if constraint.type in COPYING and not constraint.mute and constraint.influence > 0.0:
                for name in _aims(constraint, armature):
                    found.setdefault(name, []).append(bone.name)
        parent = bone.bone.parent
        if parent is not None and (parent.head_local - bone.bone.head_local).length < NEAR * bone.bone.length:
            found.setdefault(parent.name, []).append(bone.name)
    return found


def _aims(constraint: Any, armature: Any) -> list[str]:
    if constraint.type == "ARMATURE":
        return [target.subtarget for target in constraint.targets if target.target == armature]
    return [constraint.subtarget] if constraint.target == armature else []


def _parents_first(names: list[str], parents: dict[str, str | None]) -> list[str]:
    children: dict[str | None, list[str]] = {}
    for name in names:
        children.setdefault(parents[name], []).append(name)
    ordered: list[str] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        name = stack.pop()
        ordered.append(name)
        stack += reversed(children.get(name, []))
    return ordered


def _through(bone: Any, parent: str | None, elsewhere: dict[str, str]) -> str:
    """The reason why more than its parent moves a joint without constraints: a bone between them is posed."""
    for ancestor in bone.parent_recursive:
        if ancestor.name == parent:
            return ""
        if ancestor.name in elsewhere:
            return f"it hangs on bone {ancestor.name!r}: {elsewhere[ancestor.name]}"
    return "" if parent is None else f"it follows joint {parent!r} through other bones"


def ordered_bones(armature: Any | None) -> tuple[list[str], list[int]]:
    """Bone names, parents before children, and the index of each bone's parent (-1 for roots)."""
    names: list[str] = []
    parents: list[int] = []
    stack = [(bone, -1) for bone in reversed(armature.data.bones) if bone.parent is None] if armature else []
    while stack:
        bone, parent = stack.pop()
        stack += [(child, len(names)) for child in reversed(bone.children)]
        names.append(bone.name)
        parents.append(parent)
    return names, parents
