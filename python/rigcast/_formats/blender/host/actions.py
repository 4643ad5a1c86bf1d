"""Actions stored in the file: the channels that they key, and what they move beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .curves import channel_curves, curves_of, paths_of
from .objects import InputError, one_of
from .paths import words_of

if TYPE_CHECKING:
    from .scene import Scene

STILL = 1e-6  # a curve that leaves its rest value by less moves nothing


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


def action_channels(scene: Scene, name: str) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Channels (T, N) of a named action over its whole frames, and names of what else it moves.

    Channels that it does not move stay in the bind state. An action that the file itself plays comes with the others
    that the file plays at the same time (of the shape keys).
    """
    action = find_action(name)
    beside = [other for _, other in scene.assigned] if any(action == other for _, other in scene.assigned) else []
    curves: dict[tuple[str, int], Any] = {}
    for curve in [curve for item in dict.fromkeys([action, *beside]) for curve in curves_of(item)]:
        curves.setdefault((curve.data_path, curve.array_index), curve)
    frames = frames_of(action)
    rows = np.tile([channel.rest for channel in scene.channels], (len(frames), 1))
    reached: set[tuple[str, int]] = set()
    for column, channel in enumerate(scene.channels):
        value = channel_curves(channel, scene.armature, curves)
        if value is not None:
            rows[:, column] = [value(frame) for frame in frames]
            reached |= set(paths_of(channel, scene.armature))
    return rows, missed_of(scene, curves, reached, frames)


def missed_of(
    scene: Scene, curves: dict[tuple[str, int], Any], reached: set[tuple[str, int]], frames: range
) -> list[str]:
    """What curves move that is no channel, each with the reason where there is one."""
    found: dict[str, None] = {}
    for (path, index), curve in curves.items():
        if (path, index) in reached:
            continue
        values = [curve.evaluate(frame) for frame in frames]
        rest = 1.0 if path.endswith("scale") or (path.endswith("rotation_quaternion") and index == 0) else 0.0
        if max(abs(value - rest) for value in values) > STILL:
            name = words_of(path, index).replace("the object", f"object {scene.armature and scene.armature.name!r}")
            bone = name.rpartition(".")[0]
            why = f" (moved by {scene.moved[bone]})" if bone in scene.moved else ""
            found[name + why] = None
    return list(found)
