"""Pins a point of the learned arm, drags it, undoes that, and keys a path over all frames."""

import sys

import start

start.enable()

import bpy
import numpy as np
from rigcast_blender.evaluation import model_of
from rigcast_blender.moving import vertices_of
from rigcast_blender.posing import pins, reaching
from rigcast_blender.posing.controls import Controls

ASIDE = np.array([0.5, 0.0, 0.0])  # how far the learned mesh is shown from the original
bpy.ops.wm.open_mainfile(filepath=start.ARGUMENTS[0])
scene = bpy.context.scene
rig, skin, item = (bpy.data.objects[name] for name in ("Rig", "Skin", start.ARGUMENTS[1]))
item.rigcast_compare.aside = ASIDE[0]
model = model_of(item)
TIP = int(model.rest_vertices[:, 0].argmax())
ranges = np.array([(channel.low, channel.high) for channel in model.channels])


def skin_at(vertex):
    bpy.context.view_layer.update()
    return vertices_of(bpy.data.objects["Skin"], bpy.context.evaluated_depsgraph_get(), world=True)[vertex]


def set_controls():
    return reaching.controls_of(bpy.data.objects[start.ARGUMENTS[1]]).read()


def activate(other):
    bpy.context.view_layer.objects.active = other


facts, path = {}, {}  # path: where the tip goes in the action, which it can reach
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    path[frame] = skin_at(TIP)
scene.frame_set(3)
activate(item)
bpy.context.view_layer.update()
scene.cursor.location = vertices_of(item, bpy.context.evaluated_depsgraph_get(), world=True)[TIP].tolist()
assert bpy.ops.rigcast.add_pin() == {"FINISHED"}
pin = bpy.context.active_object
facts["pin"] = [
    pin.rigcast_pin.vertex == TIP,
    float(np.linalg.norm(np.array(pin.location) - skin_at(TIP) - [0.5, 0, 0])),
]

# A drag, and its undo.
bpy.ops.ed.undo_push(message="pinned")
before, place = set_controls(), skin_at(TIP)
pin.location = (path[5] + ASIDE).tolist()
bpy.context.view_layer.update()
after = set_controls()
facts["reached"] = float(np.linalg.norm(skin_at(TIP) - path[5]))
facts["dragged"] = float(np.linalg.norm(path[5] - place))
facts["miss"] = item.rigcast_pins.miss
facts["inside"] = bool(((after >= ranges[:, 0] - 1e-3) & (after <= ranges[:, 1] + 1e-3)).all())
facts["changed"] = int((np.abs(after - before) > 1e-4).sum())
bpy.ops.ed.undo_push(message="dragged")
bpy.ops.ed.undo()
bpy.context.view_layer.update()
facts["undone"] = float(np.abs(set_controls() - before).max())
scene = bpy.context.scene  # undo has replaced everything
item, skin, rig = bpy.data.objects[start.ARGUMENTS[1]], bpy.data.objects["Skin"], bpy.data.objects["Rig"]

# Two pins, of which one stays.
activate(item)
still = int(np.abs(model_of(item).rest_vertices[:, 0] - 0.4).argmin())
assert bpy.ops.rigcast.add_pin(vertex=still) == {"FINISHED"}
facts["again"] = list(bpy.ops.rigcast.add_pin(vertex=still))

# Keys of all frames.
pin = next(other for other in pins.pins_of(item) if other.rigcast_pin.vertex == TIP)
held = next(other for other in pins.pins_of(item) if other.rigcast_pin.vertex == still)
held.rigcast_pin.weight = 0.0
rig.animation_data.action = None
for frame, target in path.items():
    pin.location = (target + ASIDE).tolist()
    pin.keyframe_insert("location", frame=frame)
assert bpy.ops.rigcast.key_pins(scope="RANGE") == {"FINISHED"}
item.rigcast_pins.follow = False
worst = 0.0
for frame, target in path.items():
    scene.frame_set(frame)
    worst = max(worst, float(np.linalg.norm(skin_at(TIP) - target)))
facts["keyed"] = worst
facts["frame"] = scene.frame_current

# Units, orders and names of controls.
activate(item)
bone = rig.pose.bones["lower"]
bone["twist"] = 2
names = ["lower.rotation_y", "hand.rotation_x", "upper.location_z", "lower.twist", "shape.bulge", "nobody.rotation_x"]
controls = Controls(names, rig, [skin])
controls.write([30.0, 20.0, 0.25, 2.6, 0.75, 1.0])
turn = rig.pose.bones["hand"].rotation_quaternion.to_euler("XYZ")
facts["written"] = [
    round(float(np.degrees(bone.rotation_euler[1])), 3),
    round(float(np.degrees(turn.x)), 3),
    rig.pose.bones["upper"].location[2],
    bone["twist"],
    skin.data.shape_keys.key_blocks["bulge"].value,
]
facts["missing"] = controls.missing
facts["read"] = [round(float(value), 3) for value in controls.read()[:5]]

activate(item)
bpy.ops.rigcast.snap_pins()
shown = vertices_of(item, bpy.context.evaluated_depsgraph_get(), world=True)
facts["snapped"] = max(
    float(np.linalg.norm(np.array(p.location) - shown[p.rigcast_pin.vertex])) for p in pins.pins_of(item)
)
bpy.ops.rigcast.remove_pins(every=True)
facts["left"] = len(pins.pins_of(item))
start.tell(**facts)
sys.stdout.flush()
