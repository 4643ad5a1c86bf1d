"""Learns a whole character by the buttons of the add-on, plays its action on its controls, and compares.

Arguments: ``rigify`` to generate one in this Blender, or a .blend; the armature, the action, a control
that the action does not turn about z, poses and steps.
"""

import runpy
from pathlib import Path

import start

ORIGIN, RIG, ACTION, TURNED, COUNT, STEPS = start.ARGUMENTS
VERTICES = 1500

import bpy

if ORIGIN == "rigify":  # before the add-on is enabled: this begins with an empty file
    path = Path(start.HERE).parents[2] / "examples" / "rigs" / "rigify.py"
    runpy.run_path(str(path), run_name="hero")["character"]("human", VERTICES)
    bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "hero.blend"), check_existing=False)
else:
    bpy.ops.wm.open_mainfile(filepath=ORIGIN)
start.enable()

import looks
import numpy as np
from rigcast_blender import evaluation
from rigcast_blender.learning import beside, checks, errors, operators, panel
from rigcast_blender.learning.compare import is_compared
from rigcast_blender.moving import at_frame, vertices_of


def plain_copy(item):
    """The mesh under its armature alone: linear skinning by the weights of the rig."""
    made = item.copy()
    made.data = item.data.copy()
    for key in made.data.shape_keys.key_blocks if made.data.shape_keys is not None else ():
        key.mute = True
    for modifier in [modifier for modifier in made.modifiers if modifier.type != "ARMATURE"]:
        made.modifiers.remove(modifier)
    bpy.context.scene.collection.objects.link(made)
    for modifier in made.modifiers:
        modifier.use_deform_preserve_volume = False
    return made.name


def played(names):
    """World vertices by name (T, V, 3), and what the whole model says of the first one."""
    seen, poses = {name: [] for name in names}, []
    for frame in range(bpy.context.scene.frame_start, bpy.context.scene.frame_end + 1):
        depsgraph = at_frame(frame)
        for name in names:
            seen[name].append(vertices_of(bpy.data.objects[name], depsgraph, world=True))
        item = bpy.data.objects[names[0]]
        model, row = evaluation.model_of(item), evaluation.pose_row(item, depsgraph)
        rows = evaluation.part_rows(model, item.rigcast.part)
        inside = evaluation.placement(evaluation.character_of(item), item, depsgraph)
        made = evaluation.placed(model.evaluate(row)[slice(None) if rows is None else rows], inside)
        own = np.array(item.evaluated_get(depsgraph).matrix_world, np.float64)
        poses.append(np.asarray(made @ own[:3, :3].T + own[:3, 3], np.float32))
    return {name: np.array(values) for name, values in seen.items()}, np.array(poses)


def apart(ours, theirs):
    """Mean and largest distance in millimeters."""
    distances = 1000.0 * np.linalg.norm(ours - theirs, axis=2)
    return [float(distances.mean()), float(distances.max())]


def add_cap(rig):
    """A second mesh, which hangs on one deforming bone."""
    head = rig.data.bones["DEF-spine.006"]
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.09, location=head.tail_local)
    cap = bpy.context.object
    cap.name = "Cap"
    cap.vertex_groups.new(name=head.name).add(range(len(cap.data.vertices)), 1.0, "REPLACE")
    cap.parent = rig
    cap.modifiers.new("Armature", "ARMATURE").object = rig


rig = bpy.data.objects[RIG]
rig.animation_data.action = bpy.data.actions[ACTION]
if ORIGIN == "rigify":
    add_cap(rig)
bpy.context.view_layer.objects.active = rig
settings = bpy.context.scene.rigcast_learn
settings.count, settings.steps = int(COUNT), int(STEPS)
assert bpy.ops.rigcast.check() == {"FINISHED"}
facts = {"lines": checks.lines_of(operators.plan_of(operators.Character(RIG, ())).results["info"])}
assert bpy.ops.rigcast.learn() == {"FINISHED"}
learned = bpy.context.active_object
original = learned.rigcast_compare.original
items = [item for item in bpy.data.objects if is_compared(item)]
facts["names"] = [[item.rigcast_compare.original.name, item.name] for item in items]
facts["verdict"], facts["stated"] = learned[beside.VERDICT], list(learned[errors.ERROR])
facts["weights"], facts["beside weights"] = learned[errors.WEIGHTS], panel.beside_weights(learned)[0]
facts["left"] = [item.name for item in bpy.data.objects if "weights" in item.name]
facts["aside"] = learned.rigcast_compare.aside
for item in items:
    item.rigcast_compare.aside = 0.0
plain = plain_copy(original)
seen, model = played([learned.name, original.name, plain])
bpy.data.meshes.remove(bpy.data.objects[plain].data)
truth = seen[original.name]
facts["live"] = float(np.abs(seen[learned.name] - model).max())
facts["error"], facts["skinning"] = apart(seen[learned.name], truth), apart(seen[plain], truth)
facts["moved"] = float(np.ptp(truth, axis=0).max())
facts.update(looks.facts_of(learned, items, rig, TURNED))
rig.animation_data.action = bpy.data.actions[ACTION]
rig.pose.bones[TURNED].rotation_euler = (0.0, 0.0, 0.0)
facts.update(looks.pinned(items[-1], rig))
start.tell(**facts)
bpy.ops.wm.save_as_mainfile(filepath=str(start.FOLDER / "learned.blend"), check_existing=False)
