"""Runs inside Blender: characters whose files were saved in a pose, and one whose controls reach it by constraints."""

import math

import bpy
from limb import key
from tube import grown, limit, shape, start


def posed_chain():
    """The middle bone is turned and stretched without a key; an action keys the last one."""
    armature, _ = start()
    _, second, third = armature.pose.bones
    key(armature, "wag", ((third, "rotation_euler", 0, 0.5),))
    second.rotation_euler[0], second.scale = math.radians(40), (1.0, 1.2, 1.0)


def posed_quaternion():
    """A bone in quaternions, saved in a turn about two axes; an action keys only its location."""
    armature, _ = start()
    first, second, _ = armature.pose.bones
    second.rotation_mode = "QUATERNION"
    key(armature, "slide", ((second, "location", 0, 0.3), (first, "rotation_euler", 2, 0.4)))
    second.rotation_quaternion = (math.cos(0.4), 0.5 * math.sin(0.4), 0.0, math.sqrt(0.75) * math.sin(0.4))


def posed_locked():
    """A limit on one axis of a bone that was saved turned about another, which is locked."""
    armature, _ = start()
    first, second, _ = armature.pose.bones
    limit(first, math.radians(-40), math.radians(40), axes="x")
    first.rotation_euler, first.lock_rotation[2] = (0.0, 0.2, 0.3), True
    key(armature, "nod", ((first, "rotation_euler", 0, 0.5), (second, "rotation_euler", 1, 0.3)))


def posed_helper():
    """A helper that deforms nothing carries a saved turn, and the chain hangs on it."""
    armature, _ = start()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    helper = armature.data.edit_bones.new("helper")
    helper.head, helper.tail, helper.use_deform = (0, 0, -1), (0, 0, 0), False
    armature.data.edit_bones["bone0"].parent = helper
    bpy.ops.object.mode_set(mode="OBJECT")
    key(armature, "wag", ((armature.pose.bones["bone2"], "rotation_euler", 0, 0.5),))
    helper = armature.pose.bones["helper"]
    helper.rotation_mode = "XYZ"
    helper.rotation_euler = (0.0, 0.7, 0.0)


def posed_dials():
    """A shape and a property that were saved away from 0, beside an action of a bone."""
    armature, mesh = start()
    swell = shape(mesh, "swell", grown)
    wide = shape(mesh, "wide", lambda co: (1.3 * co[0], co[1], co[2]))
    armature["width"] = 0.75
    armature.id_properties_ui("width").update(min=0.0, max=1.0)
    driver = wide.driver_add("value").driver
    variable = driver.variables.new()
    variable.name = "width"
    variable.targets[0].id, variable.targets[0].data_path = armature, '["width"]'
    driver.expression = "width"
    key(armature, "wag", ((armature.pose.bones["bone2"], "rotation_euler", 0, 0.5),))
    swell.value = 0.6


def mechanism():
    """Bones with skin that copy bones which controls turn, as in a generated rig."""
    armature, _ = start()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    for number, (name, parent) in enumerate((("root", None), ("org0", "root"), ("org1", "org0"), ("org2", "org1"))):
        bone = bones.new(name)
        source = bones[f"bone{max(number - 1, 0)}"]
        bone.head, bone.tail, bone.roll, bone.use_deform = source.head, source.tail, source.roll, False
        bone.parent = bones[parent] if parent else None
    bones["bone0"].parent = bones["root"]
    bones["bone1"].parent, bones["bone2"].parent = bones["org0"], bones["org1"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = armature.pose.bones
    for number in range(3):
        copied = bones[f"bone{number}"].constraints.new("COPY_TRANSFORMS")
        copied.target, copied.subtarget = armature, f"org{number}"
        bones[f"org{number}"].rotation_mode = "XYZ"
        limit(bones[f"org{number}"], math.radians(-40), math.radians(40))
    key(armature, "wave", ((bones["org1"], "rotation_euler", 0, 0.5), (bones["org2"], "rotation_euler", 2, 0.4)))
    armature["follow"] = 1.0
    armature.id_properties_ui("follow").update(min=0.0, max=1.0)
    driver = bones["bone2"].constraints[0].driver_add("influence").driver
    variable = driver.variables.new()
    variable.name = "follow"
    variable.targets[0].id, variable.targets[0].data_path = armature, '["follow"]'
    driver.expression = "follow"
