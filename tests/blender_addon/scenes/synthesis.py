"""Plays a label of a synthesizer onto the arm."""

import start

start.enable()

import arm
import bpy
import numpy as np
from rigcast_blender.posing import synthesize
from rigcast_blender.posing.controls import Controls

rig, skin = arm.build()
rig.animation_data.action = None
bpy.context.view_layer.objects.active = rig
settings, scene = bpy.context.scene.rigcast_synthesize, bpy.context.scene
settings.path, settings.label, settings.seconds, settings.seed = start.ARGUMENTS[0], "wave", 1.0, 3
scene.frame_set(5)
assert bpy.ops.rigcast.synthesize() == {"FINISHED"}
played = np.load(start.FOLDER / "cache" / "synthesis" / "played.npz")
controls = Controls([str(name) for name in played["names"]], rig, [skin])
rows = []
for frame in range(5, 5 + len(played["channels"])):
    scene.frame_set(frame)
    rows.append(controls.read())
settings.path = str(start.FOLDER / "nothing.safetensors")
try:
    bpy.ops.rigcast.synthesize()
except RuntimeError as error:
    refused = str(error)
start.tell(
    labels=synthesize.labels_of(start.ARGUMENTS[0]),
    frames=len(rows),
    end=scene.frame_end,
    error=float(np.abs(np.array(rows) - played["channels"]).max()),
    moved=float(np.ptp(np.array(rows), axis=0).max()),
    refused=refused,
)
