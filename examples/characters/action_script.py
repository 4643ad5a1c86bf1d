"""Runs inside Blender: keys channels of a .blend's character as an action that the file plays.

Usage: ``... action_script.py -- FILE ACTION``. ``ACTION`` is an .npz with ``name``, ``fps``, ``names`` (N,) and
``channels`` (T, N): ``bone.rotation_x`` in degrees and ``shape.NAME``, frame 1 first. Needs bpy and NumPy only.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

Array = np.ndarray[Any, Any]
SHAPE = "shape."


def key_channels(armature: Any, mesh: Any, action: Mapping[str, Array]) -> None:
    """One key per frame on every channel that leaves 0."""
    keys, name = mesh.data.shape_keys, str(action["name"])
    give_action(armature, name)
    give_action(keys, name)
    for channel, values in zip(action["names"].tolist(), action["channels"].T, strict=True):
        if not values.any():
            continue
        if channel.startswith(SHAPE):
            block = keys.key_blocks[channel.removeprefix(SHAPE)]
            for frame, block.value in enumerate(values.tolist(), start=1):
                block.keyframe_insert("value", frame=frame)
        else:
            bone, _, attribute = channel.rpartition(".")
            key_angle(armature.pose.bones[bone], "xyz".index(attribute.removeprefix("rotation_")), values)


def give_action(block: Any, name: str) -> None:
    """The action of that name: one for all data blocks where actions have slots (Blender 4.4), else one each."""
    action = bpy.data.actions.get(name)
    if action is None or not hasattr(action, "slots"):
        action = bpy.data.actions.new(name)
    block.animation_data_create().action = action


def key_angle(bone: Any, axis: int, degrees: Array) -> None:
    """Key one Euler angle from frame 1 on."""
    for frame, angle in enumerate(np.radians(degrees).tolist(), start=1):
        bone.rotation_euler[axis] = angle
        bone.keyframe_insert("rotation_euler", index=axis, frame=frame)


def set_timeline(fps: float, frames: int) -> None:
    """Frames 1 to T at the rate."""
    scene = bpy.context.scene
    scene.render.fps = max(1, math.ceil(fps))
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start, scene.frame_end = 1, frames
    scene.frame_set(1)


if __name__ == "__main__":
    file, source = sys.argv[sys.argv.index("--") + 1 :]
    bpy.ops.wm.open_mainfile(filepath=file, load_ui=False, use_scripts=False)
    arrays = dict(np.load(source, allow_pickle=False))
    body = next(item for item in bpy.data.objects if item.type == "MESH")
    key_channels(bpy.data.objects["Rig"], body, arrays)
    set_timeline(float(arrays["fps"]), len(arrays["channels"]))
    bpy.ops.wm.save_mainfile()
