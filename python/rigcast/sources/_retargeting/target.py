"""The rig that motion is retargeted onto: its bones, their channels, and which of them have no limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.rig import Rig, RotationChannels, TranslationChannels
from rigcast._rigs.rotations import AXES, Float64, compose, euler_to_matrix, globals_of, nearest_rotation, transform_of
from rigcast._validate import bad_argument
from rigcast.sources._model_channels import ModelChannels

STATED = ("the limits file", "Limit ")  # how the sources of ranges begin that somebody chose for this very channel


class Target:
    """The bones and channels of a rig or a model, as retargeting needs them, in float64.

    Attributes
    ----------
    names : list of str
        The bones that channels turn: of the rig's ``mechanism`` if it has one, else its joints.
    joints : list of int
        Places of the rig's joints among them.
    rotations, translations : lists
        Channels of the bones.
    world, rotation : (B, 3, 4), (B, 3, 3) arrays
        Of the bones at rest.
    channel_rest : (N,) array
        With the switches that :mod:`.following` has set.
    free : (N,) bool array
        Channels that are not clipped (see :meth:`release`).
    """

    def __init__(self, given: Rig | Deformer) -> None:
        rig: Any = ModelChannels(given) if isinstance(given, Deformer) else given
        bones: Any = getattr(rig, "mechanism", None) or rig
        rotations = getattr(bones, "rotation_channels", None)
        if rig.skeleton is None or bones.skeleton is None or not rotations:
            expected = "a rig with a skeleton and rotation_channels"
            got = f"a {type(given).__name__} whose channels turn no joints"
            raise bad_argument("retarget", "rig", got, expected)
        self.rig = rig
        self.rotations: list[RotationChannels] = rotations
        self.translations: list[TranslationChannels] = getattr(bones, "translation_channels", [])
        self.names = list(bones.skeleton.names)
        self.joints = [self.names.index(name) for name in rig.skeleton.names]
        self.parents = np.asarray(bones.skeleton.parents)
        self.local = np.asarray(bones.skeleton.rest, np.float64)
        self.world = globals_of(self.parents, self.local)
        self.rotation = nearest_rotation(self.world[..., :3])
        self.ranges = np.asarray(rig.channel_ranges, np.float64)
        self.channel_names = list(rig.channel_names)
        default = np.clip(np.zeros(len(self.ranges)), *self.ranges.T)
        self.channel_rest = np.array(getattr(rig, "channel_rest", default), np.float64)
        self.up = np.eye(3)[AXES.index(getattr(rig, "up_axis", "Y"))]
        self.millimeters = 1000.0 * float(getattr(rig, "meters_per_unit", 1.0))
        self.free = np.zeros(len(self.ranges), np.bool_)

    @property
    def is_evaluated(self) -> bool:
        """True if constraints may pose the bones, so that only the rig itself knows their transforms."""
        return hasattr(self.rig, "bone_transforms")

    def transforms(self, rows: Float64, names: Sequence[str]) -> Float64:
        """World transforms (T, B, 3, 4) of bones for rows of channels."""
        if self.is_evaluated:
            return np.asarray(self.rig.bone_transforms(rows, names), np.float64)
        places = [self.names.index(name) for name in names]
        if isinstance(self.rig, ModelChannels) or len(self.joints) != len(self.names):
            return self._plain(rows)[:, places]
        poses = np.asarray(self.rig.sample(rows.astype(np.float32))[0], np.float64)
        local = poses[:, : 12 * len(self.names)].reshape(len(rows), -1, 3, 4)
        return globals_of(self.parents, local)[:, places]

    def release(self, joint: int) -> None:
        """Leave a joint's channels without limits, but for those that a limits file or a constraint states; what other
        motion used was nobody's choice."""
        unknown = [""] * len(self.ranges)
        sources, origins = (getattr(self.rig, name, unknown) for name in ("range_sources", "range_origins"))
        turns = [channel for group in self.rotations if group.joint == joint for channel in group.channels]
        shifts = [channel for group in self.translations if group.joint == joint for channel in group.channels]
        for channel in (*turns, *shifts):
            if channel >= 0 and (not sources[channel].startswith(STATED) or origins[channel] == "motion"):
                self.free[channel] = True

    def bounds(self, channels: Sequence[int]) -> Float64:
        """Ranges (n, 2) of channels; huge ones without limits."""
        chosen = list(channels)
        return np.where(self.free[chosen, None], [-1e9, 1e9], self.ranges[chosen])

    def _plain(self, rows: Float64) -> Float64:
        """World transforms (T, B, 3, 4) by plain kinematics, of a model's channels."""
        local = np.tile(self.local, (len(rows), 1, 1, 1))
        for shift in self.translations:
            offset = np.zeros((len(rows), 3))
            for axis, channel in enumerate(shift.channels):
                if channel >= 0:
                    offset[:, axis] = rows[:, channel]
            local[:, shift.joint] = compose(local[:, shift.joint], transform_of(np.eye(3), offset))
        for turn in self.rotations:
            rotation = euler_to_matrix(rows[:, list(turn.channels)], turn.order)
            local[:, turn.joint] = compose(local[:, turn.joint], transform_of(rotation, np.zeros(3)))
        return globals_of(self.parents, local)


def paired(motion: Motion, target: Target, joint_map: Mapping[str, str]) -> dict[int, int]:
    """Source to target indices, in source order.

    Raises
    ------
    ValueError
        If a name is unknown, a target occurs twice, or nothing is mapped.
    """
    if unknown := sorted(set(joint_map) - set(motion.joint_names)):
        raise bad_argument("retarget", "joint_map", f"from {', '.join(unknown)}", listed(motion.joint_names))
    if unknown := sorted(set(joint_map.values()) - set(target.names)):
        raise bad_argument("retarget", "joint_map", f"to {', '.join(unknown)}", listed(target.names))
    if not joint_map or len(set(joint_map.values())) != len(joint_map):
        raise bad_argument(
            "retarget", "joint_map", "empty or with one target twice", "a map from joint to joint, one to one"
        )
    return {
        index: target.names.index(joint_map[name]) for index, name in enumerate(motion.joint_names) if name in joint_map
    }


def listed(names: Collection[str]) -> str:
    """Names to choose from."""
    return f"among {', '.join(names)}"


def ancestors_of(parents: NDArray[np.integer[Any]], pairs: Mapping[int, int]) -> dict[int, int]:
    """The nearest mapped ancestor of each mapped source joint, -1 for none."""

    def above(joint: int) -> int:
        joint = int(parents[joint])
        while joint >= 0 and joint not in pairs:
            joint = int(parents[joint])
        return joint

    return {joint: above(joint) for joint in pairs}
