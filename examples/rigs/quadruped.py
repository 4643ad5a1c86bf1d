"""A hound with inverse kinematics on four legs and a blanket of cloth. Usage: ``python quadruped.py hound.blend``.

Limits on some bones only (head, jaw, elbows), a corrective that a knee drives, an action ``walk`` whose paws are keyed.
"""

import math
import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).parent))  # an installed Blender does not

from flesh import (
    bind,
    bump,
    drive,
    empty_scene,
    key_action,
    limit,
    make_armature,
    mirrored,
    reach,
    shape,
    skin,
    state,
)

LEGS = {"front": 0.35, "hind": -0.40}  # y of the paws
STRIDE, LIFT, FRAMES = 0.12, 0.06, 24
# name, parent, head, tail, radius at head, radius at tail (meters; the hound looks along y)
SPINE = [
    ("pelvis", "root", (0, -0.38, 0.62), (0, -0.15, 0.64), 0.11, 0.12),
    ("spine", "pelvis", (0, -0.15, 0.64), (0, 0.12, 0.64), 0.12, 0.13),
    ("chest", "spine", (0, 0.12, 0.64), (0, 0.36, 0.68), 0.13, 0.12),
    ("neck", "chest", (0, 0.36, 0.68), (0, 0.50, 0.85), 0.09, 0.07),
    ("head", "neck", (0, 0.50, 0.85), (0, 0.76, 0.88), 0.09, 0.05),
    ("jaw", "head", (0, 0.56, 0.80), (0, 0.74, 0.80), 0.04, 0.03),
    ("tail1", "pelvis", (0, -0.42, 0.66), (0, -0.58, 0.62), 0.04, 0.035),
    ("tail2", "tail1", (0, -0.58, 0.62), (0, -0.74, 0.56), 0.035, 0.03),
    ("tail3", "tail2", (0, -0.74, 0.56), (0, -0.88, 0.52), 0.03, 0.025),
]
LIMBS = [
    ("front_upper.L", "chest", (0.11, 0.33, 0.58), (0.11, 0.29, 0.34), 0.07, 0.05),
    ("front_lower.L", "front_upper.L", (0.11, 0.29, 0.34), (0.11, 0.33, 0.06), 0.05, 0.035),
    ("front_paw.L", "front_lower.L", (0.11, 0.33, 0.06), (0.11, 0.42, 0.03), 0.04, 0.035),
    ("hind_upper.L", "pelvis", (0.11, -0.36, 0.56), (0.11, -0.30, 0.33), 0.09, 0.055),
    ("hind_lower.L", "hind_upper.L", (0.11, -0.30, 0.33), (0.11, -0.42, 0.06), 0.05, 0.035),
    ("hind_paw.L", "hind_lower.L", (0.11, -0.42, 0.06), (0.11, -0.33, 0.03), 0.04, 0.035),
]
CONTROLS = [
    ("root", "", (0, 0, 0), (0, 0.2, 0)),
    ("ik_front.L", "root", (0.11, 0.33, 0.06), (0.11, 0.43, 0.06)),
    ("ik_hind.L", "root", (0.11, -0.42, 0.06), (0.11, -0.32, 0.06)),
    ("pole_front.L", "root", (0.11, -0.20, 0.34), (0.11, -0.25, 0.34)),
    ("pole_hind.L", "root", (0.11, 0.20, 0.33), (0.11, 0.25, 0.33)),
]


def hound():
    """The whole file."""
    empty_scene()
    bones, controls = SPINE + mirrored(LIMBS), mirrored(CONTROLS)
    armature = make_armature(controls[:1] + bones + controls[1:], controls=[row[0] for row in controls])
    body = skin("Hound", [row[2:6] for row in bones], voxel=0.035)
    pose = armature.pose.bones
    limit(pose["head"], x=(-30, 40), y=(-25, 25), z=(-45, 45))
    limit(pose["jaw"], x=(-25, 5))
    for side in "LR":
        reach(armature, f"front_lower.{side}", f"ik_front.{side}", f"pole_front.{side}", 2)
        reach(armature, f"hind_lower.{side}", f"ik_hind.{side}", f"pole_hind.{side}", 2)
    bind(body, armature, preserve_volume=True)
    armature["belly"] = 0.0
    armature.id_properties_ui("belly").update(min=0.0, max=1.0)
    breath = shape(body, "breath", bump((0, 0.0, 0.52), 0.3, (0, 0, -0.06)))
    drive(breath, "value", "belly", armature, belly='["belly"]')
    for side, x in (("L", 0.11), ("R", -0.11)):
        corrective = shape(body, f"fix_throat.{side}", bump((x, 0.45, 0.72), 0.12, (0.03 if x > 0 else -0.03, 0, 0)))
        turn = "min(max(1.3 * turn, 0), 1)" if side == "L" else "min(max(-1.3 * turn, 0), 1)"
        drive(corrective, "value", turn, armature, turn='pose.bones["head"].rotation_euler[2]')
    smooth = body.modifiers.new("Corrective Smooth", "CORRECTIVE_SMOOTH")
    smooth.iterations = 4
    walk(armature)
    blanket(armature, body)
    state(body, "a hound from capsules around bones")


def walk(armature):
    """Paws on the ground half of the time, a swinging tail, a nodding head, and the whole hound going forward."""
    pose, curves = armature.pose.bones, []
    phases = {"front.L": 0.0, "front.R": 0.5, "hind.L": 0.75, "hind.R": 0.25}
    for name, phase in phases.items():
        target = pose[f"ik_{name}"]
        turn = lambda t, p=phase: 2 * math.pi * (t + p)  # noqa: E731
        curves.append((target, "location", 1, lambda t, a=turn: STRIDE * math.cos(a(t))))
        curves.append((target, "location", 2, lambda t, a=turn: max(0.0, LIFT * math.sin(a(t)))))
    for bone, index, degrees in (("tail1", 2, 15), ("tail2", 2, 20), ("neck", 0, 6), ("head", 2, 12), ("spine", 2, 4)):
        curves.append(
            (pose[bone], "rotation_euler", index, lambda t, d=degrees: math.radians(d * math.sin(2 * math.pi * t)))
        )
    curves.append((armature, "location", 1, lambda t: 4 * STRIDE * t))
    key_action(armature, "walk", FRAMES, curves)


def blanket(armature, body):
    """A grid over the back, pinned along the spine: cloth, which remembers the frames before."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=16, y_subdivisions=16, size=0.5, location=(0, 0.0, 0.82))
    cloth = bpy.context.object
    cloth.name = cloth.data.name = "Blanket"
    cloth.parent = armature  # which stands at the origin: the blanket follows it through the scene
    group = cloth.vertex_groups.new(name="pin")
    group.add([v.index for v in cloth.data.vertices if abs(v.co.x) < 0.04], 1.0, "REPLACE")
    spine = cloth.vertex_groups.new(name="spine")
    spine.add(range(len(cloth.data.vertices)), 1.0, "REPLACE")
    cloth.modifiers.new("Armature", "ARMATURE").object = armature
    simulation = cloth.modifiers.new("Cloth", "CLOTH")
    simulation.settings.vertex_group_mass = "pin"
    body.modifiers.new("Collision", "COLLISION")
    state(cloth, "a grid of cloth")


if __name__ == "__main__":
    hound()
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1], check_existing=False)
