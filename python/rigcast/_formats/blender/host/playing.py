"""An action played as Blender plays it, frame after frame: poses and vertices with all that it moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .actions import find_action, frames_of
from .curves import curves_of

if TYPE_CHECKING:
    from .scene import Scene

Array = np.ndarray[Any, Any]


def played(scene: Scene, name: str) -> Iterator[tuple[Array, Array]]:
    """Pose row (12 J + K,) and world-space vertices (V, 3) of every frame; leaves the scene in the last one."""
    for _ in play_frames(scene, name, frames_of(find_action(name))):
        yield scene.current()


def play_frames(scene: Scene, name: str, frames: Iterable[int]) -> Iterator[int]:
    """Go to frames of an action, from the state in which the file was saved; leaves the scene in the last one.

    An action that the file itself plays is played with the others that the file plays at the same time.
    """
    action = find_action(name)
    scene.as_saved()
    if any(action == other for _, other in scene.assigned):
        for owner, other in scene.assigned:
            assign(owner, other)
    else:
        for owner in owners_of(scene, action):
            assign(owner, action)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        yield frame


def owners_of(scene: Scene, action: Any) -> list[Any]:
    """What of the character the curves of an action belong to."""
    paths = [curve.data_path for curve in curves_of(action)]
    values = {path for path in paths if path.startswith("key_blocks")}
    blocks = [mesh.data.shape_keys for mesh in scene.meshes if mesh.data.shape_keys is not None]
    found = [block for block in blocks if values & {key.path_from_id("value") for key in block.key_blocks}]
    if scene.armature is not None and any(not path.startswith("key_blocks") for path in paths):
        found.append(scene.armature)
    return found


def assign(owner: Any, action: Any) -> None:
    """Let a data block play an action."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if getattr(data, "action_slot", True) is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]
