"""What the file's NLA tracks play, as one clip: all strips that are not muted, with the action above them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .actions import frames_of, missed_of
from .channels import Channel, bone_value
from .curves import curves_of, paths_of
from .objects import InputError, one_of
from .playing import assign

if TYPE_CHECKING:
    from .scene import Scene

Array = np.ndarray[Any, Any]
NLA = "NLA"  # the name of the clip


def is_nla(name: str) -> bool:
    """Whether a name means the tracks, not an action of that name."""
    return name == NLA and NLA not in bpy.data.actions


def plays_nla(owners: list[Any]) -> list[Any]:
    """The data blocks with tracks that the file plays."""
    return [item for item in owners if item.animation_data and item.animation_data.use_nla and _strips(item)]


def nla_frames(owners: list[Any]) -> range:
    """From the start of the first strip to the end of the last one."""
    strips = [strip for owner in owners for strip in _strips(owner)]
    first, last = (round(end(strips)) for end in (_start, _end))
    return range(first, last + 1)


def play_nla(scene: Scene, name: str) -> Iterator[tuple[Array, Array]]:
    """Pose row and vertices of every frame, as Blender plays the file; leaves the scene in the last one."""
    for _ in _frames(scene, name):
        yield scene.current()


def nla_channels(scene: Scene, name: str) -> tuple[Array, list[str]]:
    """Channels (T, N) of every frame, and names of what else the strips move; leaves the scene as it was saved."""
    rows = [[_value(scene, channel) for channel in scene.channels] for _ in _frames(scene, name)]
    scene.as_saved()
    reached = {path for channel in scene.channels for path in paths_of(channel, scene.armature)}
    found: dict[str, None] = {}
    for action in {strip.action for owner in scene.nla for strip in _strips(owner) if strip.action}:
        curves = {(curve.data_path, curve.array_index): curve for curve in curves_of(action)}
        found |= dict.fromkeys(missed_of(scene, curves, reached, frames_of(action)))
    return np.array(rows, np.float64).reshape(len(rows), len(scene.channels)), sorted(found)


def _frames(scene: Scene, name: str) -> Iterator[int]:
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


def _strips(owner: Any) -> list[Any]:
    """Strips of the tracks that are not muted, those inside meta strips too."""
    return [s for track in owner.animation_data.nla_tracks if not track.mute for s in _inner(track.strips)]


def _inner(strips: Any) -> list[Any]:
    found = []
    for strip in strips:
        if not strip.mute:
            found += [strip, *_inner(strip.strips)] if strip.type == "META" else [strip]
    return found


def _start(strips: list[Any]) -> float:
    return min(float(strip.frame_start) for strip in strips)


def _end(strips: list[Any]) -> float:
    return max(float(strip.frame_end) for strip in strips)


def _value(scene: Scene, channel: Channel) -> float:
    """The value that Blender has given a channel."""
    if channel.kind in ("shape", "property"):
        return scene.dial(channel)
    assert scene.armature is not None
    return bone_value(scene.armature.pose.bones[channel.target], channel.kind, channel.axis)
