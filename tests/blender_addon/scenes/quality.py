"""A face whose refinements are drawn in part: the knob of the panel, and what the mesh shows then."""

import start

start.enable()

import bpy
import character
from rigcast_blender import binding
from rigcast_blender.runtime import rr

MODEL = start.ARGUMENTS[0]
character.clear()
model = rr.load(MODEL)
face = character.mesh(model, None, "Face")
for place, name in enumerate(model.control_names):
    face[name] = 0.1 * place - 0.3
binding.bind(face, MODEL)
seen = {}
for detail in (1.0, 0.5, 0.0):
    face.rigcast.detail = detail
    bpy.context.view_layer.update()
    seen[str(detail)] = character.shown(face).tolist()
start.tell(seen=seen, refinements=model.num_refinements, row=[face[name] for name in model.control_names])
