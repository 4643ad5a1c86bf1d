"""Renders a live character, opens its file again, and ends: well, or with a fault of the script's own."""

import sys

import start

start.enable()

import bpy
import character
from rigcast_blender import binding
from rigcast_blender.runtime import rr

MODEL, HOW = start.ARGUMENTS
model = rr.load(MODEL)
character.clear()
rig = character.armature(model)
binding.bind(character.mesh(model, rig), MODEL, rig)
path = str(start.FOLDER / "character.blend")
bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
bpy.ops.wm.open_mainfile(filepath=path)

scene = bpy.context.scene
eye = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
scene.collection.objects.link(eye)
scene.camera = eye
scene.render.engine, scene.cycles.samples = "CYCLES", 1
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = 16, 16
scene.render.filepath = str(start.FOLDER / "still.png")
bpy.ops.render.render(write_still=True)
assert bpy.data.objects["Skin"].rigcast.live
start.tell(handlers=len(bpy.app.handlers.depsgraph_update_post))
if HOW == "fails":
    raise RuntimeError("a fault of the script")
if HOW == "exits":
    sys.exit(7)
