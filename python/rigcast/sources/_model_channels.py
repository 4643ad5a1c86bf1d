"""A model's channels, as retargeting wants them of a rig."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigcast._core import Channel, Deformer
from rigcast._rigs.rig import RotationChannels, TranslationChannels
from rigcast._rigs.rotations import AXES
from rigcast._validate import bad_argument


class ModelChannels:
    """The part of the rig protocol that a model's own channels state; it evaluates nothing.

    Parameters
    ----------
    model : Deformer
    function : str
        Public name, for errors.

    Raises
    ------
    ValueError
        If the model has no joints that channels turn, as models of data sets without channels have not.
    """

    def __init__(self, model: Deformer, function: str = "retarget") -> None:
        channels: Sequence[Channel] = model.channels
        if not any(channel.kind.startswith("rotate_") for channel in channels):
            got = "a learned model whose channels turn no joints"
            expected = "a model with channels (model.channels) of a skeleton"
            if any(channel.kind == "control" for channel in channels):
                got = "a learned model of a control rig, whose constraints a file of motion cannot set"
                expected = "its rig: rigcast sample RIG --motion retargets the motion, the model plays the samples"
            raise bad_argument(function, "rig", got, expected)
        self.skeleton = model.skeleton
        self.up_axis = model.up_axis
        self.channel_names = [channel.name for channel in channels]
        self.channel_ranges = np.array([(channel.low, channel.high) for channel in channels], np.float64).reshape(-1, 2)
        self.channel_rest = np.array([channel.rest for channel in channels], np.float64)
        joints = {name: index for index, name in enumerate(model.joint_names)}
        by_joint: dict[int, list[Channel]] = {}
        for channel in channels:
            if channel.joint is not None:
                by_joint.setdefault(joints[channel.joint], []).append(channel)
        self.rotation_channels = [group for joint, own in by_joint.items() for group in _rotations(joint, own)]
        self.translation_channels = [group for joint, own in by_joint.items() for group in _translations(joint, own)]


def _rotations(joint: int, channels: list[Channel]) -> list[RotationChannels]:
    turns = sorted((c for c in channels if c.kind.startswith("rotate_")), key=lambda c: c.place)
    order = "".join(channel.kind[-1].upper() for channel in turns)
    return [RotationChannels(joint, order, tuple(channel.index for channel in turns))] if turns else []


def _translations(joint: int, channels: list[Channel]) -> list[TranslationChannels]:
    found = {channel.kind[-1].upper(): channel.index for channel in channels if channel.kind.startswith("translate_")}
    return [TranslationChannels(joint, tuple(found.get(axis, -1) for axis in AXES))] if found else []
