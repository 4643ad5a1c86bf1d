"""Everything at rest in a driven scene: bones, controls, shapes and dials that no channel moves, each with the
reason."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..describe.channels import Found
from ..describe.joints import skin_bones
from .scene import Scene

ROWS = 6  # random rows, in addition to the lowest and the highest values of all channels
MOVED = 1e-5  # of a shape's value
DIALS = ("rotation", "location", "scale")


def resting(scene: Scene) -> dict[str, str]:
    """Names of deforming bones, of controls, shapes and dials that stay at rest, each with the reason."""
    found = scene.found
    bones, values = _extremes(scene)
    turned = np.abs(bones[1:] - bones[:1]).max(axis=(0, 2, 3)) > 0 if len(bones[0]) else np.zeros(0, bool)
    still = {name for name, moved in zip(scene.bones, turned, strict=True) if not moved}
    deforming = skin_bones(scene.meshes, scene.armature) if scene.armature is not None else set()
    result = {name: _why_bone(name, found) for name in scene.bones if name in still and name in deforming}
    channelled = {channel.target for channel in found.channels}
    for name, control in found.controls.items():
        if name not in channelled and name in still and name not in found.moved and not _weighs(scene, name):
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


def _why_bone(name: str, found: Found) -> str:
    if name in found.moved:
        return f"moved by {found.moved[name]}, whose controls have no range"
    if any(channel.target == name and channel.low == channel.high for channel in (*found.channels, *found.held)):
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


def _weighs(scene: Scene, name: str) -> bool:
    assert scene.armature is not None
    return bool(scene.armature.data.bones[name].use_deform)
