"""A body in the scene: frames, files, undo, links, two objects on one mesh, and names and files that are gone."""

from pathlib import Path

import start

start.enable()

import bpy
import character
import numpy as np
import rigcast_blender
from rigcast_blender import binding, evaluation, live
from rigcast_blender.runtime import rr

MODEL = start.ARGUMENTS[0]
model = rr.load(MODEL)
session = model.session()
told = {}


def error(item, frames=(1, 2, 7, 20, 40), still=True):
    """The largest difference from the model over frames, and how far the mesh moves."""
    worst, seen = 0.0, []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        seen.append(character.shown(item, depsgraph))
        row = evaluation.pose_row(item, depsgraph)
        worst = max(worst, float(np.abs(seen[-1] - model.evaluate(row)).max()))
    assert np.ptp(seen, axis=0).max() > 0.05, "nothing moves"
    return worst


def expected(item):
    """What the model makes of the armature now, by Blender's own linear blend."""
    return evaluation.pose_row(item, bpy.context.evaluated_depsgraph_get())


def fresh():
    character.clear()
    rig = character.armature(model)
    skin = character.mesh(model, rig)
    binding.bind(skin, MODEL, rig)
    return rig, skin


rig, skin = fresh()
told["frames"] = error(skin, range(1, 41))

path = str(start.FOLDER / "saved.blend")
bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "library.blend"), check_existing=False, copy=True)
bpy.ops.wm.open_mainfile(filepath=path)
rig, skin = bpy.data.objects["Rig"], bpy.data.objects["Skin"]
told["reopened"] = error(skin)

bpy.context.preferences.edit.use_global_undo = True
before = character.shown(skin).copy()
bpy.ops.ed.undo_push(message="before")
rig.pose.bones[0].rotation_euler[1] += 0.5
bpy.context.view_layer.update()
bpy.ops.ed.undo_push(message="after")
told["by hand"] = float(np.abs(character.shown(skin) - model.evaluate(expected(skin))).max())
moved = character.shown(skin).copy()
bpy.ops.ed.undo()
skin = bpy.data.objects["Skin"]
told["undone"] = float(np.abs(character.shown(skin) - model.evaluate(expected(skin))).max())
told["redone"] = 0.0
for _ in range(50):
    bpy.ops.ed.redo()
    skin = bpy.data.objects["Skin"]
    told["redone"] = max(told["redone"], float(np.abs(character.shown(skin) - moved).max()))
    bpy.ops.ed.undo()
told["undo moves"] = float(np.abs(moved - before).max())
told["undone to before"] = float(np.abs(character.shown(bpy.data.objects["Skin"]) - before).max())
skin = bpy.data.objects["Skin"]
told["undo frames"] = error(skin)

# another armature and another object on the same mesh
second = character.armature(model, "Rig 2")
second.pose.bones[0].driver_add("location", 1).driver.expression = "0.01 * frame"
twin = character.placed(skin.data, second, "Twin")
binding.bind(twin, MODEL, second)
told["first of two"], told["second of two"] = error(skin), error(twin)
told["two differ"] = float(np.abs(character.shown(skin) - character.shown(twin)).max())

# a duplicate gets points of its own
copied = skin.copy()
bpy.context.scene.collection.objects.link(copied)
copied.parent = copied.rigcast.armature = copied.modifiers["Armature"].object = second
told["duplicate"] = error(copied)
told["original of it"] = error(skin)
told["own points"] = copied.rigcast.points != skin.rigcast.points

# appended, linked, overridden
character.clear()
with bpy.data.libraries.load(str(start.FOLDER / "library.blend"), link=False) as (_, into):
    into.objects = ["Rig", "Skin"]
for item in into.objects:
    bpy.context.scene.collection.objects.link(item)
told["appended"] = error(bpy.data.objects["Skin"])
character.clear()
with bpy.data.libraries.load(str(start.FOLDER / "library.blend"), link=True) as (_, into):
    into.objects = ["Rig", "Skin"]
for item in into.objects:
    bpy.context.scene.collection.objects.link(item)
linked = bpy.data.objects["Skin"]
try:
    binding.bind(linked, MODEL, None)
except binding.BindError as failure:
    told["plain link"] = str(failure)
rig = bpy.data.objects["Rig"].override_create(remap_local_usages=True)
skin = linked.override_create(remap_local_usages=True)
skin.parent = rig
skin.modifiers["Armature"].object = rig
skin.rigcast.armature = rig
rig.animation_data_create()
for item in (rig, skin):
    if item.name not in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.link(item)
told["overridden"] = error(skin)
told["local points"] = skin.rigcast.points.library is None
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "overriding.blend"), check_existing=False)
bpy.ops.wm.open_mainfile(filepath=str(start.FOLDER / "overriding.blend"))
skin = next(item for item in bpy.data.objects if item.type == "MESH" and item.override_library)
told["overridden, reopened"] = error(skin)

# what is gone
rig, skin = fresh()
rig.pose.bones[1].name = "renamed_bone"
bpy.context.scene.frame_set(9)
told["renamed"], told["renamed live"] = skin.rigcast.message, skin.rigcast.live
rig.pose.bones[1].name = model.skeleton.names[1]
skin.rigcast.live = True
told["renamed back"] = error(skin)
rig, skin = fresh()
gone = start.FOLDER / "gone.safetensors"
gone.write_bytes(Path(MODEL).read_bytes())
binding.bind(skin, str(gone), rig)
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "gone.blend"), check_existing=False)
gone.unlink()
said, live.print = [], lambda *words, **_: said.append(words)
bpy.ops.wm.open_mainfile(filepath=str(start.FOLDER / "gone.blend"))
skin = bpy.data.objects["Skin"]
for frame in range(1, 9):
    bpy.context.scene.frame_set(frame)
told["missing said"] = len(said)
told["missing"], told["missing live"] = skin.rigcast.message, skin.rigcast.live
rig, skin = fresh()
told["held"] = evaluation.held()
binding.unbind(skin)
told["held after unbinding"] = evaluation.held()
told["left"] = {
    "points": len(bpy.data.objects) - len(bpy.context.scene.objects),
    "trees": len(bpy.data.node_groups),
    "modifiers": [modifier.name for modifier in skin.modifiers],
    "shown": skin.modifiers["Armature"].show_viewport,
}
rigcast_blender.unregister()
rigcast_blender.unregister()
start.tell(**told)
