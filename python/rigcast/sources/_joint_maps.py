"""Which joints of two skeletons correspond, by name: a table of common naming habits.

A *role* is a part of the body; ``.L`` and ``.R`` are its sides. A habit that lacks a role simply leaves it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rigcast._validate import bad_argument

SIDES = (".L", ".R")
# Bones whose direction at rest must agree between two characters (see rigcast.sources.retarget).
LIMBS = tuple(f"{part}{side}" for part in ("upper_arm", "lower_arm", "upper_leg", "lower_leg") for side in SIDES)

MIDDLE = ("pelvis", "hips", "spine", "middle_spine", "chest", "neck", "head")
PAIRED = ("collar", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toe")


def _habit(left: str, right: str, middle: str, paired: str) -> dict[str, str]:
    """Roles to names: ``-`` marks a role that is missing, ``{}`` the place of the side."""
    names = dict(zip(MIDDLE, middle.split(), strict=True))
    for role, pattern in zip(PAIRED, paired.split(), strict=True):
        names[role + SIDES[0]], names[role + SIDES[1]] = pattern.format(left), pattern.format(right)
    return {role: name for role, name in names.items() if name != "-"}


HABITS = {
    "cmu": _habit(
        "Left",
        "Right",
        "Hips - LowerBack Spine Spine1 Neck Head",
        "{}Shoulder {}Arm {}ForeArm {}Hand {}UpLeg {}Leg {}Foot {}ToeBase",
    ),
    "cmu biped": _habit(
        "Left",
        "Right",
        "Hips - lowerback Chest Chest2 Neck Head",
        "{}Collar {}Shoulder {}Elbow {}Wrist {}Hip {}Knee {}Ankle {}Toe",
    ),
    "mixamo": _habit(
        "Left",
        "Right",
        "Hips - Spine Spine1 Spine2 Neck Head",
        "{}Shoulder {}Arm {}ForeArm {}Hand {}UpLeg {}Leg {}Foot {}ToeBase",
    ),
    "long mixamo": _habit(
        "Left",
        "Right",
        "Hips - Spine Spine1 Spine3 Neck Head",
        "{}Shoulder {}Arm {}ForeArm {}Hand {}UpLeg {}Leg {}Foot {}ToeBase",
    ),
    "makehuman motion": _habit(
        "L",
        "R",
        "Root Hips Spine1 Spine2 Spine3 Neck Head",
        "Clavicle_{} UpArm_{} LoArm_{} Hand_{} UpLeg_{} LoLeg_{} Foot_{} Toe_{}",
    ),
    "makehuman default": _habit(
        "L",
        "R",
        "root - spine05 spine03 spine01 neck01 head",
        "clavicle.{} upperarm01.{} lowerarm01.{} wrist.{} upperleg01.{} lowerleg01.{} foot.{} toe1-1.{}",
    ),
    "unreal": _habit(
        "l",
        "r",
        "pelvis - spine_01 spine_02 spine_03 neck_01 head",
        "clavicle_{} upperarm_{} lowerarm_{} hand_{} thigh_{} calf_{} foot_{} ball_{}",
    ),
    "poser": _habit(
        "l",
        "r",
        "waist hip abdomen - chest neck head",
        "{}Collar {}Shldr {}ForeArm {}Hand {}Thigh {}Shin {}Foot {}Toe",
    ),
    "rokoko": _habit(
        "Left",
        "Right",
        "Hips - Spine1 Spine2 Spine3 Neck Head",
        "{}Shoulder {}Arm {}ForeArm {}Hand {}Thigh {}Shin {}Foot {}Toe",
    ),
    "smpl": _habit(
        "L",
        "R",
        "Pelvis - Spine1 Spine2 Spine3 Neck Head",
        "{}_Collar {}_Shoulder {}_Elbow {}_Wrist {}_Hip {}_Knee {}_Ankle {}_Foot",
    ),
    "vrm": _habit(
        "L",
        "R",
        "J_Bip_C_Hips - J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head",
        "J_Bip_{}_Shoulder J_Bip_{}_UpperArm J_Bip_{}_LowerArm J_Bip_{}_Hand J_Bip_{}_UpperLeg J_Bip_{}_LowerLeg "
        "J_Bip_{}_Foot J_Bip_{}_ToeBase",
    ),
    "metarig": _habit(
        "L",
        "R",
        "spine - spine.001 spine.002 spine.003 spine.004 spine.006",
        "shoulder.{} upper_arm.{} forearm.{} hand.{} thigh.{} shin.{} foot.{} toe.{}",
    ),
    # Generated Rigify characters: the controls of which deforming bones are copies, with the limbs in FK.
    "rigify": _habit(
        "L",
        "R",
        "torso hips - - chest neck head",
        "shoulder.{} upper_arm_fk.{} forearm_fk.{} hand_fk.{} thigh_fk.{} shin_fk.{} foot_fk.{} toe_fk.{}",
    ),
    "rigify quadruped": _habit(
        "L",
        "R",
        "torso hips - - chest neck head",
        "shoulder.{} front_thigh_fk.{} front_shin_fk.{} front_foot_fk.{} thigh_fk.{} shin_fk.{} foot_fk.{} -",
    ),
    "rigify horse": _habit(
        "L",
        "R",
        "torso hips - - chest neck head",
        "shoulder.{} upper_arm_fk.{} forearm_fk.{} forefoot_fk.{} "
        "thigh_fk.{} lower_leg_fk.{} hind_foot_fk.{} r_toe_fk.{}",
    ),
}


def joint_roles(names: Iterable[str]) -> dict[str, str]:
    """Roles of a skeleton's joints by the habit that names most of them; empty where none fits three joints.

    A prefix that ends in a colon (``mixamorig:Hips``) does not matter.

    Returns
    -------
    dict from role to joint name
    """
    plain = {name.rsplit(":", 1)[-1]: name for name in reversed(list(names))}
    fits = [{role: plain[name] for role, name in habit.items() if name in plain} for habit in HABITS.values()]
    best = max(fits, key=len)
    return best if len(best) >= 3 else {}


def joint_map(source: Iterable[str], target: Iterable[str]) -> dict[str, str]:
    """Map source joints to target joints by the roles that both name, or else by equal names.

    Parameters
    ----------
    source, target : iterable of str
        Names of joints.

    Returns
    -------
    dict
        Of names of ``source``, those that have a counterpart, to names of ``target``.

    Raises
    ------
    ValueError
        If fewer than three joints correspond by their roles, and none by its name.

    Examples
    --------
    >>> rc.sources.joint_map(["shoulder", "elbow", "prop"], ["root", "shoulder", "elbow"])
    {'shoulder': 'shoulder', 'elbow': 'elbow'}
    """
    source, target = list(source), set(target)
    roles, goals = joint_roles(source), joint_roles(target)
    found = {roles[role]: goals[role] for role in roles if role in goals}
    if len(found) < 3:
        found = {name: name for name in source if name in target}  # of a creature
    if not found:
        got = (
            f"joints ({_few(source)}), of whose names none stands for a part of a body that {_few(sorted(target))} have"
        )
        raise bad_argument(
            "joint_map", "source", got, "joints with names in common, else a map written by hand (--joint-map)"
        )
    return found


def limb_joints(names: Iterable[str]) -> set[str]:
    """The joints that are upper or lower arms or legs by their names."""
    roles = joint_roles(names)
    return {roles[role] for role in LIMBS if role in roles}


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:4]))
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")
