"""Motion of one skeleton as channels of another character's rig.

A mapped joint turns in the world as its source does, away from rest: with ``W`` world rotations, ``Q`` the turn between
the two scenes' axes and ``O`` the turn that makes the target's limb point at rest as the source's does,

    goal_j(t) = Q W_s(t) W_s(rest)^-1 Q^-1  O_j  W_j(rest).

Joints without a partner follow their parent. Goals become parent-relative rotations, then Euler angles in each joint's
own order, then channels clipped to their ranges. Goals are computed without clipping, so a joint at its limit (or a
root without channels) does not push its rotation into its children.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer, fit_angles
from rigcast._rigs.described import Described, counted
from rigcast._rigs.motion import Motion
from rigcast._rigs.rig import Rig, RotationChannels, TranslationChannels
from rigcast._rigs.rotations import AXES, Float64, euler_to_matrix, globals_of, nearest_rotation, rotation_between
from rigcast._validate import bad_argument
from rigcast.sources._joint_maps import limb_joints
from rigcast.sources._model_channels import ModelChannels


@dataclass(frozen=True, repr=False)
class Retargeted(Described):
    """Channels, and how far they miss the motion.

    Attributes
    ----------
    channels : (T, N) float64 array, inside the rig's ranges
    frame_time : float, seconds
    excess : (T, N) float64 array
        Degrees (or units) that were cut off to keep a channel inside its range.
    joint_names : list of the mapped joints that have channels
    miss : (T, len(joint_names)) float64 array
        Angle in degrees between the wanted local rotation and the one that the channels give.
    still : list of mapped joints without rotation channels, left at rest
    positions : (T, J, 3) float64 array
        World positions of the rig's joints, in skeleton order, if nothing is clipped and no axis is missing: targets
        for :func:`rigcast.ik.solve_motion`.
    """

    channels: Float64
    frame_time: float
    excess: Float64
    joint_names: list[str]
    miss: Float64
    still: list[str]
    positions: Float64 = field(default_factory=lambda: np.zeros((0, 0, 3)))

    def _facts(self) -> list[str]:
        frames, channels = self.channels.shape
        return [counted(frames, "frame", "frames"), counted(channels, "channel", "channels"), self.summary()]

    def summary(self) -> str:
        """One sentence on clipping."""
        if not self.miss.size:
            return "nothing was retargeted"
        cut = np.flatnonzero(self.excess.max(axis=0))
        worst = self.joint_names[int(self.miss.max(axis=0).argmax())]
        return (
            f"{len(cut)} of {self.channels.shape[1]} channels were clipped; the channels miss a joint's rotation by "
            f"{self.miss.mean():.1f} degrees on average and by {self.miss.max():.1f} at worst ({worst})"
        )


def retarget(
    motion: Motion,
    rig: Rig | Deformer,
    joint_map: Mapping[str, str],
    *,
    align: Collection[str] | None = None,
    root_translation: bool = False,
) -> Retargeted:
    """Turn motion into channels of a rig, or of a model.

    Parameters
    ----------
    motion : Motion
    rig : Rig or Deformer
        A rig must have ``skeleton`` and ``rotation_channels``; a model ``skeleton`` and ``channels``.
    joint_map : dict
        Names of source joints to names of the rig's joints, or of the bones of its ``mechanism``
        (:func:`rigcast.sources.joint_map` guesses one).
    align : collection of source joint names, optional
        Limbs whose direction at rest is matched (``O`` above); joints below inherit it. Default: upper and lower arms
        and legs, as far as names are known.
    root_translation : bool
        Also move the first mapped joint, scaled by the ratio of leg lengths, from the first frame's place; heights
        count from the lowest mapped joint at rest. Needs ``translation_channels`` of that joint.

    Returns
    -------
    Retargeted

    Raises
    ------
    ValueError
        If the map names an unknown joint, or the rig cannot be turned.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> notes = rc.exports.write_bvh("bend.bvh", arm, [[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]], fps=24)
    >>> motion = rc.sources.load_bvh("bend.bvh").motion()
    >>> made = rc.sources.retarget(motion, arm, {name: name for name in arm.skeleton.names})
    >>> made.channels.round().astype(int).tolist()
    [[0, 0, 0, 0, 0, 0], [0, 0, 90, 0, 0, 0]]
    """
    target = _Target(ModelChannels(rig) if isinstance(rig, Deformer) else rig)
    pairs = _pairs(motion, target, joint_map)
    limbs = limb_joints(motion.joint_names) if align is None else set(align)
    if unknown := limbs - set(motion.joint_names):
        raise bad_argument("retarget", "align", f"naming {', '.join(sorted(unknown))}", _names(motion.joint_names))
    source_rest = motion.rest_globals
    turn = _scene_turn(source_rest[list(pairs), :, 3], target.world[list(pairs.values()), :, 3])
    offsets = _offsets(motion, source_rest, target, pairs, limbs, turn)
    source_world = motion.globals()
    goals = _goals(source_world, source_rest, target, pairs, offsets, turn)
    local = _local_rotations(goals, target)
    wanted = np.tile(target.channel_rest, (len(motion), 1))
    mapped = set(pairs.values())
    turned = [group for group in target.rotations if group.joint in mapped]
    for group in turned:
        wanted[:, list(group.channels)] = fit_angles(
            local[:, group.joint], group.order, target.ranges[list(group.channels)]
        )
    positions = _positions(goals, target)[:, target.joints]
    if root_translation:
        positions += _translate(wanted, source_world, source_rest, target, pairs, turn)[:, None]
    channels = np.clip(wanted, *target.ranges.T)
    miss = [_angle_between(local[:, g.joint], euler_to_matrix(channels[:, list(g.channels)], g.order)) for g in turned]
    return Retargeted(
        channels,
        motion.frame_time,
        np.abs(wanted - channels),
        [target.names[group.joint] for group in turned],
        np.array(miss).reshape(len(turned), len(motion)).T,
        [target.names[joint] for joint in sorted(mapped - {group.joint for group in turned})],
        positions,
    )


class _Target:
    """What is needed of the rig, in float64."""

    def __init__(self, rig: Rig | ModelChannels) -> None:
        bones: Any = getattr(rig, "mechanism", None) or rig
        rotations = getattr(bones, "rotation_channels", None)
        if rig.skeleton is None or bones.skeleton is None or not rotations:
            expected = "a rig with a skeleton and rotation_channels"
            got = f"{type(rig).__name__} without joints that channels turn"
            raise bad_argument("retarget", "rig", got, expected)
        self.rotations: list[RotationChannels] = rotations
        self.translations: list[TranslationChannels] = getattr(bones, "translation_channels", [])
        self.names = list(bones.skeleton.names)
        self.joints = [self.names.index(name) for name in rig.skeleton.names]
        self.parents = np.asarray(bones.skeleton.parents)
        self.world = globals_of(self.parents, np.asarray(bones.skeleton.rest, np.float64))
        self.rotation = nearest_rotation(self.world[..., :3])
        self.ranges = np.asarray(rig.channel_ranges, np.float64)
        default = np.clip(np.zeros(len(self.ranges)), *self.ranges.T)
        self.channel_rest = np.array(getattr(rig, "channel_rest", default), np.float64)
        self.up = np.eye(3)[AXES.index(getattr(rig, "up_axis", "Y"))]


def _names(names: Collection[str]) -> str:
    return f"among {', '.join(names)}"


def _pairs(motion: Motion, target: _Target, joint_map: Mapping[str, str]) -> dict[int, int]:
    """Source to target indices, in source order."""
    if unknown := sorted(set(joint_map) - set(motion.joint_names)):
        raise bad_argument("retarget", "joint_map", f"from {', '.join(unknown)}", _names(motion.joint_names))
    if unknown := sorted(set(joint_map.values()) - set(target.names)):
        raise bad_argument("retarget", "joint_map", f"to {', '.join(unknown)}", _names(target.names))
    if not joint_map or len(set(joint_map.values())) != len(joint_map):
        raise bad_argument(
            "retarget", "joint_map", "empty or with one target twice", "a map from joint to joint, one to one"
        )
    return {
        index: target.names.index(joint_map[name]) for index, name in enumerate(motion.joint_names) if name in joint_map
    }


def _scene_turn(source: Float64, target: Float64) -> Float64:
    """Of the 24 turns that exchange axes, the one that fits centerd rest positions best (identity if all fit alike)."""
    covariance = (target - target.mean(axis=0)).T @ (source - source.mean(axis=0))
    best, score = np.eye(3), float(np.trace(covariance))
    margin = 1e-9 * float(np.abs(covariance).sum())
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            candidate = np.diag(signs)[list(order)]
            fit = float((candidate * covariance).sum())
            if np.linalg.det(candidate) > 0 and fit > score + margin:
                best, score = candidate, fit
    return best


def _mapped_ancestor(parents: NDArray[np.integer[Any]], joint: int, mapped: Collection[int]) -> int:
    joint = int(parents[joint])
    while joint >= 0 and joint not in mapped:
        joint = int(parents[joint])
    return joint


def _offsets(
    motion: Motion, rest: Float64, target: _Target, pairs: dict[int, int], limbs: set[str], turn: Float64
) -> dict[int, Float64]:
    """``O`` of every mapped source joint."""
    above = {joint: _mapped_ancestor(motion.parents, joint, pairs) for joint in pairs}
    offsets: dict[int, Float64] = {}
    for joint, goal in pairs.items():
        offsets[joint] = offsets[above[joint]] if above[joint] >= 0 else np.eye(3)
        below = [child for child, parent in above.items() if parent == joint]
        if motion.joint_names[joint] in limbs and len(below) >= 1:
            towards = np.mean([rest[child, :, 3] for child in below], axis=0) - rest[joint, :, 3]
            mine = np.mean([target.world[pairs[child], :, 3] for child in below], axis=0) - target.world[goal, :, 3]
            if np.linalg.norm(towards) > 0 and np.linalg.norm(mine) > 0:
                offsets[joint] = rotation_between(mine, turn @ towards)
    return offsets


def _goals(
    world: Float64, rest: Float64, target: _Target, pairs: dict[int, int], offsets: dict[int, Float64], turn: Float64
) -> Float64:
    """World rotations (T, J, 3, 3) of all target joints."""
    source_of = {goal: joint for joint, goal in pairs.items()}
    goals = np.empty((len(world), len(target.names), 3, 3))
    for joint, parent in enumerate(target.parents):
        if joint in source_of:
            source = source_of[joint]
            delta = nearest_rotation(world[:, source, :, :3]) @ nearest_rotation(rest[source, :, :3]).T
            goals[:, joint] = turn @ delta @ turn.T @ offsets[source] @ target.rotation[joint]
        elif parent >= 0:
            goals[:, joint] = goals[:, parent] @ target.rotation[parent].T @ target.rotation[joint]
        else:
            goals[:, joint] = target.rotation[joint]
    return goals


def _local_rotations(goals: Float64, target: _Target) -> Float64:
    """Rotations after each joint's rest: ``rest_local^-1 parent_goal^-1 goal``."""
    local = np.empty_like(goals)
    for joint, parent in enumerate(target.parents):
        at_rest = target.rotation[joint]
        if parent >= 0:
            at_rest = goals[:, parent] @ target.rotation[parent].T @ at_rest
        local[:, joint] = np.swapaxes(at_rest, -1, -2) @ goals[:, joint]
    return local


def _positions(goals: Float64, target: _Target) -> Float64:
    """World positions (T, J, 3) of bones that turn as the goals say; roots rest."""
    places = np.empty((len(goals), len(target.names), 3))
    for joint, parent in enumerate(target.parents):
        places[:, joint] = target.world[joint, :, 3]
        if parent >= 0:
            bone = target.rotation[parent].T @ (target.world[joint, :, 3] - target.world[parent, :, 3])
            places[:, joint] = places[:, parent] + goals[:, parent] @ bone
    return places


def _angle_between(a: Float64, b: Float64) -> Float64:
    """Angle in degrees of the rotation between two rotations (T, 3, 3), exact near zero too."""
    chord = np.linalg.norm(a - b, axis=(1, 2)) / np.sqrt(8.0)  # |a - b| = sqrt(8) sin(angle / 2)
    return np.asarray(np.degrees(2 * np.arcsin(np.minimum(chord, 1.0))))


def _translate(
    wanted: Float64, world: Float64, rest: Float64, target: _Target, pairs: dict[int, int], turn: Float64
) -> Float64:
    """Write the root's translation channels, and return the translation (T, 3) in the world."""
    source = next(iter(pairs))
    joint = pairs[source]
    group = next((g for g in target.translations if g.joint == joint), None)
    if group is None:
        expected = f"a rig with translation_channels of {target.names[joint]}"
        raise bad_argument("retarget", "root_translation", "True for a rig whose root is fixed", expected)
    heights = rest[:, :, 3] @ turn.T @ target.up
    own_heights = target.world[:, :, 3] @ target.up
    leg = heights[source] - heights[list(pairs)].min()
    own_leg = own_heights[joint] - own_heights[list(pairs.values())].min()
    if not (leg > 0 and own_leg > 0):
        raise bad_argument("retarget", "root_translation", "True without a leg below the root", "used with mapped feet")
    path = world[:, source, :, 3] @ turn.T
    shift = path - path[0]
    shift += (path @ target.up - leg - shift @ target.up)[:, None] * target.up
    shift *= own_leg / leg
    along = shift @ target.rotation[joint]  # into the joint's rest axes
    for axis, channel in enumerate(group.channels):
        if channel >= 0:
            wanted[:, channel] = along[:, axis]
    return np.asarray(shift)
