"""Actions stored in the file: the channels that they key, and what they move beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .curves import channel_curves, curves_of, paths_of
from .objects import InputError, one_of
from .paths import BONE, words_of

if TYPE_CHECKING:
    from .scene import Scene

STILL = 1e-6  # a curve that leaves the saved value by less moves nothing


def find_action(name: str) -> Any:
    """The action of that name."""
    action = bpy.data.actions.get(name)
    if action is None:
        raise InputError("name", repr(name), one_of([item.name for item in bpy.data.actions], "the name of an action"))
    return action


def frames_of(action: Any) -> range:
    """Its whole frames."""
    first, last = (round(value) for value in action.frame_range)
    return range(first, last + 1)


def action_channels(
    scene: Scene, name: str, only: Sequence[int] | None = None
) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Channels (T, N) of a named action over its whole frames, or over ``only`` some, and names of what else it moves.

    Channels that it does not key stay as they were saved. An action that the file itself plays comes with the others
    that the file plays at the same time (of the shape keys).
    """
    action = find_action(name)
    beside = [other for _, other in scene.assigned] if any(action == other for _, other in scene.assigned) else []
    curves: dict[tuple[str, int], Any] = {}
    for curve in [curve for item in dict.fromkeys([action, *beside]) for curve in curves_of(item)]:
        curves.setdefault((curve.data_path, curve.array_index), curve)
    frames = frames_of(action) if only is None else only
    rows = np.tile([channel.saved for channel in scene.channels], (len(frames), 1))
    reached: set[tuple[str, int]] = set()
    for column, channel in enumerate(scene.channels):
        value = channel_curves(channel, scene.armature, curves)
        if value is not None:
            rows[:, column] = [value(frame) for frame in frames]
            reached |= set(paths_of(channel, scene.armature))
    return rows, missed_of(scene, curves, reached, frames)


def missed_of(
    scene: Scene, curves: dict[tuple[str, int], Any], reached: set[tuple[str, int]], frames: Sequence[int]
) -> list[str]:
    """What curves move that is no channel, each with the reason where there is one."""
    found: dict[str, None] = {}
    for (path, index), curve in curves.items():
        if (path, index) in reached or _is_ignored(scene, path):
            continue
        standing = _standing(scene, path, index)
        if max(abs(curve.evaluate(frame) - standing) for frame in frames) > STILL:
            name = words_of(path, index).replace("the object", f"object {scene.armature and scene.armature.name!r}")
            bone = name.rpartition(".")[0]
            why = f" (moved by {scene.moved[bone]})" if bone in scene.moved else ""
            found[name + why] = None
    return list(found)


def _standing(scene: Scene, path: str, index: int) -> float:
    """What stands at a data path of the armature or of shape keys; a rest value where there is none."""
    for owner in (scene.armature, *(mesh.data.shape_keys for mesh in scene.meshes)):
        try:
            value = owner.path_resolve(path)
            return float(value[index] if hasattr(value, "__len__") else value)
        except (AttributeError, ValueError, TypeError, IndexError):
            continue
    return float(path.endswith("scale") or (path.endswith("rotation_quaternion") and index == 0))


def _is_ignored(scene: Scene, path: str) -> bool:
    """The location of a bone that is connected to its parent, which Blender does not use."""
    place = BONE.match(path)
    if scene.armature is None or place is None or path[place.end() :] != ".location":
        return False
    bone = scene.armature.pose.bones.get(bpy.utils.unescape_identifier(place[1]))
    return bone is not None and bool(bone.bone.use_connect)
