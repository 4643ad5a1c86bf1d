"""Arms and legs of a skeleton: by known names, words in names, or pairs of chains that mirror each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.sources._joint_maps import joint_roles
from rigcast.viewer._sliders import side

Points = NDArray[np.float64]
ENDS = {"arm": r"hand|wrist|palm", "leg": r"foot|ankle|paw|hoof"}
LOWER = {"arm": r"fore|lower|elbow|radius", "leg": r"lower|shin|calf|knee|tibia|crus"}
UPPER = {"arm": r"upper|uparm|humerus|shoulder|arm", "leg": r"upper|upleg|thigh|femur|hip|leg"}
GIRDLE = re.compile(r"clavicle|collar|scapula|pelvis")  # between the torso and a limb, no part of its two bones
DETAIL = re.compile(r"finger|thumb|index|middle|ring|pinky|metacarp|toe|leaf|twist|roll|ik|pole|target|ctrl", re.I)
STRAIGHT = np.cos(np.radians(3.0))  # a smaller bend at rest may be an accident of modeling: its side is not trusted
SIDED = {"l": "left", "r": "right"}  # lHand, rHand
ALIKE = 0.02  # of the skeleton's size: how far a mirrored joint may be from its partner
LEAST_BONE = 0.05  # of the skeleton's size


@dataclass(frozen=True)
class LimbJoints:
    """A limb: joints (upper, lower, end), ``kind`` ``"arm"`` or ``"leg"``, ``side`` ``"left"``, ``"right"`` or None.

    ``hinge`` is the axis about which it bends if its rest pose shows none.
    """

    name: str
    joints: tuple[int, int, int]
    kind: str
    side: str | None
    hinge: Points | None


def find_limbs(skeleton: _core.Skeleton, up_axis: str) -> list[LimbJoints]:
    """The limbs of a skeleton, none of which share a joint; an empty list if it has none."""
    rest = np.asarray(skeleton.rest_globals, np.float64)[:, :, 3]
    parents = [int(parent) for parent in skeleton.parents]
    size = float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0
    names = list(skeleton.names)
    chains = [*_by_role(names, parents), *_by_name(names, parents)] or _by_shape(rest, parents, size, up_axis)
    found: list[LimbJoints] = []
    used: set[int] = set()
    for kind, joints in chains:
        bones = np.diff(rest[list(joints)], axis=0)
        if used.isdisjoint(joints) and np.linalg.norm(bones, axis=1).min() > 1e-3 * size:
            used.update(joints)
            end = names[joints[2]]
            sided = SIDED.get(end[:1]) if side(end) is None and end[1:2].isupper() else side(end)
            found.append(LimbJoints(end, joints, kind, sided, _hinge(kind, rest[list(joints)], up_axis)))
    return found


def _hinge(kind: str, points: Points, up_axis: str) -> Points | None:
    """None if the limb is bent at rest; else the axis by which knees bend forward and elbows backward."""
    upper, lower = np.diff(points, axis=0)
    if upper @ lower < STRAIGHT * np.linalg.norm(upper) * np.linalg.norm(lower):
        return None
    forward = np.array([0.0, -1.0, 0.0] if up_axis == "Z" else [0.0, 0.0, 1.0])
    axis: Points = np.cross(forward if kind == "leg" else -forward, points[2] - points[0])
    return axis if np.linalg.norm(axis) > 1e-6 * np.linalg.norm(points[2] - points[0]) else np.array([1.0, 0.0, 0.0])


def _ancestors(parents: list[int], joint: int) -> list[int]:
    """From the topmost one down to the parent."""
    found: list[int] = []
    while (joint := parents[joint]) >= 0:
        found.insert(0, joint)
    return found


def _by_role(names: list[str], parents: list[int]) -> list[tuple[str, tuple[int, int, int]]]:
    """Limbs of skeletons that follow a known habit of naming."""
    roles = {role: names.index(name) for role, name in joint_roles(names).items()}
    found: list[tuple[str, tuple[int, int, int]]] = []
    for kind, parts in (("leg", ("upper_leg", "lower_leg", "foot")), ("arm", ("upper_arm", "lower_arm", "hand"))):
        for own_side in ".L", ".R":
            joints = [roles[part + own_side] for part in parts if part + own_side in roles]
            if len(joints) == 3 and {joints[0], joints[1]} <= set(_ancestors(parents, joints[2])):
                found.append((kind, (joints[0], joints[1], joints[2])))
    return found


def _by_name(names: list[str], parents: list[int]) -> list[tuple[str, tuple[int, int, int]]]:
    """Limbs whose ends are named as hands and feet."""
    found = []
    for end, name in enumerate(names):
        kind = next((kind for kind, words in ENDS.items() if re.search(words, name, re.I)), None)
        above = _ancestors(parents, end)
        if kind is None or DETAIL.search(_plain(name)) or any(re.search(ENDS[kind], names[j], re.I) for j in above):
            continue
        chain = _limb_above(kind, names, above, side(name))
        if chain is not None:
            found.append((kind, (*chain, end)))
    return found


def _plain(name: str) -> str:
    """Without a prefix of the program that wrote it, such as ``mixamorig:``."""
    return name.rpartition(":")[2]


def _limb_above(kind: str, names: list[str], above: list[int], own_side: str | None) -> tuple[int, int] | None:
    """Upper and lower joint among the ancestors of an end."""
    chain = [j for j in above if not GIRDLE.search(names[j].lower()) and not re.search(r"ik|ctrl", names[j].lower())]
    if own_side is not None:
        chain = [j for j in chain if side(names[j]) == own_side]
    is_lower = [re.search(LOWER[kind], names[j], re.I) is not None for j in chain]
    is_upper = [
        not low and re.search(UPPER[kind], names[j], re.I) is not None for j, low in zip(chain, is_lower, strict=True)
    ]
    if True in is_lower:
        lower = is_lower.index(True)
        before = [k for k in range(lower) if is_upper[k]] or list(range(lower))
    else:
        lower = len(chain) - 1
        before = [k for k in range(lower) if is_upper[k]]
    if not before:
        return None
    return chain[_first_of_bone(before, chain, names)], chain[lower]


def _first_of_bone(before: list[int], chain: list[int], names: list[str]) -> int:
    """Of several upper joints the first one that turns the limb: a shoulder counts only if no arm comes after it."""
    arms = [k for k in before if "shoulder" not in names[chain[k]].lower()]
    return (arms or before[-1:])[0]


def _by_shape(rest: Points, parents: list[int], size: float, up_axis: str) -> list[tuple[str, tuple[int, int, int]]]:
    """Limbs of a skeleton whose names say nothing: mirrored chains with two long bones."""
    axis, gaps = min(((axis, _mirror_gaps(rest, axis)) for axis in range(3)), key=lambda pair: float(pair[1].mean()))
    middle = np.median(rest[:, axis])
    heights = rest[:, 2 if up_axis == "Z" else 1]
    found = []
    for chain in _chains(parents):
        triple = max(_triples(chain), key=lambda t: _shortest_bone(rest, t), default=None)
        if triple is None or _shortest_bone(rest, triple) < LEAST_BONE * size:
            continue
        in_the_middle = abs(rest[triple[2], axis] - middle) < ALIKE * size  # a spine or a tail
        if in_the_middle or gaps[list(triple)].max() > ALIKE * size:
            continue
        stands = heights[triple[2]] < heights.min() + 0.25 * np.ptp(heights)
        found.append(("leg" if stands else "arm", triple))
    return found


def _mirror_gaps(rest: Points, axis: int) -> Points:
    """Distance (J,) of each joint from the nearest one on the other side of the plane through the middle."""
    flipped = rest.copy()
    flipped[:, axis] = 2.0 * np.median(rest[:, axis]) - flipped[:, axis]
    gaps: Points = np.linalg.norm(rest[:, None] - flipped, axis=2).min(axis=1)
    return gaps


def _chains(parents: list[int]) -> Iterable[list[int]]:
    """Runs of joints from below a branching to the next branching or a leaf, both ends included."""
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    starts = [child for joint, below in children.items() if joint < 0 or len(below) > 1 for child in below]
    for joint in starts:
        chain = [joint]
        while len(children.get(chain[-1], [])) == 1:
            chain.append(children[chain[-1]][0])
        yield chain


def _triples(chain: list[int]) -> Iterable[tuple[int, int, int]]:
    count = len(chain)
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                yield chain[i], chain[j], chain[k]


def _shortest_bone(rest: Points, triple: tuple[int, int, int]) -> float:
    a, b, c = rest[list(triple)]
    return float(min(np.linalg.norm(b - a), np.linalg.norm(c - b)))
