"""The same file opened over and over, and undo and redo in turns, with a live character: what stays in memory."""

import collections
import os
import weakref

import start

start.enable()

import bpy
import character
import numpy as np
from rigcast_blender import binding, evaluation
from rigcast_blender.runtime import rr

MODEL, COUNT, PAIRS = start.ARGUMENTS[0], int(start.ARGUMENTS[1]), int(start.ARGUMENTS[2])
PATH = str(start.FOLDER / "character.blend")


def memory():
    """Resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def handles():
    """Handles of the C library that live, by the function that frees them."""
    found = [item.func.__name__ for item in weakref.finalize._registry.values()]
    return dict(collections.Counter(name for name in found if name.startswith("rigcast_")))


def opened(count):
    """Open the file so many times; the error of the last, and the handles that lived after each."""
    seen = []
    for place in range(count):
        bpy.ops.wm.open_mainfile(filepath=PATH)
        bpy.context.scene.frame_set(2 + place % 30)
        seen.append(handles())
    return error(), max(seen, key=lambda found: sum(found.values()))


def error():
    skin = bpy.data.objects["Skin"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    made = model.evaluate(evaluation.pose_row(skin, depsgraph))
    return float(np.abs(character.shown(skin, depsgraph) - made).max())


def in_turns(pairs):
    """Undo and redo so many times; the largest differences from what was there before, and after."""
    skin, rig = bpy.data.objects["Skin"], bpy.data.objects["Rig"]
    before = character.shown(skin).copy()
    bpy.ops.ed.undo_push(message="before")
    rig.pose.bones[0].rotation_euler[1] += 0.5
    bpy.context.view_layer.update()
    after = character.shown(skin).copy()
    bpy.ops.ed.undo_push(message="after")
    worst = [0.0, 0.0]
    for _ in range(pairs):
        for place, (step, wanted) in enumerate(((bpy.ops.ed.undo, before), (bpy.ops.ed.redo, after))):
            step()
            apart = float(np.abs(character.shown(bpy.data.objects["Skin"]) - wanted).max())
            worst[place] = max(worst[place], apart)
    return [*worst, float(np.abs(after - before).max())]


model = rr.load(MODEL)
at_first = handles()
character.clear()
rig = character.armature(model)
skin = character.mesh(model, rig)
binding.bind(skin, MODEL, rig)
skin.rigcast.show = "CONFIDENCE"
bpy.ops.wm.save_as_mainfile(filepath=PATH, check_existing=False)
bpy.context.preferences.edit.use_global_undo = True

opened(COUNT // 10)
warm = memory()
last, most = opened(COUNT)
grown = memory() - warm
in_turns(PAIRS // 10)
warm = memory()
turns = in_turns(PAIRS)
turned = memory() - warm
living = handles()
binding.unbind(bpy.data.objects["Skin"])
start.tell(
    grown=grown,
    size=os.path.getsize(PATH),
    error=last,
    at_first=at_first,
    most=most,
    turns=turns,
    grown_by_turns=turned,
    living=living,
    left=handles(),
)
