"""Actions and NLA tracks played as Blender plays them, frame after frame; and the channels that actions key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from ..describe.actions import assign, find_action, frames_of
from ..describe.channels import Channel, bone_value
from ..describe.curves import channel_curves, curves_of, paths_of
from ..describe.paths import BONE, words_of
from ..describe.strips import nla_frames, strips_of
from ..objects import InputError, one_of
from .scene import Scene

Array = np.ndarray[Any, Any]
STILL = 1e-6  # a curve that leaves the saved value by less moves nothing


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
    """The data blocks of the character that the curves of an action belong to."""
    paths = [curve.data_path for curve in curves_of(action)]
    values = {path for path in paths if path.startswith("key_blocks")}
    blocks = [mesh.data.shape_keys for mesh in scene.meshes if mesh.data.shape_keys is not None]
    found = [block for block in blocks if values & {key.path_from_id("value") for key in block.key_blocks}]
    if scene.armature is not None and any(not path.startswith("key_blocks") for path in paths):
        found.append(scene.armature)
    return found


def play_nla(scene: Scene, name: str) -> Iterator[tuple[Array, Array]]:
    """Pose row and vertices of every frame, as Blender plays the file; leaves the scene in the last one."""
    for _ in _play_strips(scene, name):
        yield scene.current()


def _play_strips(scene: Scene, name: str) -> Iterator[int]:
    if not scene.nla:
        raise InputError("name", repr(name), one_of([item.name for item in bpy.data.actions], "the name of an action"))
    scene.as_saved()
    for owner, action in scene.assigned:
        assign(owner, action)
    for owner in scene.nla:
        owner.animation_data.use_nla = True
    for frame in nla_frames(scene.nla):
        bpy.context.scene.frame_set(frame)
        yield frame


def nla_channels(scene: Scene, name: str) -> tuple[Array, list[str]]:
    """Channels (T, N) of every frame, and names of what else the strips move; leaves the scene as it was saved."""
    rows = [[_value(scene, channel) for channel in scene.channels] for _ in _play_strips(scene, name)]
    scene.as_saved()
    reached = {path for channel in scene.channels for path in paths_of(channel, scene.armature)}
    found: dict[str, None] = {}
    for action in {strip.action for owner in scene.nla for strip in strips_of(owner) if strip.action}:
        curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(action)}
        found |= dict.fromkeys(missed_of(scene, curves, reached, frames_of(action)))
    return np.array(rows, np.float64).reshape(len(rows), len(scene.channels)), sorted(found)


def _value(scene: Scene, channel: Channel) -> float:
    """The value that Blender has given a channel."""
    if channel.kind in ("shape", "property"):
        return scene.dial(channel)
    assert scene.armature is not None
    return bone_value(scene.armature.pose.bones[channel.target], channel.kind, channel.axis)


def action_channels(
    scene: Scene, name: str, only: Sequence[int] | None = None
) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Channels (T, N) of a named action over its whole frames, or over ``only`` some, and names of what else it moves.

    Channels that it does not key stay as they were saved. An action that the file itself plays comes with the others
    that the file plays at the same time (of the shape keys).
    """
    action = find_action(name)
    together = [other for _, other in scene.assigned] if any(action == other for _, other in scene.assigned) else []
    curves: dict[tuple[str, int], Any] = {}
    for curve in [curve for item in dict.fromkeys([action, *together]) for curve in curves_of(item)]:
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
    """The things other than channels that curves move, each with the reason where there is one."""
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
    """The value at a data path of the armature or of shape keys; a rest value where there is none."""
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
