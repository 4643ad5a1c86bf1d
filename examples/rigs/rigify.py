"""A generated Rigify character with a constructed body: ``python rigify.py hero.blend [--metarig human|cat|...]``.

Flesh around the deforming bones, automatic weights, Corrective Smooth, correctives that elbows and knees drive, a free
shape key ``breathe``, and an action of 60 frames on the artist's controls (``walk``, of four legs ``trot``). Rigify
comes with Blender.
"""

import argparse
import math
import re
import sys
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.append(str(Path(__file__).parent))  # an installed Blender does not

from flesh import bump, empty_scene, key_action, shape, skin, state

FRAMES = 60
BREADTH = 0.030  # of an upright torso, either side, as a share of the size
# Bones by name, radius at head and tail as shares of the size: the height upright, the spine's length on four legs.
UPRIGHT = [
    (r"spine(\.001)?$", 0.054, 0.050),
    (r"spine\.002", 0.052, 0.058),
    (r"spine\.003", 0.060, 0.036),
    (r"spine\.00[45]", 0.026, 0.025),
    (r"spine\.006", 0.042, 0.044),
    (r"pelvis", 0.034, 0.030),
    (r"breast", 0.026, 0.016),
    (r"shoulder", 0.026, 0.028),
    (r"upper_arm", 0.026, 0.021),
    (r"forearm", 0.020, 0.014),
    (r"hand", 0.014, 0.012),
    (r"palm", 0.0085, 0.0075),
    (r"thumb", 0.0070, 0.0055),
    (r"f_", 0.0058, 0.0048),
    (r"thigh", 0.043, 0.030),
    (r"shin", 0.027, 0.017),
    (r"foot", 0.018, 0.017),
    (r"toe", 0.017, 0.011),
    (r"ear|lid|lip|tongue|nose", 0.0065, 0.0065),
    (r"", 0.0105, 0.0105),
]
FOUR_LEGS = [
    (r"spine\.00[45]", 0.090, 0.090),
    (r"spine\.006", 0.075, 0.062),
    (r"spine", 0.110, 0.115),
    (r"tail", 0.035, 0.028),
    (r"pelvis", 0.080, 0.070),
    (r"belly|Breast|breast", 0.070, 0.070),
    (r"shoulder", 0.060, 0.070),
    (r"thigh|front_thigh", 0.080, 0.055),
    (r"upper_arm", 0.060, 0.045),
    (r"shin|front_shin", 0.046, 0.034),
    (r"forearm", 0.042, 0.032),
    (r"foot|front_foot|hand", 0.031, 0.029),
    (r".*toe", 0.029, 0.026),
    (r"[rf]_", 0.019, 0.017),
    (r"", 0.017, 0.017),
]
JOINTS = {  # where a corrective acts: the bone that bends, the bone that it bends against
    "forearm": "upper_arm.{side}.001",
    "shin": "thigh.{side}.001",
}


def character(metarig, vertices):
    """The whole file."""
    empty_scene(fps=30)
    rig = generated(metarig)
    upright, size = build_of(rig)
    capsules = flesh_of(rig, UPRIGHT if upright else FOUR_LEGS, size)
    body = skin("Body", capsules, voxel=0.005 * size if upright else 0.014 * size)
    thin_out(body, vertices)
    weigh(body, rig)
    correct(body, rig, size)
    (walk if upright else trot)(rig, size)
    state(body, f"a body from capsules around the bones of Rigify's {metarig}")


def generated(metarig):
    """The rig that Rigify generates; the metarig stays in the file, hidden."""
    own = str(Path(__file__).parent)  # or this file would be imported as the add-on of the same name
    sys.path[:] = [place for place in sys.path if place != own]
    bpy.ops.preferences.addon_enable(module="rigify")
    add = f"armature_{metarig}_metarig_add"
    if add not in dir(bpy.ops.object):
        known = sorted(name[9:-12] for name in dir(bpy.ops.object) if name.endswith("_metarig_add"))
        sys.exit(f"--metarig is {metarig!r}; it must be one of {', '.join(known)}")
    getattr(bpy.ops.object, add)()
    meta = bpy.context.object
    bpy.ops.pose.rigify_generate()
    meta.hide_set(True)
    return next(item for item in bpy.data.objects if item.type == "ARMATURE" and item is not meta)


def build_of(rig):
    """Return whether the spine stands, and the size that radii are shares of."""
    spine = sorted((bone for bone in deforming(rig) if bone.name.startswith("DEF-spine")), key=lambda bone: bone.name)
    along = spine[-1].tail_local - spine[0].head_local
    upright = along.z > abs(along.y)
    return upright, max(bone.tail_local.z for bone in deforming(rig)) if upright else along.length


def deforming(rig):
    """The bones that vertices hang on."""
    return [bone for bone in rig.data.bones if bone.use_deform]


def flesh_of(rig, table, size):
    """A capsule around each deforming bone; a limb's second half goes on where its first one ends."""
    capsules = []
    for bone in deforming(rig):
        name = bone.name.removeprefix("DEF-")
        thick, thin = next(radii for pattern, *radii in table if re.match(pattern, name))
        half = 0.5 * (thick + thin)
        if f"{bone.name}.001" in rig.data.bones and re.search(r"\.[LR]$", name):
            thin = half
        elif re.search(r"\.[LR]\.001$", name):
            thick = half
        for share in beside(name) if table is UPRIGHT else [(0, 0, 0)]:
            offset = size * Vector(share)
            capsules.append((bone.head_local + offset, bone.tail_local + offset, thick * size, thin * size))
    return capsules


def beside(name):
    """Return the offsets of a bone's capsules in an upright body: a torso is broad, a skull lies before the spine."""
    if re.match(r"spine(\.00[123])?$", name):
        return [(-BREADTH, 0, 0), (0, 0, 0), (BREADTH, 0, 0)]
    return [(0, 0, 0), (0, -0.026, -0.010)] if name == "spine.006" else [(0, 0, 0)]


def thin_out(body, vertices):
    """Fewer vertices where the skin is flat: fingers and faces keep theirs."""
    decimate = body.modifiers.new("Decimate", "DECIMATE")
    decimate.ratio = min(1.0, vertices / len(body.data.vertices))
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.modifier_apply(modifier=decimate.name)


def weigh(body, rig):
    """Automatic weights (heat), then Corrective Smooth."""
    bpy.ops.object.select_all(action="DESELECT")
    body.select_set(True)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    smooth = body.modifiers.new("Corrective Smooth", "CORRECTIVE_SMOOTH")
    smooth.iterations = 5


def correct(body, rig, size):
    """A bump at each elbow and knee that its bend drives, and ``breathe``, which nothing drives."""
    bones = rig.data.bones
    for side in "LR":
        for part, against in JOINTS.items():
            lower, upper = f"DEF-{part}.{side}", "DEF-" + against.format(side=side)
            if lower not in bones or upper not in bones:
                continue
            joint, ends = bones[lower].head_local, (bones[upper].parent.head_local, bones[f"{lower}.001"].tail_local)
            outward = (joint - 0.5 * (ends[0] + ends[1])).normalized()
            key = shape(body, f"fix_{part}.{side}", bump(joint, 0.06 * size, 0.01 * size * outward))
            driver = key.driver_add("value").driver
            turn = driver.variables.new()
            turn.name, turn.type = "turn", "ROTATION_DIFF"
            for target, bone in zip(turn.targets, (lower, upper), strict=True):
                target.id, target.bone_target = rig, bone
            driver.expression = "min(1, max(0, (turn - 0.2) / 1.5))"
    center = bones["DEF-spine.003"].head_local.copy()
    fade = bump(center, 0.14 * size, Vector((0, 0, 0.01 * size)))
    shape(body, "breathe", lambda point: fade(point).z * (point - center).normalized())


def keyed(rig, name, rows):
    """An action from rows (control, property, axis, function of the phase), without controls that the rig lacks."""
    curves = []
    for control, path, axis, value in rows:
        bone = rig.pose.bones.get(control)
        if bone is None or (path == '["IK_FK"]' and "IK_FK" not in bone):
            continue
        bone.rotation_mode = "XYZ"
        curves.append((bone, path, axis, value))
    key_action(rig, name, FRAMES - 1, curves)


def wave(amount, turns=2.0, phase=0.0, middle=0.0):
    """A sine of the phase, ``turns`` times in the action."""
    return lambda t: middle + amount * math.sin(2 * math.pi * (turns * t + phase))


def lifted(height, turns=2.0, phase=0.0):
    """The upper half of a cosine: a foot that is off the ground half of the time."""
    return lambda t: max(0.0, height * math.cos(2 * math.pi * (turns * t + phase)))


def walk(rig, size):
    """In place: feet by their IK controls; arms by FK, the left one by IK from the middle on."""
    place, turn, degree = "location", "rotation_euler", math.pi / 180
    rows = [
        ("torso", place, 2, wave(0.010 * size, turns=4, phase=0.25, middle=-0.030 * size)),
        ("torso", turn, 2, wave(6 * degree)),
        ("chest", turn, 1, wave(8 * degree)),
        ("head", turn, 0, wave(10 * degree, turns=4)),
    ]
    for side, phase, sign in (("L", 0.0, 1), ("R", 0.5, -1)):
        rows += [
            (f"foot_ik.{side}", place, 1, wave(0.09 * size, phase=phase)),
            (f"foot_ik.{side}", place, 2, lifted(0.05 * size, phase=phase)),
            (f"upper_arm_fk.{side}", turn, 0, wave(25 * degree * sign)),
            (f"forearm_fk.{side}", turn, 0, wave(20 * degree * sign, middle=30 * degree)),
            (f"hand_ik.{side}", place, 1, wave(-0.05 * size, phase=phase)),
            (f"hand_ik.{side}", place, 2, wave(0.05 * size, phase=phase)),
        ]
    rows.append(("upper_arm_parent.L", '["IK_FK"]', -1, lambda t: min(1.0, max(0.0, 3.5 - 6 * t))))
    rows.append(("upper_arm_parent.R", '["IK_FK"]', -1, lambda t: 1.0))
    keyed(rig, "walk", rows)


def trot(rig, size):
    """In place: diagonal legs together by their IK controls, spine and tail turned by less than 15 degrees."""
    place, turn, degree = "location", "rotation_euler", math.pi / 180
    rows = [
        ("torso", place, 2, wave(0.015 * size, turns=4, middle=-0.04 * size)),
        ("chest", turn, 2, wave(5 * degree)),
        ("spine_fk", turn, 0, wave(4 * degree, turns=4)),
        ("head", turn, 0, wave(8 * degree, turns=4, phase=0.25)),
    ]
    rows += [(f"tail.00{k}", turn, 2, wave((6 + 3 * k) * degree, phase=-0.08 * k)) for k in (1, 2, 3)]
    for control in ("hand_ik", "front_foot_ik", "foot_ik"):
        for side in "LR":
            phase = 0.5 * ((control == "foot_ik") != (side == "R"))
            rows.append((f"{control}.{side}", place, 1, wave(0.13 * size, phase=phase)))
            rows.append((f"{control}.{side}", place, 2, lifted(0.08 * size, phase=phase)))
    keyed(rig, "trot", rows)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="A generated Rigify character with a constructed body.")
    options.add_argument("--metarig", default="human", help="human (default), basic_human, cat; others rougher")
    options.add_argument("--vertices", type=int, default=7000, help="about so many (default 7000)")
    options.add_argument("output", help="the .blend file")
    chosen = options.parse_args(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else None)
    character(chosen.metarig, chosen.vertices)
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(chosen.output).resolve()), check_existing=False)
