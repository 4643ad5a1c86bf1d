"""The controls of a rig that pose a limb by FK and by IK, and the property that chooses between them.

Found by names and structure, after the habits of Rigify (``upper_arm_fk.L``, ``hand_ik.L``,
``upper_arm_parent.L["IK_FK"]``), mGear (``arm_L0_fk0_ctl``, ``arm_L0_ik_ctl``, ``armUI_L0_ctl["arm_blend"]``) and
Auto-Rig Pro (``c_arm_fk.l``, ``c_hand_ik.l["ik_fk_switch"]``). Needs neither Blender nor the rest of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .names import Name, parsed

HABITS = {"Rigify": r"(MCH|ORG)-", "mGear": r".+_[LRC]\d+_(\w+_)?ctl$", "Auto-Rig Pro": r"c_.+\.[lrx]$"}
FEWEST = 3  # names that make a habit
# Words of properties that set a rig up: they are seldom animated, and a pose is as good with each of their values.
SETTINGS = {"parent", "pole", "lock", "pin", "rubber", "upvref", "ikref", "kneeref", "vis", "space", "slide", "soft",
            "softness", "roundness", "volume", "ref"}  # fmt: skip
SETTING_PARTS = ("stretch", "follow", "visib", "rubber")
Key = tuple[str, str, str]  # a limb: "arm" or "leg", side, which of several
HIND = ("hind", "rear", "back")
CHAIN = {"arm": ("shoulder", "elbow", "wrist"), "leg": ("hip", "knee", "ankle", "toes")}


@dataclass(frozen=True)
class ControlledLimb:
    """A limb with controls for FK and for IK.

    Attributes
    ----------
    name : str
        ``"arm.L"``, ``"front leg.R"``.
    kind : str
        ``"arm"`` or ``"leg"``.
    fk : tuple of str
        Bones, from the body outwards.
    ik : tuple of str
        Bones: the target first.
    pole : str
        That of ``ik`` which turns the elbow or knee, or empty.
    switch : str
        The channel that chooses between the two, or empty.
    fk_at, ik_at : float
        Its values at which FK poses the limb, and IK.
    """

    name: str
    kind: str
    fk: tuple[str, ...]
    ik: tuple[str, ...]
    pole: str = ""
    switch: str = ""
    fk_at: float = 1.0
    ik_at: float = 0.0


@dataclass(frozen=True)
class ControlSets:
    """The recognized parts of a control rig.

    Attributes
    ----------
    habit : str
        ``"Rigify"``, ``"mGear"``, ``"Auto-Rig Pro"``, or empty.
    limbs : tuple of ControlledLimb
    settings : tuple of str
        Channels of properties that set the rig up.
    roles : dict
        The joint of a person that a control turns, by the control's name: ``"elbow"``, ``"finger 2"``, ``"chest"``.
    """

    habit: str
    limbs: tuple[ControlledLimb, ...]
    settings: tuple[str, ...]
    roles: dict[str, str]

    @property
    def switches(self) -> list[str]:
        """The channels that choose between FK and IK."""
        return [limb.switch for limb in self.limbs if limb.switch]


@dataclass(frozen=True)
class Property:
    """A property that acts on bones.

    Attributes
    ----------
    owner, key : str
        The bone, or ``"property"`` for the armature object.
    low, high : float
        Its range.
    to_fk : bool, optional
        Whether FK poses the limb at ``high``, as the drivers say that read it; None if they do not.
    """

    owner: str
    key: str
    low: float = 0.0
    high: float = 1.0
    to_fk: bool | None = None

    @property
    def channel(self) -> str:
        """Its channel's name."""
        return f"{self.owner}.{self.key}"


def recognized(parents: Mapping[str, str], turned: Iterable[str], properties: Iterable[Property]) -> ControlSets | None:
    """The control sets of a rig, or None if it has none.

    Parameters
    ----------
    parents : mapping
        The parent of each bone, empty for roots.
    turned : iterable of str
        The bones that an artist can turn or shift: not locked, not driven.
    properties : iterable of Property
        Those that act on bones.
    """
    habit, properties = _habit(parents), list(properties)
    names = {bone: parsed(bone) for bone in turned if _is_control(bone, habit)}
    ordered = sorted(names, key=lambda bone: (len(_ancestors(bone, parents)), bone))
    fk, ik = _by_limb(ordered, names, "is_fk"), _by_limb(ordered, names, "is_ik")
    for key in [key for key in [*fk, *ik] if key[2] in HIND and len(fk.get(key, [])) < 2]:  # of a leg named without it
        for bones in (fk, ik):
            bones.setdefault((*key[:2], ""), []).extend(bones.pop(key, []))
    chains = {key: _chain(bones, parents) for key, bones in fk.items() if bones}
    fk = {key: bones for key, bones in chains.items() if len(bones) > 1}
    limbs = tuple(_limb(key, fk[key], ik[key], properties) for key in sorted(fk) if ik.get(key))
    if not habit and not limbs:
        return None
    switches = {limb.switch for limb in limbs}
    settings = tuple(p.channel for p in properties if p.channel not in switches and _is_setting(p.key))
    roles = {bone: role for key in fk for bone, role in zip(fk[key], CHAIN[key[0]], strict=False)}
    return ControlSets(habit, limbs, settings, roles | _fingers(ordered, names) | _trunk(ordered, names))


def _habit(bones: Iterable[str]) -> str:
    counts = {habit: sum(re.match(form, bone) is not None for bone in bones) for habit, form in HABITS.items()}
    habit = max(counts, key=lambda name: counts[name])
    return habit if counts[habit] >= FEWEST else ""


def _is_control(bone: str, habit: str) -> bool:
    """Return True if a bone is for the artist: two habits mark controls, and their mechanism uses the same words."""
    if habit == "mGear":
        return bone.endswith("_ctl")
    return bone.startswith("c_") or habit != "Auto-Rig Pro"


def _ancestors(bone: str, parents: Mapping[str, str]) -> list[str]:
    found = []
    while parents.get(bone):
        bone = parents[bone]
        found.append(bone)
    return found


def _by_limb(ordered: list[str], names: Mapping[str, Name], which: str) -> dict[Key, list[str]]:
    """The FK or the IK controls of each limb."""
    found: dict[Key, list[str]] = {}
    for bone in ordered:
        if names[bone].limb and getattr(names[bone], which):
            found.setdefault(names[bone].key, []).append(bone)
    return found


def _chain(bones: list[str], parents: Mapping[str, str]) -> list[str]:
    """Those that hang on the first of them, if any does: others share its words, as the toes of another foot."""
    ordered = sorted(bones, key=lambda bone: len(_ancestors(bone, parents)))
    below = [bone for bone in ordered[1:] if ordered[0] in _ancestors(bone, parents)]
    return [ordered[0], *below] if below else bones


def _limb(key: Key, fk: list[str], ik: list[str], properties: list[Property]) -> ControlledLimb:
    kind, side, which = key
    name = " ".join(filter(None, (which, kind))) + (f".{side}" if side else "")
    poles = [bone for bone in ik if parsed(bone).is_pole]
    stems = {_stem(parsed(bone)) for bone in fk}
    targets = sorted(
        (bone for bone in ik if bone not in poles),
        key=lambda bone: (_is_beside_target(parsed(bone)), _stem(parsed(bone)) not in stems),
    )
    limb = ControlledLimb(name, kind, tuple(fk), (*targets, *poles), poles[0] if poles else "")
    for entry in properties:
        to_fk = _leads_to_fk(entry)
        if to_fk is not None and _limb_of(entry) == key:
            ends = (entry.high, entry.low) if to_fk else (entry.low, entry.high)
            return replace(limb, switch=entry.channel, fk_at=ends[0], ik_at=ends[1])
    return limb


def _is_beside_target(name: Name) -> bool:
    """Return True if an IK control hangs on the target or turns the upper link: it is named after another part of
    the limb."""
    hangs = {"roll", "heel", "tip", "spin", "bk", "toe", "toes", "ikcns"}
    upper = {"upper", "upperarm", "thigh", "shin", "forearm"}
    return bool((hangs | upper) & set(name.words))


def _stem(name: Name) -> tuple[str, ...]:
    """A name without FK and IK: the same for the two controls of one joint."""
    return tuple(word for word in name.words if word not in ("fk", "ik"))


def _leads_to_fk(entry: Property) -> bool | None:
    """Return True if FK poses the limb at the upper end; None if the property is no switch."""
    words = parsed(entry.key).words
    text = "".join(words)
    said = True if "ikfk" in text else False if "fkik" in text or "blend" in words or words == ("ik",) else None
    said = True if said is None and words == ("fk",) else said
    known = said is not None or "switch" in words
    return entry.to_fk if known and entry.to_fk is not None else said


def _limb_of(entry: Property) -> Key:
    """The limb that a switch is of: its own words say so before those of its owner."""
    own, owner = parsed(entry.key), parsed(entry.owner)
    return own.limb or owner.limb, own.side or owner.side, own.which or owner.which


def _is_setting(key: str) -> bool:
    words = parsed(key).words
    return bool(SETTINGS & set(words)) or any(part in word for word in words for part in SETTING_PARTS)


def _fingers(ordered: list[str], names: Mapping[str, Name]) -> dict[str, str]:
    """``"index 1"`` for the joint next to the palm, and so on."""
    counts: dict[Key, int] = {}
    roles = {}
    for bone in ordered:
        name = names[bone]
        if name.finger:
            key = (name.finger, name.side, name.which)
            counts[key] = counts.get(key, 0) + 1
            roles[bone] = f"{'thumb' if 'thumb' in name.words else 'finger'} {counts[key]}"
    return roles


def _trunk(ordered: list[str], names: Mapping[str, Name]) -> dict[str, str]:
    """Torso, hips and chest; the links of the spine where no chest bends them; neck, head and clavicles."""
    roles = {bone: names[bone].part for bone in ordered if names[bone].part and not names[bone].limb}
    return {bone: role for bone, role in roles.items() if role != "spine" or "chest" not in roles.values()}
