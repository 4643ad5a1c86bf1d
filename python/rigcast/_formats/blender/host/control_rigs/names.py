"""The words in the name of a control: side, limb, FK or IK, and the part of the body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
ENDS = ("front", "hind", "rear", "back", "mid", "middle")  # which of several limbs of one side
ARM = {"arm", "arms", "upperarm", "uparm", "forearm", "lowerarm", "lowarm", "elbow", "hand", "wrist"}
LEG = {"leg", "legs", "thigh", "upleg", "upperleg", "lowerleg", "lowleg", "shin", "calf", "knee", "foot", "ankle",
       "toe", "toes", "paw"}  # fmt: skip
# Bones of the mechanism, of the skin, and fine adjustments: none of them poses a limb.
NO_CONTROL = {"mch", "org", "def", "vis", "wgt", "tweak", "mechanism", "ref", "proxy", "drv", "swing", "parent"}
POLE = {"pole", "upv"}
IK = {"ik", "ikcns", "roll", "heel", "tip", "spin", "bk"} | POLE  # the last but the poles: of a reverse foot
FINGERS = ("thumb", "index", "middle", "ring", "pinky", "little", "finger")
FILLING = {"c", "x", "m", "fk", "ctl", "ctrl", "control", "anim"}  # words that say nothing of the part
# Words of a control that is no FK or IK control of a limb, with its part of the body.
PARTS = {"torso": "torso", "cog": "torso", "body": "torso", "hips": "hips", "pelvis": "hips", "chest": "chest",
         "spine": "spine", "neck": "neck", "head": "head", "shoulder": "clavicle", "clavicle": "clavicle"}  # fmt: skip


@dataclass(frozen=True)
class Name:
    """A name, taken apart.

    Attributes
    ----------
    words : tuple of str
        In lower case; numbers are words.
    side : str
        ``"L"``, ``"R"`` or empty.
    limb : str
        ``"arm"``, ``"leg"`` or empty.
    which : str
        Which of several such limbs of one side: ``"front"``, or a number that stands after the side.
    """

    words: tuple[str, ...]
    side: str
    limb: str
    which: str

    @property
    def key(self) -> tuple[str, str, str]:
        """The limb that it belongs to."""
        return self.limb, self.side, self.which

    @property
    def is_fk(self) -> bool:
        """Return True if it says FK and names no bone of the mechanism."""
        return "fk" in self.words and not NO_CONTROL & set(self.words)

    @property
    def is_ik(self) -> bool:
        """Return True if it says IK, a pole, or a part of a reverse foot, and names no bone of the mechanism."""
        return bool(IK & set(self.words)) and not self.is_fk and not NO_CONTROL & set(self.words)

    @property
    def is_pole(self) -> bool:
        """Return True if it is a pole: by its own word, or as Rigify calls it, ``..._ik_target``."""
        words = set(self.words)
        return bool(POLE & words) or {"ik", "target"} <= words

    @property
    def finger(self) -> str:
        """The finger, with what stands before it (``"f index"``), or empty."""
        if (NO_CONTROL | {"master", "palm", "base", "ik"}) & set(self.words):
            return ""
        place = next((i for i, word in enumerate(self.words) if word in FINGERS), -1)
        return " ".join(self.words[: place + 1])

    @property
    def part(self) -> str:
        """The part of the trunk, or empty."""
        if self.words[:2] == ("c", "root"):  # Auto-Rig Pro
            return "torso" if "master" in self.words else "hips"
        said = [word for word in self.words if not word.isdigit() and word not in SIDES and word not in FILLING]
        return PARTS[said[-1]] if said and all(word in PARTS for word in said) else ""


def parsed(name: str) -> Name:
    """A name, taken apart."""
    words = tuple(word.lower() for word in WORD.findall(name))
    place = max((i for i, word in enumerate(words) if word in SIDES), default=None)  # "r_toe.L": the rear one, left
    found = set(words)
    joined = {first + second for first, second in pairwise(words)}
    limb = "arm" if ARM & (found | joined) else "leg" if LEG & (found | joined) else ""
    which = next((word for word in words if word in ENDS), "") if limb else ""
    if place is not None and words[place + 1 : place + 2] and words[place + 1].isdigit() and not which:
        which = words[place + 1].lstrip("0")
    return Name(words, SIDES[words[place]] if place is not None else "", limb, which)
