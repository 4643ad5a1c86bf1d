"""Channels as the page shows them: names, ranges, body parts, and which channel is the mirror image of which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# A body part and what names of its joints and shapes contain; the first that fits counts. Parts appear in this order.
BODY_PARTS = (
    ("Eyes", ("eye", "brow", "lid", "pupil", "blink", "squint", "gaze")),
    ("Mouth", ("mouth", "lip", "jaw", "tongue", "smile", "teeth", "chin", "oris")),
    ("Cheeks and nose", ("cheek", "nose", "sneer", "nostril", "levator", "risorius")),
    ("Head and neck", ("head", "neck", "skull", "face")),
    ("Hands", ("finger", "thumb", "hand", "wrist", "metacarpal", "palm", "index", "pinky", "ring0", "middle0")),
    ("Arms", ("arm", "elbow", "shoulder", "clavicle", "humerus", "biceps")),
    ("Feet", ("foot", "toe", "ankle", "ball", "heel")),
    ("Legs", ("leg", "knee", "thigh", "shin", "calf", "femur")),
    ("Torso", ("spine", "chest", "torso", "breast", "belly", "pelvis", "hip", "root", "waist", "rib", "body")),
    ("Tail", ("tail",)),
)
OTHER = "Other"
SIDES = (
    (re.compile(r"(?<![A-Za-z])left(?![a-z])|Left(?![a-z])|LEFT"), ("left", "right")),
    (re.compile(r"(?<![A-Za-z])right(?![a-z])|Right(?![a-z])|RIGHT"), ("right", "left")),
    (re.compile(r"(?<=[._ -])[lL](?=$|[._ -])|^[lL](?=[._])"), ("l", "r")),
    (re.compile(r"(?<=[._ -])[rR](?=$|[._ -])|^[rR](?=[._])"), ("r", "l")),
)


@dataclass(frozen=True)
class Slider:
    """One channel: ``low`` to ``high`` in ``unit``, ``rest`` where it stands at first."""

    name: str
    group: str
    low: float
    high: float
    rest: float
    unit: str = ""


def body_part(name: str) -> str:
    """The body part that a name belongs to."""
    plain = name.lower().replace("slider", "")  # which is no lid
    return next((part for part, words in BODY_PARTS if any(word in plain for word in words)), OTHER)


def part_order(groups: Sequence[str]) -> list[str]:
    """Groups in the order of :data:`BODY_PARTS`, each once, others last."""
    known = [part for part, _ in BODY_PARTS]
    return sorted(dict.fromkeys(groups), key=lambda group: known.index(group) if group in known else len(known))


def mirrored_name(name: str) -> str | None:
    """The name on the other side; None if the name states no side."""
    for pattern, (_, other) in SIDES:
        found = pattern.search(name)
        if found is not None:
            return name[: found.start()] + _in_case_of(other, found.group()) + name[found.end() :]
    return None


def side(name: str) -> str | None:
    """``"left"`` or ``"right"``, or None if the name states no side."""
    for pattern, (own, _) in SIDES:
        if pattern.search(name) is not None:
            return "left" if own[0] == "l" else "right"
    return None


def _in_case_of(word: str, example: str) -> str:
    if example.isupper():
        return word.upper()
    return word.capitalize() if example[0].isupper() else word


def mirror_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """(left, right) indices of the names that have a partner."""
    place = {name: index for index, name in enumerate(names)}
    found = []
    for index, name in enumerate(names):
        other = mirrored_name(name)
        if other in place and side(name) == "left":
            found.append((index, place[other]))
    return found
