"""Runs inside Blender: a limb that reaches for a target, with a slider and actions; and what sampling leaves out."""

import math
import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).parent))

from tube import grown, limit, shape, start


def limb():
    """One limited bone, two in a chain of inverse kinematics, controls, a slider that drives a shape, two actions."""
    armature, mesh = start()
    add_controls(armature)
    bones = armature.pose.bones
    limit(bones["bone0"], math.radians(-40), math.radians(40), axes="x")
    limit(bones["bone2"], math.radians(-10), math.radians(10))
    reach = bones["bone2"].constraints.new("IK")
    reach.target = reach.pole_target = armature
    reach.subtarget, reach.pole_subtarget, reach.chain_count = "target", "pole", 2
    drive(shape(mesh, "swell", grown), armature, 'pose.bones["slider"].location[0]', "slide")
    shape(mesh, "quiet", grown).mute = True
    armature["free"] = 2.0
    key(armature, "step", ((bones["target"], "location", 1, 0.4), (bones["bone0"], "rotation_euler", 2, 0.3)))
    key(armature, "gesture", ((bones["bone0"], "rotation_euler", 0, 0.5), (bones["bone1"], "rotation_euler", 1, 0.2)))
    bpy.data.actions["gesture"].use_fake_user = True
    armature.animation_data.action = None


def draped():
    """What sampling cannot reproduce: cloth, particles, a driver that reads the frame, and object-level motion."""
    armature, mesh = start()
    mesh.modifiers.new("Blanket", "CLOTH")
    mesh.modifiers.new("Jelly", "SOFT_BODY")
    mesh.modifiers.new("Fur", "PARTICLE_SYSTEM")
    pulse = shape(mesh, "pulse", grown).driver_add("value").driver
    pulse.expression = "0.5 + 0.5 * sin(frame)"
    key(armature, "stroll", ((armature, "location", 0, 3.0), (armature.pose.bones["bone0"], "rotation_euler", 0, 0.2)))
    tide = shape(mesh, "tide", grown)
    for frame, value in ((1, 0.0), (5, 0.6)):
        tide.value = value
        tide.keyframe_insert("value", frame=frame)
    tide.value = 0.0


def clothed():
    """Cloth and a soft body, which would fall during an action."""
    armature, mesh = start()
    mesh.modifiers.new("Blanket", "CLOTH")
    mesh.modifiers.new("Jelly", "SOFT_BODY")
    bones = armature.pose.bones
    for bone in bones:
        limit(bone, math.radians(-40), math.radians(40), axes="xyz")
    key(armature, "nod", ((bones["bone1"], "rotation_euler", 0, 0.5),))


def stacked():
    """Two strips, one of a shape key, one of a bone and a control, with a muted track above and an active action."""
    armature, mesh = start()
    bones = armature.pose.bones
    for bone in bones:
        bone.rotation_mode = "XYZ"
        limit(bone, math.radians(-40), math.radians(40), axes="xyz")
    bulge = shape(mesh, "bulge", grown)
    key(armature, "lean", ((bones["bone0"], "rotation_euler", 0, 0.5), (armature, "location", 0, 2.0)))
    key(armature, "twist", ((bones["bone1"], "rotation_euler", 1, 0.4),))
    key(armature, "unheard", ((bones["bone2"], "rotation_euler", 2, 0.6),))
    armature.animation_data_clear()
    put(armature, "lean", 1)
    put(armature, "twist", 4)
    put(armature, "unheard", 1).mute = True
    for frame, value in ((1, 0.0), (5, 1.0)):
        bulge.value = value
        bulge.keyframe_insert("value", frame=frame)
    bulge.value = 0.0
    keys = mesh.data.shape_keys
    keys.animation_data.action.name = "swell"
    keys.animation_data.action.use_fake_user = True
    keys.animation_data.action = None
    put(keys, "swell", 3)


def put(owner, name, frame):
    """A strip of an action on a track of its own, which stays as it ends."""
    data = owner.animation_data or owner.animation_data_create()
    track = data.nla_tracks.new()
    strip = track.strips.new(name, frame, bpy.data.actions[name])
    if getattr(strip, "action_slot", True) is None:
        strip.action_slot = strip.action_suitable_slots[0]
    return track


def add_controls(armature):
    """Bones that deform nothing: a target, a pole and a slider."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, place in (("target", (0, 0.3, 3)), ("pole", (0, -2, 1.5)), ("slider", (2, 0, 0))):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail, bone.use_deform = place, (place[0], place[1], place[2] + 0.5), False
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"


def drive(owner, armature, path, expression):
    """Drive the value of a shape key by one property of the armature."""
    driver = owner.driver_add("value").driver
    variable = driver.variables.new()
    variable.name = expression
    variable.targets[0].id, variable.targets[0].data_path = armature, path
    driver.expression = expression


def key(armature, name, curves):
    """Key properties from 0 to a value over five frames, as a named action, and put them back to 0."""
    armature.animation_data_clear()
    for owner, path, index, value in curves:
        for frame, share in ((1, 0.0), (5, 1.0)):
            getattr(owner, path)[index] = share * value
            owner.keyframe_insert(path, index=index, frame=frame)
        getattr(owner, path)[index] = 0.0
    armature.animation_data.action.name = name
    armature.animation_data.action.use_fake_user = True


if __name__ == "__main__":  # the limb as an artist's file
    limb()
    bpy.data.actions["step"].name = "walk"
    bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
