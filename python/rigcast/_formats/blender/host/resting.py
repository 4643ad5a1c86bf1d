"""Which deforming bones, dials and shapes no channel ever moves, found by moving all channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .channels import Found
    from .scene import Scene

ROWS = 6  # random rows beside the lowest and the highest values of all channels
MOVED = 1e-5  # of a shape's value
DIALS = ("rotation", "location", "scale")


def resting(scene: Scene) -> dict[str, str]:
    """Names of deforming bones, of controls, shapes and dials that stay at rest, each with the reason."""
    found = scene.found
    bones, values = _extremes(scene)
    turned = np.abs(bones[1:] - bones[:1]).max(axis=(0, 2, 3)) > 0 if len(bones[0]) else np.zeros(0, bool)
    still = {name for name, moved in zip(scene.bones, turned, strict=True) if not moved}
    result = {name: _why_bone(name, found) for name in scene.bones if name in still and name in _deforming(scene)}
    channelled = {channel.target for channel in found.channels}
    for name, control in found.controls.items():
        if name not in result and name not in channelled and name in still and name not in found.moved:
            result[name] = f"{control.role}; {_why_bone(name, found)}"
    for name, seen in values.items():
        if np.ptp(seen) <= MOVED:
            result[name] = _why_shape(name, scene, found)
    for candidate in found.without_range:
        if candidate.channel.kind not in DIALS:
            result[candidate.channel.name] = "it has no range"
    result |= {channel.name: "held at one value" for channel in found.held if channel.kind == "property"}
    return result


def _extremes(scene: Scene) -> tuple[np.ndarray[Any, Any], dict[str, list[float]]]:
    """Parent-relative bones (1 + R, J, 3, 4), those at rest first, and the values of all shapes by name."""
    rest = np.array([channel.rest for channel in scene.channels])
    ends = np.array([(channel.low, channel.high) for channel in scene.channels]).reshape(-1, 2)
    share = np.random.RandomState(0).uniform(size=(ROWS, len(rest)))
    rows = [rest, ends[:, 0], ends[:, 1], *(ends[:, 0] + share * (ends[:, 1] - ends[:, 0]))]
    bones, values = [], dict[str, list[float]]()
    for row in rows:
        pose, shapes = scene.state(row)
        bones.append(pose)
        for name, value in shapes.items():
            values.setdefault(name, []).append(value)
    return np.array(bones), values


def _deforming(scene: Scene) -> set[str]:
    """Deforming bones whose vertex group weighs any vertex, and bones that meshes hang on; all deforming bones where
    envelopes do the work."""
    assert scene.armature is not None
    names = {bone.name for bone in scene.armature.data.bones if bone.use_deform}
    weighed = set(scene.found.carriers)
    for mesh in scene.meshes:
        binders = [m for m in mesh.modifiers if m.type == "ARMATURE" and m.object == scene.armature]
        if any(modifier.use_bone_envelopes for modifier in binders):
            return names | weighed
        groups = {entry.group for vertex in mesh.data.vertices for entry in vertex.groups if entry.weight > 0.0}
        weighed |= names & {group.name for group in mesh.vertex_groups if group.index in groups}
    return weighed


def _why_bone(name: str, found: Found) -> str:
    if name in found.moved:
        return f"moved by {found.moved[name]}, whose controls have no range"
    if any(channel.target == name for channel in found.held):
        return "held at one value"
    free = {candidate.channel.kind for candidate in found.without_range if candidate.channel.target == name}
    return "no limits" if "rotation" in free or "location" in free else "locked or driven"


def _why_shape(name: str, scene: Scene, found: Found) -> str:
    if any(channel.name == name for channel in found.held):
        return "held at one value"
    if scene.shapes()[name].mute:
        return "muted"
    driver = found.driven.get(name)
    return f"driven by {driver}, which never moves it inside the ranges" if driver else "no channel moves it"
