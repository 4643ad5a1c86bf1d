"""A creature of two meshes with bending bones (B-bones). Usage: ``python creature.py eel.blend``.

No limits at all; eyes that look at a control bone, a slider bone that drives a shape, a tail whose bones bend, and two
actions: ``swim`` for the bones and ``look``, which keys the control of the eyes alone.
"""

import math
import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).parent))  # an installed Blender does not

from flesh import bind, bump, drive, empty_scene, key_action, make_armature, mirrored, shape, skin, state

FRAMES = 36
BODY = [
    ("core", "", (0, 0, 0.5), (0, -0.3, 0.5), 0.16, 0.14),
    ("tail1", "core", (0, -0.3, 0.5), (0, -0.7, 0.5), 0.13, 0.10),
    ("tail2", "tail1", (0, -0.7, 0.5), (0, -1.1, 0.5), 0.10, 0.06),
    ("tail3", "tail2", (0, -1.1, 0.5), (0, -1.5, 0.5), 0.06, 0.03),
    ("head", "core", (0, 0, 0.5), (0, 0.32, 0.52), 0.16, 0.12),
    ("fin.L", "core", (0.12, -0.08, 0.46), (0.38, -0.2, 0.42), 0.05, 0.03),
]
EYES = [("eye.L", "head", (0.10, 0.30, 0.60), (0.13, 0.38, 0.62))]
CONTROLS = [
    ("gaze", "head", (0, 0.9, 0.61), (0, 1.0, 0.61)),
    ("mouth_slider", "head", (0.3, 0.3, 0.7), (0.3, 0.3, 0.75)),
]


def eel():
    """The whole file."""
    empty_scene(fps=30)
    bones, eyes = mirrored(BODY), mirrored(EYES)
    armature = make_armature(bones + eyes + CONTROLS, controls=[row[0] for row in CONTROLS])
    pose = armature.pose.bones
    for name in ("tail1", "tail2", "tail3"):
        armature.data.bones[name].bbone_segments = 6
        pose[name].rotation_mode = "QUATERNION"
    for side in "LR":
        track = pose[f"eye.{side}"].constraints.new("DAMPED_TRACK")
        track.target, track.subtarget, track.track_axis = armature, "gaze", "TRACK_Y"
    body = skin("Eel", [row[2:6] for row in bones], voxel=0.04)
    for row in eyes:
        armature.data.bones[row[0]].use_deform = False
    bind(body, armature)
    for row in eyes:
        armature.data.bones[row[0]].use_deform = True
    gape = shape(body, "gape", bump((0, 0.42, 0.44), 0.16, (0, 0, -0.07)))
    drive(gape, "value", "min(max(10 * slide, 0), 1)", armature, slide='pose.bones["mouth_slider"].location[1]')
    shape(body, "puff", bump((0, -0.2, 0.4), 0.3, (0, 0, -0.08)))
    eyeballs(armature, [row[2] for row in eyes])
    swim(armature)
    state(body, "an eel from capsules around bones that bend")


def eyeballs(armature, centers):
    """Two spheres in one mesh, each bound to its bone."""
    spheres = []
    for center in centers:
        bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.05, location=center)
        spheres.append(bpy.context.object)
    bpy.ops.object.select_all(action="DESELECT")
    for sphere in spheres:
        sphere.select_set(True)
    bpy.context.view_layer.objects.active = spheres[0]
    bpy.ops.object.join()
    eyes = bpy.context.object
    eyes.name = eyes.data.name = "Eyes"
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    for side, sign in (("L", 1), ("R", -1)):
        group = eyes.vertex_groups.new(name=f"eye.{side}")
        group.add([v.index for v in eyes.data.vertices if sign * v.co.x > 0], 1.0, "REPLACE")
    eyes.modifiers.new("Armature", "ARMATURE").object = armature
    state(eyes, "two spheres")


def swim(armature):
    """A wave through the tail, then the action of the gaze."""
    pose, curves = armature.pose.bones, []
    for place, name in enumerate(("tail1", "tail2", "tail3")):
        angle = lambda t, p=place: math.radians(12 + 6 * p) * math.sin(2 * math.pi * t - 0.9 * p)  # noqa: E731
        curves.append((pose[name], "rotation_quaternion", 0, lambda t, a=angle: math.cos(0.5 * a(t))))
        curves.append((pose[name], "rotation_quaternion", 3, lambda t, a=angle: math.sin(0.5 * a(t))))
    for side, sign in (("L", 1), ("R", -1)):
        wave = lambda t, s=sign: s * math.radians(20) * math.sin(4 * math.pi * t)  # noqa: E731
        curves.append((pose[f"fin.{side}"], "rotation_euler", 0, wave))
    key_action(armature, "swim", FRAMES, curves)
    armature.animation_data.action = None
    key_action(armature, "look", FRAMES, [(pose["gaze"], "location", 0, lambda t: 0.3 * math.sin(2 * math.pi * t))])
    armature.animation_data.action = bpy.data.actions["swim"]


if __name__ == "__main__":
    eel()
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1], check_existing=False)
