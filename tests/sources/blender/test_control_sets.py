"""Control sets are recognized after the naming habits of Rigify, mGear and Auto-Rig Pro."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rigcast._formats.blender.host.control_rigs.recognition import ControlledLimb, Property, recognized


@dataclass(frozen=True)
class Habit:
    """Bones that follow each other as parents in a line, the properties, and what must be found."""

    name: str
    lines: list[list[str]]
    properties: list[Property]
    limbs: list[ControlledLimb]
    settings: list[str] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)


RIGIFY = Habit(
    "Rigify",
    [
        ["torso", "hips"],
        ["torso", "chest", "spine_fk.002"],
        ["MCH-upper_arm_parent.L", "upper_arm_fk.L", "forearm_fk.L", "MCH-hand_fk.L", "hand_fk.L"],
        ["ORG-shoulder.L", "upper_arm_parent.L"],
        ["MCH-hand_ik.parent.L", "hand_ik.L"],
        ["MCH-upper_arm_ik_swing.L", "upper_arm_ik.L"],
        ["upper_arm_ik_target.L"],
        ["VIS_upper_arm_ik_pole.L"],
        ["MCH-f_index", "f_index.01.L", "f_index.02.L"],
        ["f_index.01_master.L"],
    ],
    [
        Property("upper_arm_parent.L", "IK_FK"),
        Property("upper_arm_parent.L", "IK_Stretch"),
        Property("upper_arm_parent.L", "FK_limb_follow"),
        Property("upper_arm_parent.L", "pole_vector"),
        Property("upper_arm_parent.L", "IK_parent"),
        Property("torso", "torso_parent"),
        Property("jaw_master", "mouth_lock"),
        Property("forearm_tweak.L", "rubber_tweak"),
        Property("f_index.01_master.L", "finger_curve"),
    ],
    [
        ControlledLimb(
            "arm.L",
            "arm",
            ("upper_arm_fk.L", "forearm_fk.L", "hand_fk.L"),
            ("hand_ik.L", "upper_arm_ik.L", "upper_arm_ik_target.L"),
            "upper_arm_ik_target.L",
            "upper_arm_parent.L.IK_FK",
            fk_at=1.0,
            ik_at=0.0,
        )
    ],
    [
        "upper_arm_parent.L.IK_Stretch",
        "upper_arm_parent.L.FK_limb_follow",
        "upper_arm_parent.L.pole_vector",
        "upper_arm_parent.L.IK_parent",
        "torso.torso_parent",
        "jaw_master.mouth_lock",
        "forearm_tweak.L.rubber_tweak",
    ],
    {
        "upper_arm_fk.L": "shoulder",
        "forearm_fk.L": "elbow",
        "hand_fk.L": "wrist",
        "f_index.01.L": "finger 1",
        "f_index.02.L": "finger 2",
        "torso": "torso",
        "hips": "hips",
        "chest": "chest",
    },
)
MGEAR = Habit(
    "mGear",
    [
        ["spine_C0_fk0_ctl", "spine_C0_fk1_ctl", "neck_C0_head_ctl"],
        ["arm_L0_fk0_npo", "arm_L0_fk0_ctl", "arm_L0_fk1_ctl", "arm_L0_fk2_ctl"],
        ["arm_L0_ik_cns", "arm_L0_ikcns_ctl", "arm_L0_ik_ctl"],
        ["arm_L0_upv_ctl"],
        ["armUI_L0_ctl"],
        ["leg_R0_fk0_ctl", "leg_R0_fk1_ctl", "leg_R0_fk2_ctl", "foot_R0_fk0_ctl"],
        ["leg_R0_ik_ctl", "foot_R0_heel_ctl"],
        ["legUI_R0_ctl"],
    ],
    [
        Property("armUI_L0_ctl", "arm_blend"),
        Property("armUI_L0_ctl", "arm_maxstretch", 1.0, 2.0),
        Property("armUI_L0_ctl", "arm_ikref"),
        Property("legUI_R0_ctl", "leg_blend"),
    ],
    [
        ControlledLimb(
            "arm.L",
            "arm",
            ("arm_L0_fk0_ctl", "arm_L0_fk1_ctl", "arm_L0_fk2_ctl"),
            ("arm_L0_ik_ctl", "arm_L0_ikcns_ctl", "arm_L0_upv_ctl"),
            "arm_L0_upv_ctl",
            "armUI_L0_ctl.arm_blend",
            fk_at=0.0,
            ik_at=1.0,
        ),
        ControlledLimb(
            "leg.R",
            "leg",
            ("leg_R0_fk0_ctl", "leg_R0_fk1_ctl", "leg_R0_fk2_ctl", "foot_R0_fk0_ctl"),
            ("leg_R0_ik_ctl", "foot_R0_heel_ctl"),
            "",
            "legUI_R0_ctl.leg_blend",
            fk_at=0.0,
            ik_at=1.0,
        ),
    ],
    ["armUI_L0_ctl.arm_maxstretch", "armUI_L0_ctl.arm_ikref"],
    {
        "arm_L0_fk0_ctl": "shoulder",
        "arm_L0_fk1_ctl": "elbow",
        "arm_L0_fk2_ctl": "wrist",
        "leg_R0_fk0_ctl": "hip",
        "leg_R0_fk1_ctl": "knee",
        "leg_R0_fk2_ctl": "ankle",
        "foot_R0_fk0_ctl": "toes",
        "spine_C0_fk0_ctl": "spine",
        "spine_C0_fk1_ctl": "spine",
        "neck_C0_head_ctl": "head",
    },
)
ARP = Habit(
    "Auto-Rig Pro",
    [
        ["c_root_master.x", "c_root.x"],
        ["c_spine_01.x", "c_head.x"],
        ["arm_fk.l", "c_arm_fk.l", "c_forearm_fk.l", "c_hand_fk.l"],
        ["arm_ik.l", "forearm_ik.l"],
        ["c_hand_ik.l"],
        ["c_arms_pole.l"],
        ["c_thigh_fk.r", "c_leg_fk.r", "c_foot_fk.r", "c_toes_fk.r"],
        ["c_foot_ik.r", "c_toes_ik.r"],
        ["c_leg_pole.r"],
    ],
    [
        Property("c_hand_ik.l", "ik_fk_switch"),
        Property("c_hand_ik.l", "auto_stretch"),
        Property("c_hand_ik.l", "fingers_grasp", -1.0, 1.0),
        Property("c_foot_ik.r", "ik_fk_switch"),
        Property("c_foot_ik.r", "leg_pin"),
    ],
    [
        ControlledLimb(
            "arm.L",
            "arm",
            ("c_arm_fk.l", "c_forearm_fk.l", "c_hand_fk.l"),
            ("c_hand_ik.l", "c_arms_pole.l"),
            "c_arms_pole.l",
            "c_hand_ik.l.ik_fk_switch",
        ),
        ControlledLimb(
            "leg.R",
            "leg",
            ("c_thigh_fk.r", "c_leg_fk.r", "c_foot_fk.r", "c_toes_fk.r"),
            ("c_foot_ik.r", "c_toes_ik.r", "c_leg_pole.r"),
            "c_leg_pole.r",
            "c_foot_ik.r.ik_fk_switch",
        ),
    ],
    ["c_hand_ik.l.auto_stretch", "c_foot_ik.r.leg_pin"],
    {
        "c_root_master.x": "torso",
        "c_root.x": "hips",
        "c_spine_01.x": "spine",
        "c_head.x": "head",
        "c_arm_fk.l": "shoulder",
        "c_forearm_fk.l": "elbow",
        "c_hand_fk.l": "wrist",
        "c_thigh_fk.r": "hip",
        "c_leg_fk.r": "knee",
        "c_foot_fk.r": "ankle",
        "c_toes_fk.r": "toes",
    },
)
QUADRUPED = Habit(
    "Rigify",
    [
        ["MCH-a", "MCH-b", "MCH-c"],
        ["front_thigh_fk.L", "front_shin_fk.L", "front_foot_fk.L"],
        ["front_foot_ik.L", "front_foot_heel_ik.L"],
        ["thigh_fk.L", "shin_fk.L", "foot_fk.L"],
        ["foot_ik.L"],
    ],
    [Property("front_thigh_parent.L", "IK_FK"), Property("thigh_parent.L", "IK_FK")],
    [
        ControlledLimb(
            "leg.L", "leg", ("thigh_fk.L", "shin_fk.L", "foot_fk.L"), ("foot_ik.L",), "", "thigh_parent.L.IK_FK"
        ),
        ControlledLimb(
            "front leg.L",
            "leg",
            ("front_thigh_fk.L", "front_shin_fk.L", "front_foot_fk.L"),
            ("front_foot_ik.L", "front_foot_heel_ik.L"),
            "",
            "front_thigh_parent.L.IK_FK",
        ),
    ],
    [],
    {
        f"{front}{bone}_fk.L": role
        for front in ("", "front_")
        for bone, role in {"thigh": "hip", "shin": "knee", "foot": "ankle"}.items()
    },
)


def parents_of(habit: Habit) -> dict[str, str]:
    return {bone: parent for line in habit.lines for parent, bone in zip(["", *line], line, strict=False)}


@pytest.mark.parametrize("habit", [RIGIFY, MGEAR, ARP, QUADRUPED], ids=["rigify", "mgear", "arp", "quadruped"])
@pytest.mark.parametrize("what", ["name", "limbs", "settings", "roles"])
def test_a_habit_is_recognized(habit: Habit, what: str) -> None:
    parents = parents_of(habit)
    found = recognized(parents, parents, habit.properties)
    assert found is not None
    expected = {name: getattr(habit, name) for name in ("name", "limbs", "settings", "roles")}
    got = {"name": found.habit, "limbs": list(found.limbs), "settings": list(found.settings), "roles": found.roles}
    assert got[what] == expected[what]


@pytest.mark.parametrize(
    ("key", "to_fk", "fk_at"),
    [
        ("IK_FK", None, 1.0),
        ("IK_FK", False, 0.0),  # the drivers know better than the name
        ("FK_IK", None, 0.0),
        ("ikfk", None, 1.0),
        ("ik_blend", None, 0.0),
        ("fk", None, 1.0),
        ("switch", True, 1.0),
    ],
)
def test_the_end_of_fk_is_known(key: str, to_fk: bool | None, fk_at: float) -> None:
    parents = {"upper_arm_fk.L": "", "forearm_fk.L": "upper_arm_fk.L", "hand_ik.L": "", "arm_settings.L": ""}
    found = recognized(parents, parents, [Property("arm_settings.L", key, 0.0, 1.0, to_fk)])
    assert found is not None
    assert (found.limbs[0].switch, found.limbs[0].fk_at) == (f"arm_settings.L.{key}", fk_at)


@pytest.mark.parametrize(
    "bones",
    [
        ["spine", "upper_arm.L", "forearm.L", "hand.L"],
        ["Hips", "LeftArm", "LeftForeArm", "LeftHand"],
        ["root", "thigh_l", "calf_l", "ik_foot_l"],
    ],
)
def test_a_plain_skeleton_has_no_control_sets(bones: list[str]) -> None:
    assert recognized(dict.fromkeys(bones, ""), bones, []) is None
