"""The description of a scene that the package is sent: everything that does not change with the pose."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import bpy
import numpy as np

from ..control_rigs.joint_limits import Reach
from ..describe.channels import SAVED
from ..describe.influences import followers
from ..describe.meshes import own_skin
from .comparison import MOST_ACTIONS, differences
from .scene import Scene

Array = np.ndarray[Any, Any]


def describe(scene: Scene) -> tuple[dict[str, Any], dict[str, Array]]:
    """Everything about the rig that does not change with the pose: plain values, and arrays.

    Raises
    ------
    UnusableError
        If the topology of the mesh changes within the ranges of the channels.
    """
    apart = _compared(scene)
    scene.try_extremes()
    parts, surface = scene.geometry.surface()
    header = {
        "meshes": [mesh.name for mesh in scene.meshes],
        "left_out": scene.left_out,
        "parts": parts,
        "armature": scene.armature.name if scene.armature else None,
        "host": f"Blender {bpy.app.version_string}",
        "channel_names": [channel.name for channel in scene.channels],
        "dial_names": [scene.channels[i].name for i in scene.writer.columns],
        "joint_names": scene.joints.names,
        "bones": scene.bones,
        "mechanism": scene.mechanism,
        "unread": scene.unread,
        "rotation_modes": _rotation_modes(scene.armature, scene.bones),
        "whole_channels": scene.writer.whole_channels,
        "followers": followers(scene.armature),
        "posed_elsewhere": scene.joints.posed_elsewhere,
        "passed_on": _passed_on(scene),
        "not_run": scene.not_run,
        "differences": apart,
        "held": {c.name: (c.low, c.source if c.origin == SAVED else "") for c in scene.found.held},
        "switches": _switches(scene),
        "control_sets": scene.found.sets and asdict(scene.found.sets),
        "assumed": scene.found.assumed,
        "reaches": [reach.target for reach in scene.found.reaches],
        "modifiers": scene.modifiers,
        "contents": scene.contents,
        "together": list(dict.fromkeys(action.name for _, action in reversed(scene.assigned))),
        "not_reproduced": scene.not_reproduced,
        "carrying": [channel.name for channel in scene.channels if channel.low == channel.high],
        "range_sources": [channel.source for channel in scene.channels],
        "range_origins": [channel.origin for channel in scene.channels],
        "without_range": [candidate.channel.name for candidate in scene.found.without_range],
        "fps": bpy.context.scene.render.fps / bpy.context.scene.render.fps_base,
        "meters_per_unit": _meters_per_unit(),
        "licence": _stated(scene, "licence"),
        "origin": _stated(scene, "origin"),
        "notes": scene.notes,
    }
    return header, {**_arrays(scene), **surface}


def _arrays(scene: Scene) -> dict[str, Array]:
    """Ranges, rest state, bones and mesh."""
    return {
        "channel_ranges": np.array([(c.low, c.high) for c in scene.channels], np.float64).reshape(-1, 2),
        "channel_rest": scene.rest_row,
        "parents": np.asarray(scene.joints.parents, np.int32),
        "rest": scene.rest_locals.astype(np.float32),
        "bone_parents": np.asarray(scene.bone_parents, np.int32),
        "bone_rest": scene.bone_rest.astype(np.float32),
        **_reaches(scene.found.reaches),
        **own_skin(scene.meshes, scene.geometry.sizes, scene.armature, scene.joints.names),
        "rest_vertices": scene.geometry.rest_vertices,
        "faces": scene.geometry.faces,
    }


def _switches(scene: Scene) -> list[str]:
    """Channels that are on or off: of a control rig those between FK and IK, else properties from 0 to 1 that act
    on bones alone."""
    known = None if scene.found.sets is None else scene.found.sets.switches
    return [
        c.name
        for c in scene.channels
        if c.kind == "property"
        and (c.name in known if known is not None else c.name in scene.found.inner and (c.low, c.high) == (0.0, 1.0))
    ]


def _passed_on(scene: Scene) -> dict[str, str]:
    """Channels of bones that are no joints: what passes their motion on, by name."""
    numeric = {scene.channels[i].name for i in scene.writer.columns}
    return {
        channel.name: f"constraints or drivers pass the motion of bone {channel.target!r} on"
        for channel in scene.channels
        if channel.name not in numeric and channel.target not in scene.joints.names
    }


def _stated(scene: Scene, key: str) -> str:
    """A custom property of the mesh objects, each of its texts once."""
    return "; ".join(dict.fromkeys(str(mesh[key]) for mesh in scene.meshes if mesh.get(key)))


def _compared(scene: Scene) -> list[str]:
    """The lines on channels that stay from what Blender shows; actions that were not compared are noted."""
    found, left = differences(scene, _meters_per_unit())
    if left:
        scene.notes.append(f"{left} actions beyond the first {MOST_ACTIONS} were not compared with their channels")
    return found


def _reaches(reaches: list[Reach]) -> dict[str, Array]:
    """Axes (R, 3, 3), offsets (R, 3) and distances (R, 2) of the shells in which IK targets stay."""
    return {
        "reach_axes": np.array([reach.axes for reach in reaches], np.float64).reshape(-1, 3, 3),
        "reach_offsets": np.array([reach.offset for reach in reaches], np.float64).reshape(-1, 3),
        "reach_distances": np.array([(reach.least, reach.most) for reach in reaches], np.float64).reshape(-1, 2),
    }


def _meters_per_unit() -> float:
    settings = bpy.context.scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(settings.scale_length)


def _rotation_modes(armature: Any, bones: list[str]) -> list[str]:
    return [armature.pose.bones[name].rotation_mode for name in bones]
