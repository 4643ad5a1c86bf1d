"""The correspondence of two skeletons' joints by name: a table of common naming habits.

A *role* is a part of the body; ``.L`` and ``.R`` are its sides. A habit that lacks a role simply leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rigcast._validate import bad_argument
from rigcast.sources._body_parts import parts_of, plainest, sided

SIDES = (".L", ".R")
# Bones whose direction at rest must agree between two characters (see rigcast.sources.retarget).
LIMBS = tuple(f"{part}{side}" for part in ("upper_arm", "lower_arm", "upper_leg", "lower_leg") for side in SIDES)

MIDDLE = ("pelvis", "hips", "spine", "middle_spine", "chest", "neck", "head")
FEWEST_SIDED = 6  # joints with a side that are no pair of eyes, and of which somebody expects limbs
MECHANISM = ("def", "org", "mch")  # how names of Rigify's bones begin that no animator moves
LIMB_PARTS = {"arm": ("upper_arm", "lower_arm", "hand"), "leg": ("upper_leg", "lower_leg", "foot")}
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
    "daz": _habit(
        "l",
        "r",
        "hip pelvis abdomenLower abdomenUpper chestUpper neckLower head",
        "{}Collar {}ShldrBend {}ForearmBend {}Hand {}ThighBend {}Shin {}Foot {}Toe",
    ),
    "daz genesis 9": _habit(
        "l",
        "r",
        "hip pelvis spine1 spine2 spine4 neck1 head",
        "{}_shoulder {}_upperarm {}_forearm {}_hand {}_thigh {}_shin {}_foot {}_toes",
    ),
    "3ds max": _habit(
        "L",
        "R",
        "Pelvis - Spine Spine1 Spine2 Neck Head",
        "{}_Clavicle {}_UpperArm {}_Forearm {}_Hand {}_Thigh {}_Calf {}_Foot {}_Toe0",
    ),
    "character creator": _habit(
        "L",
        "R",
        "Hip Pelvis Waist Spine01 Spine02 NeckTwist01 Head",
        "{}_Clavicle {}_Upperarm {}_Forearm {}_Hand {}_Thigh {}_Calf {}_Foot {}_ToeBase",
    ),
    "xsens": _habit(
        "Left",
        "Right",
        "Pelvis - L5 T12 T8 Neck Head",
        "{}Shoulder {}UpperArm {}ForeArm {}Hand {}UpperLeg {}LowerLeg {}Foot {}Toe",
    ),
    "motive": _habit(
        "L",
        "R",
        "Hip - Ab - Chest Neck Head",
        "{}Shoulder {}UArm {}FArm {}Hand {}Thigh {}Shin {}Foot {}Toe",
    ),
    "lafan1": _habit(
        "Left",
        "Right",
        "Hips - Spine Spine1 Spine2 Neck Head",
        "{}Shoulder {}Arm {}ForeArm {}Hand {}UpLeg {}Leg {}Foot {}Toe",
    ),
    "humanoid": _habit(
        "left",
        "right",
        "hips - spine chest upperChest neck head",
        "{}Shoulder {}UpperArm {}LowerArm {}Hand {}UpperLeg {}LowerLeg {}Foot {}Toes",
    ),
    "smpl joints": _habit(
        "left",
        "right",
        "pelvis - spine1 spine2 spine3 neck head",
        "{}_collar {}_shoulder {}_elbow {}_wrist {}_hip {}_knee {}_ankle {}_foot",
    ),
    "smpl": _habit(
        "L",
        "R",
        "Pelvis - Spine1 Spine2 Spine3 Neck Head",
        "{}_Collar {}_Shoulder {}_Elbow {}_Wrist {}_Hip {}_Knee {}_Ankle {}_Foot",
    ),
    "acclaim": _habit(
        "l",
        "r",
        "root - lowerback upperback thorax lowerneck head",
        "{}clavicle {}humerus {}radius {}hand {}femur {}tibia {}foot {}toes",
    ),
    "mikumikudance": _habit(
        "左",
        "右",
        "センター 下半身 上半身 - 上半身2 首 頭",
        "{}肩 {}腕 {}ひじ {}手首 {}足 {}ひざ {}足首 {}つま先",
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

    Neither case nor punctuation matters, nor a prefix that the names have (``mixamorig:Hips``, ``Bip01 Pelvis``,
    ``CC_Base_Hip``). Where the words in the names tell more of the limbs than any habit, they count
    (:mod:`._body_parts`). Of names that differ by punctuation the shortest counts: ``UpLeg_L``, not ``__UpLeg_L``.

    Returns
    -------
    dict from role to joint name
    """
    names = list(names)
    plain = plainest((_plain(name), name) for name in names)
    best = _by_habit(plain)
    if len(best) < 3:
        best = _by_habit({name.removeprefix(MECHANISM[0]): own for name, own in plain.items()})
    by_words = parts_of(names)
    if _of_limbs(by_words) > _of_limbs(best):
        best = by_words
    return best if len(best) >= 3 else {}


def _by_habit(plain: Mapping[str, str]) -> dict[str, str]:
    best: dict[str, str] = {}
    for habit in HABITS.values():
        spelled = {role: _plain(name) for role, name in habit.items()}
        for prefix in _prefixes(plain, spelled):
            fit = {role: plain[prefix + name] for role, name in spelled.items() if prefix + name in plain}
            best = fit if len(fit) > len(best) else best
    return best


def _of_limbs(roles: Iterable[str]) -> int:
    return sum(role.endswith(SIDES) for role in roles)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _prefixes(names: Iterable[str], spelled: Mapping[str, str]) -> list[str]:
    """No prefix, and those of names that end like an upper arm or leg of the habit, but for Rigify's of what is no
    control."""
    ends = [spelled[role] for role in ("upper_arm.L", "upper_leg.L") if role in spelled]
    found = {name.removesuffix(end) for name in names for end in ends if name.endswith(end)}
    return ["", *sorted(found - {"", *MECHANISM})]


def _halves(found: Iterable[str], roles: Mapping[str, str]) -> list[str]:
    """Limbs of which some joints are found and others not, among those that a skeleton names."""
    found = set(found)
    halves = []
    for side in SIDES:
        for limb, parts in LIMB_PARTS.items():
            known = {part + side for part in parts if part + side in roles}
            if known & found and known - found:
                halves.append(f"{'left' if side == SIDES[0] else 'right'} {limb} ({', '.join(sorted(known - found))})")
    return halves


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
        If fewer than three joints correspond by their roles, and none by its name; or a limb would be mapped by half.

    Examples
    --------
    >>> rc.sources.joint_map(["shoulder", "elbow", "prop"], ["root", "shoulder", "elbow"])
    {'shoulder': 'shoulder', 'elbow': 'elbow'}
    """
    source, target = list(source), set(target)
    roles, goals = joint_roles(source), joint_roles(target)
    found = {roles[role]: goals[role] for role in roles if role in goals}
    if not {"pelvis", "hips"} & roles.keys() & goals.keys():  # a body's root that one habit has above another
        ends = [next((known[role] for role in ("pelvis", "hips") if role in known), None) for known in (roles, goals)]
        found = {ends[0]: ends[1], **found} if ends[0] and ends[1] else found
    if all(name == goal for name, goal in found.items()):  # one way of naming: fingers, tails and others alike
        found |= {name: name for name in source if name in target}
    if halves := _halves([role for role in roles if role in goals], goals) if len(found) >= 3 else []:
        got = f"joints ({_few(source)}), of which no name stands for parts of the {' and the '.join(halves)}"
        raise bad_argument("joint_map", "source", got, "joints that name whole limbs, else a map by hand (--joint-map)")
    unknown = [name for name in sided(source) if name not in found]
    if len(found) >= 3 and len(unknown) >= FEWEST_SIDED and _of_limbs(goals) and not _of_limbs(roles):
        got = f"joints ({_few(unknown)}), of which no name stands for a part of a limb"
        raise bad_argument("joint_map", "source", got, "joints that name whole limbs, else a map by hand (--joint-map)")
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
