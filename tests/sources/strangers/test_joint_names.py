"""Names of joints as programs spell them: families map whole, halves of limbs are refused."""

from __future__ import annotations

import pytest

from rigcast.sources import joint_map

MIXAMO = [
    "Hips",
    "Spine",
    "Spine1",
    "Spine2",
    "Neck",
    "Head",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
]
LIMBS = {name for name in MIXAMO if name.startswith(("Left", "Right"))}


def both(middle, pattern, left, right):
    return [*middle.split(), *(part.format(side) for side in (left, right) for part in pattern.split("|"))]


FAMILIES = {
    "SMPL": both(
        "Pelvis Spine1 Spine2 Spine3 Neck Head",
        "{}_Shoulder|{}_Elbow|{}_Wrist|{}_Hip|{}_Knee|{}_Ankle",
        "L",
        "R",
    ),
    "SMPL, small": both(
        "pelvis spine1 spine2 spine3 neck head",
        "{}_shoulder|{}_elbow|{}_wrist|{}_hip|{}_knee|{}_ankle",
        "left",
        "right",
    ),
    "Rokoko": both("Hips Spine1 Spine2 Neck Head", "{}Arm|{}ForeArm|{}Hand|{}Thigh|{}Shin|{}Foot", "Left", "Right"),
    "DAZ": both(
        "hip abdomenLower chestLower neckLower head",
        "{}ShldrBend|{}ForearmBend|{}Hand|{}ThighBend|{}Shin|{}Foot",
        "l",
        "r",
    ),
    "DAZ, first": both("hip abdomen chest neck head", "{}Shldr|{}ForeArm|{}Hand|{}Thigh|{}Shin|{}Foot", "l", "r"),
    "VRM": both(
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head",
        "J_Bip_{0}_UpperArm|J_Bip_{0}_LowerArm|J_Bip_{0}_Hand|J_Bip_{0}_UpperLeg|J_Bip_{0}_LowerLeg|J_Bip_{0}_Foot",
        "L",
        "R",
    ),
    "humanoid": both(
        "hips spine chest neck head",
        "{}UpperArm|{}LowerArm|{}Hand|{}UpperLeg|{}LowerLeg|{}Foot",
        "left",
        "right",
    ),
    "metarig": both(
        "spine spine.001 spine.002 spine.004 spine.006",
        "upper_arm.{0}|forearm.{0}|hand.{0}|thigh.{0}|shin.{0}|foot.{0}",
        "L",
        "R",
    ),
    "3ds Max": both(
        "Bip01_Pelvis Bip01_Spine Bip01_Neck Bip01_Head",
        "Bip01 {0} UpperArm|Bip01 {0} Forearm|Bip01 {0} Hand|Bip01 {0} Thigh|Bip01 {0} Calf|Bip01 {0} Foot",
        "L",
        "R",
    ),
    "Character Creator": both(
        "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_NeckTwist01 CC_Base_Head",
        "CC_Base_{0}_Upperarm|CC_Base_{0}_Forearm|CC_Base_{0}_Hand|CC_Base_{0}_Thigh|CC_Base_{0}_Calf|CC_Base_{0}_Foot",
        "L",
        "R",
    ),
    "Xsens": both(
        "Pelvis L5 L3 T12 T8 Neck Head",
        "{}UpperArm|{}ForeArm|{}Hand|{}UpperLeg|{}LowerLeg|{}Foot",
        "Left",
        "Right",
    ),
    "Motive": both("Hip Ab Chest Neck Head", "{}UArm|{}FArm|{}Hand|{}Thigh|{}Shin|{}Foot", "L", "R"),
    "side at the end": both(
        "Hips Spine Chest Neck Head", "UpperArm_{}|LowerArm_{}|Hand_{}|UpperLeg_{}|LowerLeg_{}|Foot_{}", "Left", "Right"
    ),
    "a letter at the end": both(
        "hips spine chest neck head", "arm.{}|forearm.{}|hand.{}|leg.{}|shin.{}|foot.{}", "L", "R"
    ),
    "joints after their side": both(
        "SpineBase SpineMid SpineShoulder Neck Head", "Shoulder{}|Elbow{}|Wrist{}|Hip{}|Knee{}|Ankle{}", "Left", "Right"
    ),
    "middle with a letter": both(
        "Root_M Spine1_M Chest_M Neck_M Head_M", "Shoulder_{}|Elbow_{}|Wrist_{}|Hip_{}|Knee_{}|Ankle_{}", "L", "R"
    ),
    "Auto-Rig Pro, exported": both(
        "root.x spine_01.x spine_02.x neck.x head.x",
        "arm_stretch.{0}|arm_twist.{0}|forearm_stretch.{0}|hand.{0}|thigh_stretch.{0}|leg_stretch.{0}|foot.{0}",
        "l",
        "r",
    ),
    "Rigify's deforming bones": both(
        "DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.004 DEF-spine.006",
        "DEF-upper_arm.{0}|DEF-upper_arm.{0}.001|DEF-forearm.{0}|DEF-hand.{0}|DEF-thigh.{0}|DEF-shin.{0}|DEF-foot.{0}",
        "L",
        "R",
    ),
    "Acclaim": both(
        "root lowerback upperback thorax lowerneck head", "{}humerus|{}radius|{}hand|{}femur|{}tibia|{}foot", "l", "r"
    ),
    "MikuMikuDance": both("センター 上半身 上半身2 首 頭", "{}腕|{}ひじ|{}手首|{}足|{}ひざ|{}足首", "左", "右"),
    "Mixamo with an ending": [f"{name}_bind_JNT" for name in MIXAMO],
    "Mixamo": [f"mixamorig:{name}" for name in MIXAMO],
    "Mixamo without its colon": [f"mixamorig{name}" for name in MIXAMO],
    "Mixamo with a number": [f"mixamorig7:{name}" for name in MIXAMO],
    "small letters": [name.lower() for name in MIXAMO],
    "blanks": ["Left Arm" if name == "LeftArm" else name for name in MIXAMO],
    "underscores": [name.replace("Left", "Left_").replace("Right", "Right_") for name in MIXAMO],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_families_of_names_map_whole(family):
    assert set(joint_map(FAMILIES[family], MIXAMO).values()) >= LIMBS
    assert set(joint_map(MIXAMO, FAMILIES[family])) >= LIMBS


@pytest.mark.parametrize("family", FAMILIES)
def test_sides_and_parts_are_not_exchanged(family):
    mapped = joint_map(FAMILIES[family], MIXAMO)
    places = {name: FAMILIES[family].index(name) for name in mapped}
    chains = ["LeftArm LeftForeArm LeftHand", "LeftUpLeg LeftLeg LeftFoot", "RightArm RightForeArm RightHand"]
    back = {goal: name for name, goal in mapped.items()}
    for chain in [*chains, "RightUpLeg RightLeg RightFoot", "Hips Neck Head"]:
        order = [places[back[goal]] for goal in chain.split()]
        assert order == sorted(order), chain
    assert {"Hips", "Spine"} <= set(back)


def test_limbs_of_no_known_name_are_not_left_out_in_silence():
    names = [
        "Hips",
        "Spine",
        "Neck",
        "Head",
        *(f"{side}_{part}" for side in "LR" for part in ("kibu", "hiji", "tekubi")),
    ]
    with pytest.raises(ValueError, match="no name stands for a part of a limb"):
        joint_map(names, MIXAMO)


def test_a_head_with_eyes_maps_without_limbs():
    assert "Neck" in joint_map(["Hips", "Spine", "Neck", "Head", "LeftEye", "RightEye"], MIXAMO)


def test_skeletons_named_alike_map_whole():
    names = [*MIXAMO, "LeftHandIndex1", "Tail"]
    assert joint_map(names, [*names, "Hat"]) == {name: name for name in names}


@pytest.mark.parametrize("lost", ["LeftForeArm", "RightLeg", "LeftHand"])
def test_a_limb_is_never_mapped_by_half(lost):
    names = [name if name != lost else "thing" for name in MIXAMO]
    with pytest.raises(ValueError, match=r"of which no name stands for parts of the (left|right) (arm|leg)"):
        joint_map(names, MIXAMO)
