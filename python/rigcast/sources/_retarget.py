"""Motion of one skeleton as channels of another character's rig.

A mapped joint turns in the world as its source does, away from rest: with ``W`` world rotations, ``Q`` the turn between
the two scenes' axes and ``O`` the turn that makes the target's limb point at rest as the source's does,

    goal_j(t) = Q W_s(t) W_s(rest)^-1 Q^-1  O_j  W_j(rest).

Joints without a partner follow their parent. Goals become parent-relative rotations, then Euler angles in each joint's
own order, then channels clipped to their ranges. Goals are computed without clipping, so a joint at its limit (or a
root without channels) does not push its rotation into its children. A rig whose bones are posed by constraints says
itself where they are (:mod:`._retargeting.refining`).
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

import numpy as np

from rigcast._core import Deformer, fit_angles
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rig import Rig
from rigcast._rigs.rotations import Float64, euler_to_matrix
from rigcast._validate import bad_argument
from rigcast.errors import MirroredWarning
from rigcast.sources._joint_maps import joint_map as guessed_map
from rigcast.sources._joint_maps import limb_joints
from rigcast.sources._retargeting import goals as aims
from rigcast.sources._retargeting.checking import Check, MappedMovement, angle_between, limbs_of
from rigcast.sources._retargeting.following import following_of
from rigcast.sources._retargeting.mirrors import is_mirror_image, unmirrored
from rigcast.sources._retargeting.refining import refine
from rigcast.sources._retargeting.result import MIRRORED, UNMIRRORED, Retargeted
from rigcast.sources._retargeting.standing import rest_of, stance_of, turn_at_rest
from rigcast.sources._retargeting.target import Target, ancestors_of, listed, paired


def retarget(
    motion: Motion,
    rig: Rig | Deformer,
    joint_map: Mapping[str, str] | None = None,
    *,
    align: Collection[str] | None = None,
    root_translation: bool | None = False,
    allow_frozen: bool = False,
    rest_frame: int | None = None,
) -> Retargeted:
    """Turn motion into channels of a rig, or of a model.

    Parameters
    ----------
    motion : Motion
    rig : Rig or Deformer
        A rig must have ``skeleton`` and ``rotation_channels``; a model ``skeleton`` and ``channels``.
    joint_map : dict, optional
        Names of source joints to names of the rig's joints, or of the bones of its ``mechanism``. Default: as
        :func:`rigcast.sources.joint_map` guesses.
    align : collection of source joint names, optional
        Limbs whose direction at rest is matched (``O`` above); joints below inherit it. Default: upper and lower arms
        and legs by the names of the motion or of the rig, else the branches of the skeleton.
    root_translation : bool, optional
        Also move the first mapped joint, or the nearest one above it that can be moved, scaled by the ratio of leg
        lengths, from the first frame's place; heights count from the lowest mapped joint at rest. Needs
        ``translation_channels`` of that joint. None: if the rig has them.
    allow_frozen : bool
        Whether a limb may stand still while the motion's moves.
    rest_frame : int, optional
        The frame that stands for the motion's rest pose, -1 for its own. Default: its own (the bind pose of a file that
        has one, else zero angles), unless that is no figure.

    Returns
    -------
    Retargeted

    Warns
    -----
    rigcast.errors.MirroredWarning
        If the motion's figure is a mirror image of the rig's, as in files of left-handed programs.

    Notes
    -----
    The first mapped joint, if others branch off from it, is the root of a body: it may turn round and walk away. Its
    rotation is continuous, and no range clips it unless a limits file or a constraint of the file states one.

    A rest pose in which all bones lie in a line, as some captures have, is no figure: the frame that stands most like
    the rig at rest is taken instead (``rest_frame``).

    Switches that keep controls from acting, such as ``IK_FK`` of a Rigify rig, are set for all frames.

    Raises
    ------
    ValueError
        If the map names an unknown joint, the rig cannot be turned, or a limb of it does not move as the motion's does.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> notes = rc.exports.write_bvh("bend.bvh", arm, [[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]], fps=24)
    >>> motion = rc.sources.load_bvh("bend.bvh").motion()
    >>> made = rc.sources.retarget(motion, arm, {name: name for name in arm.skeleton.names})
    >>> made.channels.round().astype(int).tolist()
    [[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]]
    """
    target = Target(rig)
    joint_map = guessed_map(motion.joint_names, target.names) if joint_map is None else joint_map
    pairs = paired(motion, target, joint_map)
    limbs = _limbs(motion, target, pairs) if align is None else set(align)
    if unknown := limbs - set(motion.joint_names):
        raise bad_argument("retarget", "align", f"naming {', '.join(sorted(unknown))}", listed(motion.joint_names))
    task = _Task(motion, target, pairs, limbs, rest_frame)
    if not allow_frozen:
        task.refuse_unfollowed()
    wanted, local, positions = task.rotations()
    rootless = "it was not asked for"
    if root_translation is not False:
        rootless = task.fixed()
        if rootless and root_translation:
            raise bad_argument("retarget", "root_translation", f"True ({rootless})", "used where the root can follow")
        if not rootless:
            positions += task.shift_root(wanted)[:, None]
    if task.mirrored:
        warnings.warn(f"retarget: {MIRRORED}", MirroredWarning, stacklevel=2)
    return task.result(wanted, local, positions, rootless, allow_frozen)


def _limbs(motion: Motion, target: Target, pairs: dict[int, int]) -> set[str]:
    """Joints of the motion whose limbs are aligned: by its names, by the rig's, else all branches."""
    known = limb_joints(motion.joint_names)
    if not known:
        of_rig = limb_joints(target.names)
        known = {motion.joint_names[joint] for joint, goal in pairs.items() if target.names[goal] in of_rig}
    if not known:
        known = {motion.joint_names[joint] for chain in limbs_of(motion, pairs).values() for joint in chain}
    return known


class _Task:
    """One motion on one rig."""

    def __init__(
        self, motion: Motion, target: Target, pairs: dict[int, int], limbs: set[str], rest_frame: int | None
    ) -> None:
        motion, self.unmirrored = unmirrored(motion, pairs)
        self.motion, self.target, self.pairs = motion, target, pairs
        self.world = motion.globals()
        stance = stance_of(motion, target, pairs)
        self.rest, self.rest_frame = rest_of(motion, self.world, target, pairs, stance, rest_frame)
        self.mirrored = is_mirror_image(motion, self.rest, target, pairs)
        places = target.world[list(pairs.values()), :, 3]
        self.turn, alike = turn_at_rest(self.rest[list(pairs), :, 3], places, target.up, stance)
        self.tilt = self._tilt(limbs) if alike else 0.0
        offsets = aims.rest_offsets(motion, self.rest, target, pairs, limbs, self.turn)
        self.aligned = {motion.joint_names[joint]: aims.degrees(offsets[joint]) for joint in pairs
                        if motion.joint_names[joint] in limbs}  # fmt: skip
        self.turns = aims.turns_of(self.world, self.rest, pairs, offsets, self.turn)
        above = ancestors_of(motion.parents, pairs)
        self.above = {pairs[joint]: pairs.get(parent, -1) for joint, parent in above.items()}
        self.first = next(iter(pairs.values()))
        self.turned = [group for group in target.rotations if group.joint in self.above]
        self.root = self.first if list(self.above.values()).count(self.first) > 1 else -1
        self.path = aims.RootPath(motion, self.world, self.rest, target, pairs, self.turn)
        self.mover = self._mover()
        if self.root >= 0:
            target.release(self.root)
            target.release(self.mover)
        self.following = following_of(target, list(self.above), {c: self._below(c) for c in self.above})
        self.moving = MappedMovement(motion, pairs, self.world, self.rest)

    def _tilt(self, limbs: set[str]) -> float:
        """Degrees by which the motion's trunk leans at rest: its joints above the limbs, and where limbs begin."""
        above = ancestors_of(self.motion.parents, self.pairs)
        trunk = [joint for joint in self.pairs
                 if above[joint] < 0 or self.motion.joint_names[above[joint]] not in limbs]  # fmt: skip
        places = self.target.world[[self.pairs[joint] for joint in trunk], :, 3]
        return aims.tilt_left(self.rest[trunk, :, 3], places, self.turn) if len(trunk) > 3 else 0.0

    def _mover(self) -> int:
        """The joint that goes the root's way: the first mapped one, or the nearest above it that can be moved."""
        movable = {group.joint for group in self.target.translations}
        joint = self.first
        while joint >= 0 and joint not in movable:
            joint = int(self.target.parents[joint])
        return joint if joint >= 0 else self.first

    def _below(self, control: int) -> list[int]:
        own = [other for other, parent in self.above.items() if parent == control]
        return own + [deeper for other in own for deeper in self._below(other)]

    def _turning_above(self) -> dict[int, int]:
        """The ancestor of each control that can reach its goal: one without channels is passed over, if not a root."""
        turning = {group.joint for group in self.turned}
        found = {}
        for control, parent in self.above.items():
            while parent >= 0 and parent not in turning and self.above[parent] >= 0:
                parent = self.above[parent]
            found[control] = parent
        return found

    def rotations(self) -> tuple[Float64, Float64, Float64]:
        """Channels (T, N) that are not clipped, local rotations (T, B, 3, 3) that they stand for, and places (T, J, 3)
        of the rig's joints."""
        target = self.target
        goals = aims.goals_of(self.turns, target)
        local = aims.local_rotations(goals, target)
        positions = aims.positions_of(goals, target)[:, target.joints]
        wanted = np.tile(target.channel_rest, (len(self.motion), 1))
        for group in self.turned:
            wanted[:, list(group.channels)] = fit_angles(
                local[:, group.joint], group.order, target.bounds(group.channels)
            )
        if target.is_evaluated:
            positions, local = refine(target, wanted, goals, self._turning_above())
        for group in self.turned:
            if group.joint == self.root:
                bounds = target.bounds(group.channels)
                wanted[:, list(group.channels)] = fit_angles(local[:, self.root], group.order, bounds, continuous=True)
        return wanted, local, positions

    def fixed(self) -> str:
        """The reason why the root cannot follow the motion; empty if it can."""
        if not any(group.joint == self.mover for group in self.target.translations):
            return f"the rig has no translation_channels of {self.target.names[self.first]}"
        if min(self.path.legs) <= 0:
            return "without a mapped leg below the root the motion's scale is unknown"
        return ""

    def shift_root(self, wanted: Float64) -> Float64:
        """Write the root's translation channels; returns its way (T, 3) in the world."""
        shift = self.path.shift(self.turns[self.first])
        along = shift @ np.linalg.inv(self.target.world[self.mover, :, :3]).T  # into the joint's rest axes
        for group in self.target.translations:
            for axis, channel in enumerate(group.channels):
                if group.joint == self.mover and channel >= 0:
                    wanted[:, channel] += along[:, axis]
        return shift

    def result(
        self, wanted: Float64, local: Float64, positions: Float64, rootless: str, allow_frozen: bool
    ) -> Retargeted:
        """The retargeted motion, checked against what the rig does with it."""
        target, mapped = self.target, set(self.above)
        clipped = np.clip(wanted, *target.ranges.T)
        channels = np.where(target.free, wanted, clipped)
        check = Check(target, self.moving, self.following, channels)
        if not allow_frozen and ((frozen := check.frozen()) or check.nothing_moves()):
            self._refuse(frozen)
        leaving = np.abs(channels - clipped).max(axis=0, initial=0.0)
        miss = [angle_between(local[:, g.joint], euler_to_matrix(channels[:, list(g.channels)], g.order))
                for g in self.turned]  # fmt: skip
        return Retargeted(
            channels,
            self.motion.frame_time,
            np.abs(wanted - channels),
            [target.names[group.joint] for group in self.turned],
            np.array(miss).reshape(len(self.turned), len(self.motion)).T,
            [target.names[joint] for joint in sorted(mapped - {group.joint for group in self.turned})],
            positions,
            check.followed(self.turns, self.turn),
            {joint: target.names[control] for control, joint in self.following.joints.items()},
            self.following.switches,
            {target.channel_names[i]: float(leaving[i]) for i in np.flatnonzero(leaving > 0)},
            rootless,
            {self.motion.joint_names[joint]: target.names[goal] for joint, goal in self.pairs.items()},
            self.rest_frame,
            self.aligned,
            MIRRORED if self.mirrored else UNMIRRORED if self.unmirrored else "",
            self.tilt,
        )

    def refuse_unfollowed(self) -> None:
        """Refuse what no rotation can change, before the rig evaluates all frames.

        Raises
        ------
        ValueError
            If the motion moves a limb, or anything, and no joint of the rig follows the controls that it maps to.
        """
        frozen = self.moving.unfollowed(self.following)
        if frozen or (not self.following.joints and self.moving.anything()):
            self._refuse(frozen)

    def _refuse(self, frozen: dict[str, list[int]]) -> None:
        turned = {group.joint for group in self.turned}
        names = [self.target.names[self.pairs[joint]] for chain in frozen.values() for joint in chain]
        fixed = [name for name in names if self.target.names.index(name) not in turned]
        reasons = []
        if fixed:
            reasons.append(f"{_short(fixed)} {'have' if len(fixed) > 1 else 'has'} no channels")
        if idle := [name for name in names if name not in fixed]:
            reasons.append(f"what {_short(idle)} {'do' if len(idle) > 1 else 'does'} reaches no deforming joint")
        what = ", ".join(frozen) if frozen else "all of it"
        raise bad_argument(
            "retarget",
            "motion",
            f"one of which {what} would stand still on the rig" + f" ({'; '.join(reasons)})" * bool(reasons),
            "one that the rig follows: give the controls ranges (--ranges, a limits file), leave their switch between "
            "IK and FK a channel, or map other joints (--joint-map); --allow-frozen (allow_frozen=True) takes it as it "
            "is",
        )


def _short(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
