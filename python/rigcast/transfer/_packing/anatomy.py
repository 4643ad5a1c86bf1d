"""Shapes that a person can show at a time, by the names of shapes: pairs that exclude each other, gazes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rigcast.transfer._packing.symmetry import Pair
from rigcast.transfer._posable import words_of

SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}
INWARDS = {"left": "right", "right": "left"}  # where an eye looks that looks at the nose
DIRECTIONS = {"left", "right", "up", "down", "in", "out"}
UNSIDED = {"jaw", "chin", "tongue", "head", "neck"}  # they move to a side and have none
MIDLINE = {"mouth", "lips", *UNSIDED}  # so does a mouth of which a name says nothing else
LOOKS = {"look", "looks", "looking", "gaze"}

# Motions that undo each other, of the same feature.
OPPOSITES: tuple[tuple[set[str], set[str]], ...] = (
    ({"up", "raise", "raiser"}, {"down", "lowerer", "depress", "depressor"}),
    ({"in"}, {"out"}),
    ({"left"}, {"right"}),
    ({"open", "wide", "widen"}, {"close", "closed", "shut", "blink", "narrow"}),
    ({"forward", "forwards", "fwd"}, {"back", "backward", "backwards"}),
    ({"puff"}, {"suck"}),
    ({"smile"}, {"frown"}),
    ({"pucker", "funnel"}, {"smile", "stretch", "press", "wide"}),
)
# Motions of different features that need the same lips or lids.
CONFLICTS: tuple[tuple[set[str], set[str]], ...] = (
    ({"puff"}, {"jaw", "open"}),
    ({"puff"}, {"tongue", "out"}),
    ({"puff"}, {"funnel"}),
    ({"press"}, {"jaw", "open"}),
    ({"press"}, {"tongue", "out"}),
    ({"blink"}, {"look"}),
)
PARTED, OPPOSED, SHARED = "the eyes would part", "opposite motions", "they need the same lips or lids"


@dataclass(frozen=True)
class _Motion:
    """A shape by its name: what it is of, on which side, and where an eye looks."""

    words: frozenset[str]
    side: str  # left, right, or "" for both
    gaze: frozenset[str]  # of left, right, up, down; empty if it is no look


def opposed_pairs(names: Sequence[str]) -> list[tuple[int, int, str]]:
    """Pairs of shapes that a person cannot do together, and why.

    Eyes that look in different directions; motions that undo each other on the same side (``jawLeft`` and
    ``jawRight``, ``eyeBlink_L`` and ``eyeWide_L``); motions that need the same lips or lids (puffed cheeks and an open
    jaw). Names that say none of this exclude nothing.
    """
    motions = [_motion(name) for name in names]
    found = []
    for (k, one), (m, other) in combinations(enumerate(motions), 2):
        if reason := _reason(one, other):
            found.append((k, m, reason))
    return found


def gaze_pairs(names: Sequence[str]) -> list[Pair]:
    """The looks of both eyes in one direction, which stand together: ``eyeLookOut_L`` and ``eyeLookIn_R``."""
    looks = [(k, motion) for k, motion in enumerate(map(_motion, names)) if motion.gaze and motion.side]
    return [
        Pair(k, m, "gaze", 0.0)
        for (k, one), (m, other) in combinations(looks, 2)
        if one.side != other.side and one.gaze == other.gaze and one.words == other.words
    ]


def gaze_of(names: Sequence[str]) -> str:
    """The direction of the gaze of two shapes, one of each eye: ``left``, ``up left``; empty if they are none."""
    motions = [_motion(name) for name in names]
    gazes, sides = {motion.gaze for motion in motions}, {motion.side for motion in motions}
    return " ".join(sorted(gazes.pop(), reverse=True)) if len(gazes) == 1 and sides == {"left", "right"} else ""


def _reason(one: _Motion, other: _Motion) -> str:
    if one.gaze and other.gaze:
        if one.side == other.side:
            return OPPOSED if _undo(one.gaze, other.gaze) else ""
        return PARTED if one.gaze != other.gaze else ""
    if one.side and other.side and one.side != other.side:
        return ""
    if _undo(one.words, other.words):
        return OPPOSED
    both = [(one.words, other.words), (other.words, one.words)]
    return SHARED if any(a <= first and b <= second for a, b in CONFLICTS for first, second in both) else ""


def _undo(one: frozenset[str], other: frozenset[str]) -> bool:
    """True if two sets of words are the same but for two that are opposites."""
    first, second = one - other, other - one
    if len(first) != 1 or len(second) != 1:
        return False
    return any((first <= a and second <= b) or (first <= b and second <= a) for a, b in OPPOSITES)


def _motion(name: str) -> _Motion:
    words = words_of(name)
    places, side = [place for place, word in enumerate(words) if word in SIDES], ""
    rest = [word for place, word in enumerate(words) if place not in places[-1:]]
    if places and _says_more(set(rest)):
        side, words = SIDES[words[places[-1]]], rest
    kept = frozenset(SIDES.get(word, word) for word in words)
    if not kept & LOOKS or not kept & DIRECTIONS:
        return _Motion(kept, side, frozenset())
    where = {"in": INWARDS.get(side, "in"), "out": side or "out"}
    return _Motion(kept - DIRECTIONS, side, frozenset(where.get(word, word) for word in kept & DIRECTIONS))


def _says_more(rest: set[str]) -> bool:
    """True if the words next to one of a side still name a motion: those of ``jawLeft`` and ``eyesLookLeft`` do not."""
    looks = bool(rest & LOOKS) and not rest & DIRECTIONS and not rest & SIDES.keys()
    return bool(rest - MIDLINE) and not rest & UNSIDED and not looks
