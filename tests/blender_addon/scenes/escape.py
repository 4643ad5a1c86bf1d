"""Presses Esc while a bake, a solve and a learning run in a window, and quits while a bake does; what is left then."""

import collections
import json
import os
import subprocess
import time
import traceback
import weakref

import start

start.enable()

import arm
import bpy
import face
from drawn import drawn
from rigcast_blender.bake import RIGCAST_PT_bake
from rigcast_blender.faces.solve import RIGCAST_PT_solve
from rigcast_blender.jobs import running
from rigcast_blender.learning import operators
from rigcast_blender.learning import plan as plans
from rigcast_blender.learning.panel import RIGCAST_PT_learn

PATIENCE = 200.0  # seconds for a job to come as far as it is wanted
running.TURN = 0.01  # of work per tick: the jobs last
CURRENT, told = running.CURRENT, {}


def view():
    """The 3D view of the window, for operators."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def select(*items):
    for other in bpy.context.view_layer.objects:
        other.select_set(other in items)
    bpy.context.view_layer.objects.active = items[-1]


def until(known):
    """Wait; Blender goes on meanwhile."""
    end = time.monotonic() + PATIENCE
    while not known():
        assert time.monotonic() < end, CURRENT.progress
        yield


def escaped(name, operator, panel, ready):
    """Begin, press Esc when it is ready, wait for the end; what was open then and is open now."""
    with view():
        assert operator("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from until(ready)
    before = opened()
    subprocess.Popen(["xdotool", "mousemove", "400", "400", "key", "Escape"])
    yield from until(lambda: not CURRENT.runs)
    with view():
        told[name] = {"before": before, "after": opened(), "texts": drawn(panel).texts}


def opened():
    """Open files of the test's folder, children, and handles of the C library."""
    files = [os.readlink(f"/proc/self/fd/{place}") for place in os.listdir("/proc/self/fd")
             if os.path.exists(f"/proc/self/fd/{place}")]  # fmt: skip
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        children = [process for process in file.read().split() if "rigcast" in command(process)]
    handles = collections.Counter(item.func.__name__ for item in weakref.finalize._registry.values())
    return {
        "files": [path for path in files if path.endswith(".part")],
        "children": len(children),
        "handles": {name: count for name, count in handles.items() if name.startswith("rigcast_")},
    }


def command(process):
    with open(f"/proc/{process}/cmdline") as file:
        return file.read()


def solving():
    return CURRENT.progress.text.startswith("frame ")


def sampling():
    return CURRENT.progress.text.startswith(operators.STEPS["sample"]) and CURRENT.progress.fraction


def acts():
    scene = bpy.context.scene
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    actor, double = face.build("Actor"), face.build("Double")
    face.perform(actor)
    scene.frame_start, scene.frame_end = 1, 3000
    scene.frame_set(7)
    scene.rigcast_bake.path = str(start.FOLDER / "actor")
    select(actor)
    part = start.FOLDER / "actor.pc2.part"
    yield from escaped("bake", bpy.ops.rigcast.bake, RIGCAST_PT_bake, part.exists)
    told["bake"]["left"] = [sorted(path.name for path in start.FOLDER.glob("actor*")), scene.frame_current]
    select(actor, double)
    yield from escaped("solve", bpy.ops.rigcast.solve, RIGCAST_PT_solve, solving)
    told["solve"]["left"] = [double.data.shape_keys.animation_data.action is None, scene.frame_current]

    rig, _ = arm.build()
    bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "arm.blend"), check_existing=False)
    select(rig)
    scene.rigcast_learn.count, scene.rigcast_learn.steps = 400, 10
    yield from escaped("learn", bpy.ops.rigcast.learn, RIGCAST_PT_learn, sampling)
    with view():
        kept = operators.plan_of(operators.character_of(bpy.context))
    told["learn"]["left"] = [kept.done, kept.unfinished, len(list((kept.folder / plans.DATA).iterdir()))]

    actor = face.build("Actor")
    face.perform(actor)
    scene.frame_end = 3000
    select(actor)
    with view():
        assert bpy.ops.rigcast.bake("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from until(part.exists)
    told["quit while it runs"] = CURRENT.runs


def step(steps=acts()):  # noqa: B008 -- one generator for all calls
    try:
        next(steps)
        return 0.05
    except StopIteration:
        pass
    except Exception:  # noqa: BLE001 -- told, and Blender ends
        told["error"] = traceback.format_exc()
    (start.FOLDER / "told.json").write_text(json.dumps(told))
    with view():
        bpy.ops.wm.quit_blender()
    return None


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=1.0)
