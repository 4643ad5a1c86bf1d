"""Poses a learned character and times what Blender does then, for ``benchmarks.systems.hosts.blender_updates``."""

import statistics
import time

import start

start.enable()

import bpy
import character
import numpy as np
from rigcast_blender import binding, evaluation
from rigcast_blender.runtime import rr

MODEL, UPDATES, WARM = start.ARGUMENTS[0], 60, 20


def timed(function):
    """Milliseconds of one call."""
    begin = time.perf_counter()
    function()
    return 1e3 * (time.perf_counter() - begin)


def turn(step):
    """Turn all bones a little: another pose, in which every vertex moves."""
    for bone in rig.pose.bones:
        bone.rotation_euler = (0.3 * np.sin(step), 0.2 * np.cos(step), 0.1)


model = rr.load(MODEL)
character.clear()
rig = character.armature(model, still=True)
for bone in rig.pose.bones:
    bone.rotation_mode = "XYZ"
skin = character.mesh(model, rig)
binding.bind(skin, MODEL, rig)
session, update = model.session(), bpy.context.view_layer.update
whole, alone, still = [], [], []
for step in range(WARM + UPDATES):
    turn(step)
    whole.append(timed(update))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    row = evaluation.pose_row(skin, depsgraph)
    alone.append(timed(lambda row=row: session.evaluate(row)))
assert float(np.abs(character.shown(skin, depsgraph) - model.evaluate(row)).max()) == 0.0
skin.rigcast.live = False
skin.modifiers["Armature"].show_viewport = False
for step in range(WARM + UPDATES):
    turn(step)
    still.append(timed(update))
median = {name: statistics.median(times[WARM:]) for name, times in
          (("update", whole), ("session", alone), ("without", still))}  # fmt: skip
start.tell(**median, version=bpy.app.version_string, number=bpy.app.version, vertices=model.num_vertices)
