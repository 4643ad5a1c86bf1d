"""Plays labels of a synthesizer onto the arm, by themselves and by a script."""

import json

import start

start.enable()

import arm
import bpy
import numpy as np
from rigcast_blender.posing import synthesize
from rigcast_blender.posing.controls import Controls

FROM, SECONDS = 5, 1.0
rig, skin = arm.build()
rig.animation_data.action = None
bpy.context.view_layer.objects.active = rig
settings, scene = bpy.context.scene.rigcast_synthesize, bpy.context.scene
bpy.context.preferences.addons["rigcast_blender"].preferences.trainer = "/no/such/program"  # none is needed


def played(**given):
    """The values (T, N) that the frames have after playing."""
    for name, value in given.items():
        setattr(settings, name, value)
    scene.frame_set(FROM)
    assert bpy.ops.rigcast.synthesize() == {"FINISHED"}
    controls, rows = Controls(synthesize.synthesizer_of(start.ARGUMENTS[0]).control_names, rig, [skin]), []
    for frame in range(FROM, FROM + round(SECONDS * scene.render.fps)):
        scene.frame_set(frame)
        rows.append(controls.read().tolist())
    return rows


def refusal(path):
    settings.path = str(path)
    try:
        bpy.ops.rigcast.synthesize()
    except RuntimeError as error:
        return str(error)
    return ""


settings.path, settings.seconds, settings.seed = start.ARGUMENTS[0], SECONDS, 3
wave = played(label="wave")
script = start.FOLDER / "script.json"
commands = [{"at": 0.0, "command": "idle", "label": "rest"}, {"at": 0.4, "command": "transition", "label": "wave"}]
script.write_text(json.dumps({"commands": commands}))
both = played(label="", script=str(script))
start.tell(
    labels=synthesize.labels_of(start.ARGUMENTS[0]),
    wave=wave,
    both=both,
    end=scene.frame_end,
    moved=float(np.ptp(np.array(wave), axis=0).max()),
    missing=refusal(start.FOLDER / "nothing.safetensors"),
    of_vertices=refusal(start.ARGUMENTS[1]),
    broken=refusal(script),
)
