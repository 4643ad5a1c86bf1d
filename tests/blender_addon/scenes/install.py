"""Installs the add-on from its zip by Blender's own operator, binds a model with it, and disables it again."""

import importlib

import start

start.sys.path = [path for path in start.sys.path if not path.endswith("/blender")]  # not the sources

import bpy
import character
import numpy as np

ZIP, MODEL = start.ARGUMENTS
if bpy.app.version >= (4, 2):
    bpy.ops.extensions.package_install_files(filepath=ZIP, repo="user_default", enable_on_install=True)
    name = "bl_ext.user_default.rigcast_blender"
else:
    bpy.ops.preferences.addon_install(filepath=ZIP)
    name = "rigcast_blender"
    bpy.ops.preferences.addon_enable(module=name)


def module(place):
    return importlib.import_module(f"{name}.{place}")


binding, evaluation, rr = module("binding"), module("evaluation"), module("runtime").rr
model = rr.load(MODEL)
character.clear()
rig = character.armature(model)
skin = character.mesh(model, rig)
bpy.context.view_layer.objects.active = skin
bpy.ops.rigcast.bind(filepath=MODEL)
worst, seen = 0.0, []
for frame in (1, 5, 30):
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    seen.append(character.shown(skin, depsgraph))
    made = model.evaluate(evaluation.pose_row(skin, depsgraph))
    worst = max(worst, float(np.abs(seen[-1] - made).max()))
addon = bpy.context.preferences.addons[name].preferences
facts = {
    "worst": worst,
    "moves": float(np.ptp(seen, axis=0).max()),
    "library": str(rr._library.PATH),
    "panel": hasattr(bpy.types, "RIGCAST_PT_main"),
    "settings": [addon.threads, addon.trainer],
    "handlers": len(bpy.app.handlers.depsgraph_update_post),
}
bpy.ops.preferences.addon_disable(module=name)
facts["left"] = [hasattr(bpy.types, "RIGCAST_PT_main"), hasattr(bpy.types.Object, "rigcast")]
facts["handlers left"] = len(bpy.app.handlers.depsgraph_update_post)
start.tell(**facts)
