"""Distances of the joints that deform a rig from the motion, and the limbs that do not move at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rotations import Float64, nearest_rotation
from rigcast._shown import one_line
from rigcast.sources._joint_maps import SIDES, joint_roles
from rigcast.sources._retargeting.following import Following
from rigcast.sources._retargeting.target import Target, ancestors_of

MOST_FRAMES = 60
MOVES, STANDS = 10.0, 0.05  # degrees that a joint turns to count as moving; the share of it that is standing still
STILL, SHIFTS = 1.0, 1e-3  # degrees, and the share of a rig's size, that are no motion


@one_line
@dataclass(frozen=True)
class Followed:
    """Deforming joints against the motion, in some frames of the clip.

    Attributes
    ----------
    frames : (F,) integers, at most 60, spread over the clip
    joint_names : list of n str
        The joints that show what the mapped controls do.
    degrees : (F, n) float64 array
        Angle between the turns away from rest, in the world, that a joint makes and that the motion makes. Where a
        rig spreads the twist of a limb over several joints, it is the angle between the directions.
    millimeters : (F, n) float64 array
        Distance between the place of a joint and the one that it would have if all bones pointed as the motion's do,
        each scaled to its length in the rig, both relative to the middle of the hips (of creatures: the first joint).
        That is read from the places of the motion's joints alone, so it shows a rest pose that was misread, too. NaN
        for joints between such bones, as a chest.
    reach : float
        Millimeters from the first joint to the farthest at rest.
    """

    frames: NDArray[np.intp]
    joint_names: list[str]
    degrees: Float64
    millimeters: Float64
    reach: float = 0.0


class MappedMovement:
    """The movement of a motion's mapped joints in some of its frames, whatever the rig does.

    Parameters
    ----------
    motion : Motion
    pairs : dict of source to target indices
    world, rest : (T, S, 3, 4) and (S, 3, 4) arrays
        World transforms of the motion, and at rest.
    """

    def __init__(self, motion: Motion, pairs: dict[int, int], world: Float64, rest: Float64) -> None:
        self.motion, self.pairs, self.rest = motion, pairs, rest
        count = min(MOST_FRAMES, len(motion))
        self.frames = np.unique(np.linspace(0, len(motion) - 1, count).round().astype(np.intp))
        self.world = world[self.frames]
        self.above = ancestors_of(motion.parents, pairs)
        self.degrees = {joint: _span(self._turn(joint, self.above[joint])) for joint in pairs}

    def anything(self) -> bool:
        """True if any joint turns, mapped or not."""
        local = self.motion.local[self.frames]
        return max(_span(nearest_rotation(local[:, j, :, :3])) for j in range(len(self.motion.joint_names))) > MOVES

    def limbs(self) -> dict[str, tuple[list[int], list[int]]]:
        """Limbs that move: all joints of each, and those that turn."""
        found = {name: (chain, [joint for joint in chain if self.degrees[joint] > MOVES])
                 for name, chain in limbs_of(self.motion, self.pairs).items()}  # fmt: skip
        return {name: (chain, moving) for name, (chain, moving) in found.items() if moving}

    def unfollowed(self, following: Following) -> dict[str, list[int]]:
        """Limbs that move although no joint of the rig follows a control of theirs: they stand still in any pose."""
        return {
            name: chain
            for name, (chain, moving) in self.limbs().items()
            if not any(self.pairs[joint] in following.joints for joint in moving)
        }

    def _turn(self, joint: int, parent: int) -> Float64:
        world = nearest_rotation(self.world[:, joint, :, :3])
        if parent < 0:
            return world
        return np.asarray(np.swapaxes(nearest_rotation(self.world[:, parent, :, :3]), -1, -2) @ world)


class Check:
    """The movement of the rig in some frames, compared with the motion's.

    Parameters
    ----------
    target : Target
    source : MappedMovement
    following : Following
    channels : (T, N) array
    """

    def __init__(self, target: Target, source: MappedMovement, following: Following, channels: Float64) -> None:
        self.target, self.source, self.following = target, source, following
        self.frames = source.frames
        self.pairs = {joint: goal for joint, goal in source.pairs.items() if goal in following.joints}
        names = [following.joints[goal] for goal in self.pairs.values()]
        self.rest = target.world[[target.names.index(name) for name in names]]
        self.seen = target.transforms(channels[self.frames], names)
        self.names = names
        self.turned = nearest_rotation(self.seen[..., :3]) @ np.swapaxes(nearest_rotation(self.rest[..., :3]), -1, -2)

    def followed(self, turns: dict[int, Float64], turn: Float64) -> Followed:
        """Misses in degrees and millimeters.

        Parameters
        ----------
        turns : dict of (T, 3, 3) arrays
            What each mapped bone should turn away from rest.
        turn : (3, 3) array
            From the motion's axes to the rig's.
        """
        degrees = np.zeros((len(self.frames), len(self.names)))
        for place, goal in enumerate(self.pairs.values()):
            wanted, made = turns[goal][self.frames], self.turned[:, place]
            axis = self.following.twistless.get(goal)
            if axis is None:
                degrees[:, place] = angle_between(wanted, made)
            else:
                chord = np.linalg.norm(wanted @ axis - made @ axis, axis=1) / 2.0
                degrees[:, place] = np.degrees(2.0 * np.arcsin(np.minimum(chord, 1.0)))
        reach = np.linalg.norm(self.rest[:, :, 3] - self.rest[:1, :, 3], axis=1).max(initial=0.0)
        unit = self.target.millimeters
        return Followed(self.frames, self.names, degrees, self._gaps(turn) * unit, float(reach * unit))

    def _gaps(self, turn: Float64) -> Float64:
        """Distances (F, n) of joints to where they would be if all bones pointed as the motion's do; not a number for
        joints that are no end of a bone."""
        order, every = list(self.pairs), range(len(self.source.motion.joint_names))
        source, seen = self.source.world[..., 3] @ turn.T, self.seen[..., 3]
        gaps = np.full(seen.shape[:2], np.nan)
        bones = bones_of(self.source.motion, order)
        wanted = {start: np.zeros(3) for start, _ in bones[:1]}
        origin = _middle(seen, order, bones[0][0]) if bones else np.zeros(3)
        for start, end in bones:
            own, its = (
                float(np.linalg.norm(_middle(rest, places, end) - _middle(rest, places, start)))
                for rest, places in ((self.rest[None, :, :, 3], order), (self.source.rest[None, :, :, 3], every))
            )
            wanted.setdefault(start, _middle(seen, order, start) - origin)  # of joints that no mapped bone joins
            along = _middle(source, every, end) - _middle(source, every, start)
            wanted[end] = wanted[start] + along * (own / its if its > 0 else 1.0)
            if len(end) == 1:
                own = order.index(end[0])
                gaps[:, own] = np.linalg.norm(seen[:, own] - origin - wanted[end], axis=1)
        return gaps

    def frozen(self) -> dict[str, list[int]]:
        """Limbs that stand still while the motion's move, with their joints."""
        degrees = self.source.degrees
        return {
            name: chain
            for name, (chain, moving) in self.source.limbs().items()
            if all(self._own_span(joint) < max(STILL, STANDS * degrees[joint]) for joint in moving)
        }

    def nothing_moves(self) -> bool:
        """True if the motion moves and no joint of the rig does."""
        own = [_span(self.turned[:, place]) for place in range(len(self.names))]
        shift, size = np.ptp(self.seen[..., 3], axis=0).max(initial=0.0), np.ptp(self.target.world[..., 3])
        return max(own, default=0.0) < STILL and bool(shift < SHIFTS * size) and self.source.anything()

    def _own_span(self, joint: int) -> float:
        """The turn of the joint that shows a control against the one above it; 0 if nothing follows the control."""
        order = list(self.pairs)
        if joint not in order:
            return 0.0
        own, parent = self.turned[:, order.index(joint)], self.source.above[joint]
        if parent in order:
            own = np.swapaxes(self.turned[:, order.index(parent)], -1, -2) @ own
        return _span(own)


def limbs_of(motion: Motion, joints: Mapping[int, int] | Sequence[int]) -> dict[str, list[int]]:
    """Arms and legs by name; without names that are known, all branches of two joints and more."""
    roles = {name: role for role, name in joint_roles(motion.joint_names).items()}
    found: dict[str, list[int]] = {}
    for joint in joints:
        role, _, side = roles.get(motion.joint_names[joint], "").partition(".")
        if side and role != "collar":
            limb = "arm" if role in ("upper_arm", "lower_arm", "hand") else "leg"
            found.setdefault(f"{'left' if side == 'L' else 'right'} {limb}", []).append(joint)
    if found:
        return found
    above = ancestors_of(motion.parents, dict.fromkeys(joints, 0))
    for joint in joints:
        if joint in above.values():
            continue
        branch = [joint]
        while (parent := above[branch[0]]) >= 0 and list(above.values()).count(parent) == 1:
            branch.insert(0, parent)
        if len(branch) > 1:
            found[" to ".join(motion.joint_names[end] for end in (branch[0], branch[-1]))] = branch
    return found


def angle_between(a: Float64, b: Float64) -> Float64:
    """Angle in degrees of the rotation between two rotations (T, 3, 3), exact near zero too."""
    chord = np.linalg.norm(a - b, axis=(1, 2)) / np.sqrt(8.0)  # |a - b| = sqrt(8) sin(angle / 2)
    return np.asarray(np.degrees(2 * np.arcsin(np.minimum(chord, 1.0))))


def bones_of(motion: Motion, joints: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Ends of bones that point the same way in all characters, parents first; an end is the middle of some joints.

    Of a body that is known by its names: the line of the hips, that of the shoulders, between their middles, to the
    head, and along the limbs. Collars, a chest or a waist lie elsewhere in every rig. Else from joint to joint.
    """
    roles = joint_roles(motion.joint_names)
    known = {role: motion.joint_names.index(name) for role, name in roles.items()}
    known = {role: joint for role, joint in known.items() if joint in joints}
    hips = tuple(known[role] for role in ("upper_leg.L", "upper_leg.R") if role in known)
    shoulders = tuple(known[role] for role in ("upper_arm.L", "upper_arm.R") if role in known)
    if len(hips) < 2 or len(shoulders) < 2:
        above = ancestors_of(motion.parents, dict.fromkeys(joints, 0))
        return [((parent,), (joint,)) for joint, parent in above.items() if parent >= 0]
    found = [(hips, (joint,)) for joint in hips] + [(hips, shoulders)]
    found += [(shoulders, (end,)) for end in (*shoulders, *(known[role] for role in ("head",) if role in known))]
    for limb in (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot")):
        for side in SIDES:
            chain = [known[part + side] for part in limb if part + side in known]
            found += [((start,), (end,)) for start, end in pairwise(chain)]
    return found


def _middle(places: Float64, order: Sequence[int], joints: Sequence[int]) -> Float64:
    """The middle (F, 3) of some of the joints that ``order`` lists."""
    return np.asarray(places[:, [order.index(joint) for joint in joints]].mean(axis=1))


def _span(rotations: Float64) -> float:
    """The largest angle to the first frame, in degrees."""
    return float(angle_between(rotations, rotations[:1]).max())
