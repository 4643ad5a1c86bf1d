"""What the main panel shows while a mesh, an armature, a pin or nothing is active."""

import start

start.enable()

import bpy
import character
from drawn import drawn
from rigcast_blender import binding
from rigcast_blender.panel import RIGCAST_PT_main
from rigcast_blender.runtime import rr

PARTS = start.ARGUMENTS[0]
told = {}


def shown(item):
    """The meshes of which Live is shown, the labels, and the buttons."""
    bpy.context.view_layer.objects.active = item
    layout = drawn(RIGCAST_PT_main)
    live = [owner for owner, name in layout.properties if name == "live"]
    buttons = [[name, getattr(settings, "item", "")] for name, settings in layout.operators]
    return {"live": live, "texts": layout.texts, "buttons": buttons}


model = rr.load(PARTS)
character.clear()
rig = character.armature(model)
lower, upper = (character.part(model, rig, name) for name in model.parts)
told["unbound mesh"] = shown(lower)
told["unbound armature"] = shown(rig)
for item in (lower, upper):
    binding.bind(item, PARTS)
told["mesh"] = shown(upper)
told["armature"] = shown(rig)
bpy.context.view_layer.objects.active = upper
bpy.ops.rigcast.add_pin(vertex=3)
told["pin"] = shown(bpy.context.active_object)
bpy.context.active_object.rigcast_pin.item = None
told["other empty"] = shown(bpy.context.active_object)
told["nothing"] = shown(None)
bpy.context.view_layer.objects.active = rig
bpy.ops.rigcast.unbind(item="upper")
told["one unbound"] = shown(rig)
bpy.ops.rigcast.unbind()
told["all unbound"] = [binding.bound(lower), binding.bound(upper)]
start.tell(**told)
