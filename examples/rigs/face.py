"""A talking head with bones and shapes. Usage: ``python face.py head.blend``.

Jaw, neck, eyes and a tongue turn; a control looks where both eyes look; eight shapes, two of them correctives that
drivers switch on when shapes meet or the jaw opens; the lids follow the eyes. An action ``say`` of two seconds. It is
small: constructed, of one mesh, some 2,500 vertices. A face with 154 controls, as productions rig them, is written by
``python -m examples.characters.production_face -o face.blend``.
"""

import math
import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).parent))  # an installed Blender does not

from flesh import bind, bump, drive, empty_scene, key_action, limit, make_armature, mirrored, shape, skin, state

FRAMES = 48
# name, parent, head, tail, radius at head, radius at tail (meters; the face looks along -y)
HEAD = [
    ("neck", "", (0, 0.03, 1.40), (0, 0.01, 1.52), 0.060, 0.056),
    ("head", "neck", (0, 0.01, 1.52), (0, 0.00, 1.72), 0.080, 0.085),
    ("jaw", "head", (0, -0.01, 1.56), (0, -0.095, 1.515), 0.055, 0.026),
]
EXTRA = [  # flesh without a bone of its own: cheeks, nose, brow, lips
    ((0.035, -0.065, 1.60), (0.02, -0.08, 1.57), 0.030, 0.024),
    ((-0.035, -0.065, 1.60), (-0.02, -0.08, 1.57), 0.030, 0.024),
    ((0, -0.085, 1.635), (0, -0.115, 1.60), 0.012, 0.014),
    ((-0.04, -0.075, 1.655), (0.04, -0.075, 1.655), 0.018, 0.018),
    ((-0.022, -0.092, 1.567), (0.022, -0.092, 1.567), 0.012, 0.012),
]
EYES = [("eye.L", "head", (0.032, -0.078, 1.632), (0.032, -0.098, 1.632))]
CONTROLS = [("look", "head", (0, -0.6, 1.632), (0, -0.65, 1.632))]
LIPS = (0, -0.10, 1.56)


def head():
    """The whole file."""
    empty_scene()
    eyes = mirrored(EYES)
    armature = make_armature(HEAD + eyes + CONTROLS, controls=["look", *(row[0] for row in eyes)])
    mesh = skin("Head", [row[2:6] for row in HEAD] + EXTRA, voxel=0.011)
    pose = armature.pose.bones
    limit(pose["neck"], x=(-25, 25), y=(-40, 40), z=(-15, 15))
    limit(pose["head"], x=(-25, 25), y=(-40, 40), z=(-15, 15))
    limit(pose["jaw"], x=(0, 25), z=(-6, 6))
    for name, *_ in eyes:
        track = pose[name].constraints.new("DAMPED_TRACK")
        track.target, track.subtarget, track.track_axis = armature, "look", "TRACK_Y"
    bind(mesh, armature, sharpness=5.0)
    sculpt(mesh, armature)
    add_eyeballs(mesh, armature, eyes)
    mesh.modifiers.new("Corrective Smooth", "CORRECTIVE_SMOOTH").iterations = 3
    say(armature, mesh)
    state(mesh, "a head from capsules, with shapes from bumps")


def add_eyeballs(mesh, armature, eyes):
    """A sphere for each eye, bound to its bone and joined into the one mesh."""
    spheres = []
    for name, _, place, *_ in eyes:
        bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10, radius=0.0135, location=place)
        sphere = bpy.context.object
        sphere.vertex_groups.new(name=name).add(range(len(sphere.data.vertices)), 1.0, "REPLACE")
        armature.data.bones[name].use_deform = True
        spheres.append(sphere)
    bpy.ops.object.select_all(action="DESELECT")
    for item in (*spheres, mesh):
        item.select_set(True)
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.join()


def sculpt(mesh, armature):
    """Eight shapes: four of an actor, lids that follow the eyes, and two correctives."""
    for side, sign in (("L", 1), ("R", -1)):
        corner = (sign * 0.03, -0.095, 1.56)
        shape(mesh, f"smile.{side}", bump(corner, 0.045, (sign * 0.012, 0.004, 0.012)))
        shape(mesh, f"brow_up.{side}", bump((sign * 0.035, -0.09, 1.66), 0.04, (0, -0.002, 0.012)))
        lid = shape(mesh, f"lid.{side}", bump((sign * 0.032, -0.09, 1.64), 0.025, (0, -0.003, -0.008)))
        drive(lid, "value", "min(max(-4 * z, 0), 1)", armature, z='pose.bones["look"].location[2]')
    shape(mesh, "pucker", bump(LIPS, 0.04, (0, -0.014, 0)))
    both = shape(mesh, "smile_pucker", bump(LIPS, 0.05, (0, 0.006, -0.004)))
    driver = both.driver_add("value").driver
    for name, key in (("a", "smile.L"), ("b", "smile.R"), ("c", "pucker")):
        variable = driver.variables.new()
        variable.name = name
        target = variable.targets[0]
        target.id_type, target.id = "KEY", mesh.data.shape_keys
        target.data_path = f'key_blocks["{key}"].value'
    driver.expression = "a * b * c"
    wide = shape(mesh, "jaw_fix", bump((0, -0.05, 1.53), 0.06, (0, 0.004, 0.004)))
    drive(wide, "value", "min(max(2.5 * angle, 0), 1)", armature, angle='pose.bones["jaw"].rotation_euler[0]')


def say(armature, mesh):
    """Two seconds: the jaw beats, the head turns, the eyes wander; the lips have an action of their own."""
    pose = armature.pose.bones
    wave = lambda beats, size: lambda t: size * 0.5 * (1 - math.cos(2 * math.pi * beats * t))  # noqa: E731
    curves = [
        (pose["jaw"], "rotation_euler", 0, wave(5, math.radians(14))),
        (pose["head"], "rotation_euler", 1, lambda t: math.radians(12) * math.sin(2 * math.pi * t)),
        (pose["look"], "location", 0, lambda t: 0.1 * math.sin(4 * math.pi * t)),
    ]
    key_action(armature, "say", FRAMES, curves)
    keys = mesh.data.shape_keys
    blocks = keys.key_blocks
    key_action(keys, "say_lips", FRAMES, [
        (blocks["smile.L"], "value", -1, wave(2, 0.8)),
        (blocks["smile.R"], "value", -1, wave(2, 0.7)),
        (blocks["pucker"], "value", -1, wave(3, 0.9)),
    ])  # fmt: skip


if __name__ == "__main__":
    head()
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1], check_existing=False)
