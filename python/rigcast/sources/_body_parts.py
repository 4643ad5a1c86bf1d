"""Parts of a body by the words in joints' names, in whatever order and with whatever around them.

For skeletons whose names follow no known habit whole (see :mod:`._joint_maps`): ``UpperArm_Left``, ``L_Arm_jnt`` and
``bind.arm.L`` are upper arms. A word that most names of a skeleton have says nothing and is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from rigcast._rigs.matching import words_of

Key = TypeVar("Key", bound=Hashable)
NAMESPACE = re.compile(r"^.*[:|/]")
SIDES = {"left": ".L", "right": ".R"}
CENTER = {"m", "c", "x", "mid", "center"}  # words of what lies between the sides
COMMON = 0.6  # of a skeleton's names: words of so many are no names of parts

# Words for each part, the surest first; what follows them stands for it only where the words of its neighbor are there.
PAIRED = {
    "upper_arm": ("upperarm", "uparm", "uarm", "humerus", "armstretch", "shldr", "arm"),
    "lower_arm": ("lowerarm", "forearm", "loarm", "lowarm", "farm", "radius", "forearmstretch", "elbow"),
    "hand": ("hand", "wrist"),
    "upper_leg": ("upperleg", "upleg", "thigh", "femur", "thighstretch", "hip"),
    "lower_leg": ("lowerleg", "loleg", "lowleg", "shin", "calf", "tibia", "legstretch", "knee"),
    "foot": ("foot", "ankle"),
    "collar": ("collar", "clavicle"),
    "toe": ("toe", "toebase", "toes", "ball"),
}
UNSURE = (
    ("shoulder", "upper_arm", "lower_arm"),
    ("shoulder", "collar", "upper_arm"),
    ("leg", "upper_leg", "lower_leg"),
    ("leg", "lower_leg", "upper_leg"),
)  # a word, the part that it stands for if that is missing, and the part that must be there
MIDDLE = {
    "pelvis": ("hips", "pelvis", "hip", "lowertorso", "spinebase", "cog", "root"),
    "spine": ("spine", "spine1", "spine01", "spinemid", "lowerback", "abdomen", "waist", "stomach"),
    "chest": (
        "chest",
        "upperchest",
        "spine2",
        "spine02",
        "spine3",
        "uppertorso",
        "thorax",
        "upperback",
        "spineshoulder",
    ),
    "neck": ("neck", "neck1", "neck01", "lowerneck"),
    "head": ("head", "head1", "head01"),
}


def parts_of(names: Sequence[str]) -> dict[str, str]:
    """Roles of joints, as those of :func:`rigcast.sources._joint_maps.joint_roles`, by words alone.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    dict from role to joint name
        Limbs are whole: an arm or a leg without both of its bones is left out.
    """
    plain = _plain(names)
    found: dict[str, str] = {}
    for side, end in SIDES.items():
        own = {word: name for (word, of), name in plain.items() if of == side}
        limbs = {part: own.pop(word) for part, words in PAIRED.items() if (word := _first(words, own))}
        for word, part, other in UNSURE:
            if word in own and part not in limbs and other in limbs:
                limbs[part] = own.pop(word)
        for upper, lower in (("upper_arm", "lower_arm"), ("upper_leg", "lower_leg")):
            if (upper in limbs) != (lower in limbs):
                del limbs[upper if upper in limbs else lower]
        found |= {f"{part}{end}": name for part, name in limbs.items()}
    center = {word: name for (word, side), name in plain.items() if not side}
    return {part: center[word] for part, words in MIDDLE.items() if (word := _first(words, center))} | found


def sided(names: Iterable[str]) -> list[str]:
    """The names that have a side."""
    return [name for name in names if words_of(NAMESPACE.sub("", name))[1]]


def _plain(names: Sequence[str]) -> dict[tuple[str, str], str]:
    """Joints by their words and side."""
    split = {name: words_of(NAMESPACE.sub("", name)) for name in names}
    counts = Counter(word for words, _ in split.values() for word in {word.lower() for word in words})
    empty = {word for word, count in counts.items() if count > COMMON * len(split)}
    found = []
    for name, (words, side) in split.items():
        kept = [word.lower() for word in words if word.lower() not in empty]
        if not side and len(kept) > 1:
            kept = [word for word in kept if word not in CENTER]
        found.append(((re.sub(r"[\W_]", "", "".join(kept)), side), name))
    return plainest(found)


def plainest(found: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """Of the names that mean the same the shortest: ``UpLeg_L``, not its helper ``__UpLeg_L``; of equals the first."""
    best: dict[Key, str] = {}
    for key, name in found:
        if len(name) < len(best.setdefault(key, name)):
            best[key] = name
    return best


def _first(words: Iterable[str], among: dict[str, str]) -> str:
    return next((word for word in words if word in among), "")
