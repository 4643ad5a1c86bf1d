"""Runs inside Blender: one arm, posed by FK or by IK, as Rigify, mGear and Auto-Rig Pro name its bones."""

import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).parent))

from metarigs import boxes
from tube import edited_armature

POINTS = ((0.2, 0.0, 1.4), (0.5, 0.02, 1.4), (0.8, 0.0, 1.4), (0.9, 0.0, 1.4))  # shoulder, elbow, wrist, fingers


def rigify_arm():
    """The switch is 0 for IK; a driver makes it an influence by a polynomial, as Rigify does."""
    arm(
        ("upper_arm_fk.L", "forearm_fk.L", "hand_fk.L"),
        ("MCH-upper_arm_ik.L", "MCH-forearm_ik.L", "hand_ik.L"),
        ("DEF-upper_arm.L", "DEF-forearm.L", "ORG-hand.L"),
        ("upper_arm_parent.L", "IK_FK"),
        {"IK_Stretch": 1.0, "FK_limb_follow": 0.0},
        "polynomial",
    )


def mgear_arm():
    """The switch is 1 for IK."""
    arm(
        ("arm_L0_fk0_ctl", "arm_L0_fk1_ctl", "arm_L0_fk2_ctl"),
        ("arm_L0_ik0_mch", "arm_L0_ik1_mch", "arm_L0_ik_ctl"),
        ("arm_L0_0_jnt", "arm_L0_1_jnt", "arm_L0_2_jnt"),
        ("armUI_L0_ctl", "arm_blend"),
        {"arm_maxstretch": 1.0, "arm_ikref": 0.0},
        "blend",
    )


def arp_arm():
    """The switch is 0 for IK; it lies on the IK target."""
    arm(
        ("c_arm_fk.l", "c_forearm_fk.l", "c_hand_fk.l"),
        ("arm_ik.l", "forearm_ik.l", "c_hand_ik.l"),
        ("arm.l", "forearm.l", "hand.l"),
        ("c_hand_ik.l", "ik_fk_switch"),
        {"auto_stretch": 1.0, "arm_pin": 0.0},
        "1 - blend",
    )


def arm(fk, ik, skin, switch, settings, expression):
    """An arm: ``fk`` controls, an ``ik`` chain that ends in its target, and the bones of the ``skin`` that follow both.

    ``expression`` is the influence of IK, of the property ``switch`` (its owner and key); ``settings`` are properties
    beside it that nothing but a driver of a mechanism bone reads.
    """
    armature = edited_armature()
    data = armature.data
    for chain in (fk, ik, skin):
        for index, name in enumerate(chain):
            bone = data.edit_bones.new(name)
            bone.head, bone.tail, bone.roll = POINTS[index], POINTS[index + 1], 0.4
            free = name == ik[-1]  # the target
            bone.parent = data.edit_bones[chain[index - 1]] if index and not free else None
            bone.use_deform = chain is skin
    if switch[0] not in data.edit_bones:
        bone = data.edit_bones.new(switch[0])
        bone.head, bone.tail, bone.use_deform = (0.2, 0.3, 1.4), (0.2, 0.4, 1.4), False
    data.edit_bones.new("MCH-settings").tail = (0, 0, 0.1)
    data.edit_bones["MCH-settings"].use_deform = False
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = armature.pose.bones
    owner = bones[switch[0]]
    reach = bones[ik[1]].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = armature, ik[-1], 2
    for name, value in (settings | {switch[1]: 0.0}).items():
        owner[name] = value
        owner.id_properties_ui(name).update(min=0.0, max=1.0)
    for index, name in enumerate(skin):
        for source in (fk[index], ik[index]):
            follow = bones[name].constraints.new("COPY_TRANSFORMS")
            follow.target, follow.subtarget = armature, source
        curve = follow.driver_add("influence")
        add_variable(curve, armature, owner, switch[1])
        if expression == "polynomial":
            curve.driver.type = "SUM"
            (curve.modifiers or [curve.modifiers.new("GENERATOR")])[0].coefficients = (1.0, -1.0)
        else:
            curve.driver.expression = expression
    for axis, name in enumerate(settings):
        add_variable(bones["MCH-settings"].driver_add("scale", axis), armature, owner, name)
    boxes(armature)


def add_variable(curve, armature, owner, key):
    """Let a driver read a property of a bone."""
    variable = curve.driver.variables.new()
    variable.name = "blend"
    variable.targets[0].id = armature
    variable.targets[0].data_path = f'pose.bones["{owner.name}"]["{key}"]'
    curve.driver.expression = "blend"
