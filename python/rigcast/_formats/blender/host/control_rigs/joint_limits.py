"""The ranges of controls in people, about the controls' own axes, for files that limit nothing.

Sources: limbs after Boone and Azen 1979 (means of 109 men), spine, neck, hands and toes after AAOS 1965. What no source
gives (torso, clavicles, the swivel of an IK limb, how far IK targets go) is modest, and marked as such.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .names import parsed
from .recognition import ControlledLimb, ControlSets

SOURCE = "Boone and Azen 1979, AAOS 1965"
Array = np.ndarray[Any, Any]
Ranges = dict[tuple[str, str, int], tuple[float, float]]  # of a bone, "rotation" or "location", and axis
Motion = tuple[str, float, float]  # toward where, and degrees there and back (negative)
# Flexion, abduction and rotation of each joint; "bend" is a hinge, "twist" the bone's own direction. Of two unequal
# rotations the smaller one counts both ways.
JOINTS: dict[str, list[Motion]] = {
    "shoulder": [("forward", -45, 141), ("up", 0, 184), ("twist", -69, 69)],
    "hanging shoulder": [("forward", -62, 167), ("out", 0, 184), ("twist", -69, 69)],
    "elbow": [("bend", 0, 143), ("twist", -76, 76)],
    "wrist": [("down", -75, 76), ("forward", -36, 22)],
    "hip": [("forward", -10, 122), ("out", -27, 46), ("twist", -47, 47)],
    "knee": [("bend", 0, 143)],
    "ankle": [("up", -56, 13), ("twist", -21, 21)],
    "toes": [("up", -40, 40)],
    "finger 1": [("bend", -45, 90), ("sideways", -20, 20)],
    "finger 2": [("bend", 0, 100)],
    "finger 3": [("bend", 0, 90)],
    "thumb 1": [("bend", -15, 15), ("sideways", -35, 35)],
    "thumb 2": [("bend", 0, 50)],
    "thumb 3": [("bend", -15, 80)],
    "spine": [("pitch", -25, 80), ("roll", -35, 35), ("yaw", -45, 45)],  # of the whole spine
    "neck": [("pitch", -45, 45), ("roll", -45, 45), ("yaw", -60, 60)],  # of neck and head together
    "torso": [("pitch", -15, 15), ("roll", -10, 10), ("yaw", -20, 20)],
    "clavicle": [("up", -10, 20), ("forward", -10, 15)],
    "swivel": [("twist", -30, 30)],
}
MODEST = {"torso", "clavicle", "swivel"}  # no source gives them
BALL = {"shoulder", "hip", "hanging shoulder"}
BALL_SHARE = 0.6  # of each range of a ball joint: people do not reach the ends of its three axes at once
RAISED = ("shoulder", "up")  # counts from an arm that hangs
HANGING = 30.0  # degrees from straight down
SHARED = {"spine": ("spine", "chest", "hips"), "neck": ("neck", "head")}  # a region's range, divided by its controls
TORSO = {"side": (-0.1, 0.1), "forward": (-0.1, 0.1), "up": (-0.2, 0.05)}  # of the legs' length; modest
TARGET_SHARE = 0.5  # of a limb's length, that its IK target goes either way
POLE_SHARE = 0.2
ENDS = {"arm": "wrist", "leg": "ankle"}
STRAIGHT = math.sin(math.radians(2.0))
ALONG = math.cos(math.radians(10.0))
UP: Array = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Rest:
    """A bone at rest, in the space of its armature.

    Attributes
    ----------
    axes : (3, 3) array
        Its local axes as columns; y is its direction.
    head : (3,) array
    shift : (3, 3) array
        The axes of its location, as columns: its own, unless its location is not local.
    """

    axes: Array
    head: Array
    shift: Array

    @property
    def direction(self) -> Array:
        """From head to tail."""
        return np.asarray(self.axes[:, 1])


@dataclass(frozen=True)
class Reach:
    """The places that an IK target can go to without pulling its limb apart: a shell around the limb's root.

    Attributes
    ----------
    target : str
    axes : (3, 3) array
        The local axes of its location, as columns.
    offset : (3,) array
        From the root of the limb to its end at rest, which moves as the target does.
    least, most : float
        Distances from the root.
    """

    target: str
    axes: Array
    offset: Array
    least: float
    most: float


class JointLimits:
    """The ranges of the controls of a rig.

    Parameters
    ----------
    sets : ControlSets
    rest : mapping
        The bones at rest by name.
    """

    def __init__(self, sets: ControlSets, rest: Mapping[str, Rest]) -> None:
        self._sets, self._rest = sets, rest
        self._forward = _facing(sets, rest)
        self._left = np.cross(UP, self._forward)

    def ranges(self) -> Ranges:
        """Degrees for rotations, armature units for locations, by bone, kind and axis."""
        found: Ranges = {}
        for bone, role in self._sets.roles.items():
            found |= self._turns(bone, bone, role)
            if role == "torso":
                found |= self._torso_locations(bone)
        for limb in self._sets.limbs:
            found |= self._of_ik(limb)
        return found

    def reaches(self) -> list[Reach]:
        """One for each limb of two links or more."""
        return [reach for limb in self._sets.limbs if (reach := self._reach(limb)) is not None]

    def _turns(self, bone: str, like: str, role: str) -> Ranges:
        """Rotations of a control about its own axes, as those of the joint that ``like`` turns."""
        motions = [(self._axis(toward, like, role), low, high) for toward, low, high in self._motions(like, role)]
        axes = self._rest[bone].axes
        found: Ranges = {}
        for axis, low, high in motions:
            along = axes.T @ axis
            free = [i for i in range(3) if (bone, "rotation", i) not in found]
            own = max(free, key=lambda i: abs(along[i]))
            ends = (low, high) if along[own] > 0 else (-high, -low)
            found[bone, "rotation", own] = (round(ends[0], 1) + 0.0, round(ends[1], 1) + 0.0)
        return found

    def _motions(self, bone: str, role: str) -> Iterator[Motion]:
        """The motions of a joint, less what its rest pose has of them already."""
        for region, members in SHARED.items():
            if role in members:
                count = sum(other in members for other in self._sets.roles.values())
                yield from ((toward, low / count, high / count) for toward, low, high in JOINTS[region])
                return
        rest = self._rest[bone]
        raised = math.degrees(math.acos(float(np.clip(-rest.direction @ UP, -1.0, 1.0))))
        if role == "shoulder" and raised < HANGING:
            role = "hanging shoulder"
        share = BALL_SHARE if role in BALL else 1.0
        for toward, low, high in JOINTS.get(role, ()):
            begun = (
                raised if (role, toward) == ("shoulder", "up") else self._bent(bone, role) if toward == "bend" else 0
            )
            yield toward, share * (low - begun), share * max(high - begun, 0.0)

    def _axis(self, toward: str, bone: str, role: str) -> Array:
        """The axis about which a bone turns toward something, as right hands do."""
        direction = self._rest[bone].direction
        if toward == "twist":
            return direction
        if toward in ("pitch", "roll", "yaw"):
            return np.asarray({"pitch": self._left, "roll": self._forward, "yaw": UP}[toward])
        bend = self._bend_axis(bone, role)
        if toward == "bend":
            return bend
        if toward == "sideways":
            return _unit(np.cross(direction, bend))
        return _unit(np.cross(direction, self._aim(toward, bone)))

    def _aim(self, toward: str, bone: str) -> Array:
        """A direction across a bone."""
        outward = self._left if self._is_left(bone) else -self._left
        wanted = {"forward": self._forward, "up": UP, "down": -UP, "out": outward}[toward]
        direction = self._rest[bone].direction
        if abs(wanted @ direction) > math.cos(
            math.radians(10.0)
        ):  # along the bone: a hand that hangs, a foot that points
            wanted = -outward if toward == "down" else UP if toward == "forward" else self._forward
        return np.asarray(wanted)

    def _is_left(self, bone: str) -> bool:
        side = parsed(bone).side
        return side == "L" if side else bool(self._rest[bone].head @ self._left > 0)

    def _bend_axis(self, bone: str, role: str) -> Array:
        """Of a hinge: about which its chain is bent at rest; without a bend, knees go back, elbows forward, fingers
        down."""
        before, after = self._neighbors(bone)
        own = self._rest[bone].direction
        for first, second in ((before, own), (own, after)):
            if first is not None and second is not None and np.linalg.norm(np.cross(first, second)) > STRAIGHT:
                return _unit(np.cross(first, second))
        aim = -self._forward if role == "knee" else self._forward if role == "elbow" else self._aim("down", bone)
        return _unit(np.cross(own, aim))

    def _bent(self, bone: str, role: str) -> float:
        """Degrees of a hinge's bend at rest."""
        before, _ = self._neighbors(bone)
        if before is None or role not in ("elbow", "knee", "finger 2", "finger 3", "thumb 2", "thumb 3"):
            return 0.0
        return math.degrees(math.acos(float(np.clip(before @ self._rest[bone].direction, -1.0, 1.0))))

    def _neighbors(self, bone: str) -> tuple[Array | None, Array | None]:
        """Directions of the links before and after one, in its finger or limb."""
        chain = next((chain for chain in self._chains() if bone in chain), [bone])
        place = chain.index(bone)
        before = self._rest[chain[place - 1]].direction if place else None
        after = self._rest[chain[place + 1]].direction if place + 1 < len(chain) else None
        return before, after

    def _chains(self) -> Iterator[Sequence[str]]:
        for limb in self._sets.limbs:
            yield limb.fk
        fingers: dict[tuple[str, str, str], list[str]] = {}
        for bone, role in self._sets.roles.items():
            if role.startswith(("finger", "thumb")):
                name = parsed(bone)
                fingers.setdefault((name.finger, name.side, name.which), []).append(bone)
        yield from fingers.values()

    def _torso_locations(self, bone: str) -> Ranges:
        lengths = [reach.most for reach in self.reaches()]
        if not lengths:
            return {}
        found: Ranges = {}
        for name, aim in (("side", self._left), ("forward", self._forward), ("up", UP)):
            along = self._rest[bone].shift.T @ aim
            own = max(range(3), key=lambda i: abs(along[i]))
            low, high = (max(lengths) * share for share in TORSO[name])
            ends = (low, high) if along[own] > 0 else (-high, -low)
            found[bone, "location", own] = (round(ends[0], 4), round(ends[1], 4))
        return found

    def _of_ik(self, limb: ControlledLimb) -> Ranges:
        """A target goes around its limb and turns as the limb's end does; a pole goes less far, a swivel turns."""
        reach = self._reach(limb)
        if reach is None:
            return {}
        end = next((bone for bone in limb.fk if self._sets.roles.get(bone) in ENDS.values()), "")
        found = self._turns(reach.target, end, self._sets.roles[end]) if end else {}
        found |= _box(reach.target, TARGET_SHARE * reach.most)
        for bone in limb.ik[1:]:
            if bone == limb.pole:
                found |= {} if self._sets.habit == "Rigify" else _box(bone, POLE_SHARE * reach.most)  # there it is off
            elif {"upper", "thigh"} & set(parsed(bone).words):
                found |= self._turns(bone, bone, "swivel")
        return found

    def _reach(self, limb: ControlledLimb) -> Reach | None:
        if len(limb.fk) < 3:
            return None
        first, second, third = (self._rest[bone].head for bone in limb.fk[:3])
        upper, lower = float(np.linalg.norm(second - first)), float(np.linalg.norm(third - second))
        target = self._rest[limb.ik[0]]
        folded = math.cos(math.radians(180.0 - JOINTS["knee"][0][2]))
        least = math.sqrt(upper**2 + lower**2 - 2.0 * upper * lower * folded)
        return Reach(limb.ik[0], target.shift, third - first, least, upper + lower)


def _facing(sets: ControlSets, rest: Mapping[str, Rest]) -> Array:
    """The direction in which a character looks: that of its feet; Blender's front if they do not say."""
    feet = [rest[bone] for bone, role in sets.roles.items() if role == "ankle"]
    across = sum((foot.direction - (foot.direction @ UP) * UP for foot in feet), np.zeros(3))
    far = bool(feet) and np.linalg.norm(across) > 0.5 * len(feet)
    return _unit(across) if far else np.array([0.0, -1.0, 0.0])


def _box(bone: str, length: float) -> Ranges:
    return {(bone, "location", axis): (-round(length, 4), round(length, 4)) for axis in range(3)}


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))
