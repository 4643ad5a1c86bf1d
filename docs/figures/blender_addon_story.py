"""Runs inside Blender, on a display: learns a character by the add-on's own buttons, stops and goes on, drags it, and
takes pictures.

Arguments: CHARACTER.blend FOLDER TRAINER.
"""

import os
import subprocess
import sys
import traceback
from pathlib import Path

import addon_utils
import bpy

CHARACTER, FOLDER, TRAINER = sys.argv[sys.argv.index("--") + 1 :]
STEPS, COUNT = int(os.environ.get("STORY_STEPS", "400")), int(os.environ.get("STORY_POSES", "600"))
TAB = 1043, 248  # pixels: the add-on's tab of the sidebar

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "blender"))


def view():
    """The window, the 3D view, its main region and its space."""
    window = bpy.context.window_manager.windows[0]
    area = max((a for a in window.screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width)
    return window, area, next(r for r in area.regions if r.type == "WINDOW"), area.spaces.active


def inside():
    """A context of the 3D view."""
    window, area, region, _ = view()
    return bpy.context.temp_override(window=window, area=area, region=region)


def picture(name):
    """A screenshot."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        bpy.ops.screen.screenshot(filepath=str(Path(FOLDER) / f"blender_addon_{name}.png"))


def press(x, y):
    """Click, in pixels from the upper left."""
    places = ((x - 140, y + 350), (x - 3, y - 8), (x, y))  # a region becomes active when the mouse moves in it
    moves = [word for place in places for word in ("mousemove", *map(str, place), "sleep", "1")]
    subprocess.Popen(["xdotool", *moves, "mousedown", "1", "sleep", "0.5", "mouseup", "1"])  # while Blender goes on


def activate(*names):
    with inside():
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for item in list(bpy.context.selected_objects):
            item.select_set(False)
        for name in names:
            bpy.data.objects[name].select_set(True)
        bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def frame_view(*names):
    activate(*names)
    with inside():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()


def prepare():
    """The add-on enabled, only the character shown, the sidebar with its tab."""
    preferences = bpy.context.preferences
    for item in [item for item in bpy.data.objects if item.name.startswith("WGT-")]:
        if item.name in bpy.context.view_layer.objects:
            item.hide_set(True)
    from rigcast_blender.posing import drag

    drag.RIGCAST_PT_pins.bl_options = set()  # open in the pictures
    addon_utils.enable("rigcast_blender", default_set=True)
    chosen = preferences.addons["rigcast_blender"].preferences
    chosen.trainer, chosen.cache = TRAINER, str(Path(TRAINER).parent / "cache")
    settings = bpy.context.scene.rigcast_learn
    settings.count, settings.steps = COUNT, STEPS
    settings.output = str(Path(TRAINER).parent / "walker.safetensors")
    space = view()[3]
    space.show_region_ui, space.show_region_toolbar = True, False
    space.overlay.show_cursor = True


def story():
    """Yields seconds to wait; None: until nothing runs."""
    from rigcast_blender.jobs.running import CURRENT

    bpy.context.preferences.view.show_splash = False
    bpy.ops.wm.open_mainfile(filepath=CHARACTER, load_ui=False)
    yield 1.0
    prepare()
    yield 2.0
    frame_view("rig")
    yield 1.5
    for _ in range(2):
        press(*TAB)
        yield 6.0
    with inside():
        bpy.ops.rigcast.check("INVOKE_DEFAULT")
    while CURRENT.runs:
        yield 0.5
    yield 1.0
    picture("check")
    yield from learned(CURRENT)
    yield from lamp()
    yield from dragged()
    bpy.ops.wm.quit_blender()


def learned(current):
    """Learn, stop by the key Esc in the middle of the sampling, go on, and color the copy by its error."""
    with inside():
        bpy.ops.rigcast.learn("INVOKE_DEFAULT")
    while not (current.progress.text.startswith("Step 2") and (current.progress.fraction or 0.0) > 0.3):
        yield 0.3
    yield 1.0
    picture("learn")
    subprocess.Popen(["xdotool", "mousemove", "420", "400", "sleep", "0.5", "key", "Escape"])
    waited = 0.0
    while current.runs:
        assert waited < 60.0, "Esc was not heard"
        waited += 0.5
        yield 0.5
    yield 1.5
    picture("stopped")
    with inside():
        bpy.ops.rigcast.learn("INVOKE_DEFAULT")
    while current.runs:
        yield 0.5
    yield 1.0
    copy = bpy.context.view_layer.objects.active.name
    bpy.context.scene.frame_set(23)
    frame_view("Body", copy)
    with inside():
        bpy.ops.rigcast.show_error()
    yield 1.5
    picture("beside")


def lamp():
    """Turn the head as in no training pose: the lamp names the bone."""
    head = bpy.data.objects["rig"].pose.bones["head"]
    head.rotation_euler[2] += 1.2
    bpy.context.view_layer.objects.active.rigcast.show = "CONFIDENCE"
    yield 2.0
    picture("lamp")
    head.rotation_euler[2] -= 1.2
    bpy.context.view_layer.objects.active.rigcast.show = "NONE"
    yield 1.0


def dragged():
    """Pin the hand and move the pin."""
    with inside():
        item = bpy.context.view_layer.objects.active
        hand = int(max(range(len(item.data.vertices)), key=lambda i: item.data.vertices[i].co.x))
        bpy.ops.rigcast.add_pin("EXEC_DEFAULT", vertex=hand)
    yield 1.0
    pin = bpy.context.view_layer.objects.active
    pin.location.z += 0.09
    pin.location.x -= 0.02
    yield 2.0
    picture("drag")


playing = story()


def tick():
    try:
        return next(playing)
    except StopIteration:
        return None
    except Exception:  # noqa: BLE001 -- whatever it is, Blender must not stay
        traceback.print_exc()
        os._exit(1)


bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
