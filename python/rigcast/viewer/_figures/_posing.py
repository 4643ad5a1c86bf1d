"""Channels to poses and back, for models whose channels decide the pose and for those that have none that do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._rigs.rotations import euler_to_matrix, inverse_linear, matrix_to_euler, nearest_rotation
from rigcast.viewer._sliders import Slider, body_part

Row = NDArray[np.float32]
Vector = NDArray[np.float64]
AXES = "XYZ"


class Posing(Protocol):
    """The controls that an artist turns on a model, and the pose rows that follow.

    Attributes
    ----------
    kind : {"channels", "joints"}
        Of sliders: the channels that a model states, or three angles per joint.
    roots : list of int
        Joints that three more sliders move: those of where the character stands.
    sliders : list of Slider
    """

    kind: str
    roots: list[int]
    sliders: list[Slider]

    def pose(self, row: Row) -> Row:
        """The pose (C,) of channels (N,)."""

    def rows(self, poses: Row) -> Row:
        """The channels (T, N) that come nearest to poses (T, C)."""

    def offset(self, row: Row) -> Vector:
        """The shift of the whole character by channels (3,); zero if none moves it."""

    def moved(self, pose: Row, offset: Vector) -> Row:
        """A pose of the character elsewhere."""

    def placed(self, row: Row, offset: Vector) -> Row:
        """Channels (N,) of those that the model has, and of where the character stands."""


class InPlace:
    """A figure that stays where it is."""

    def __init__(self) -> None:
        self.roots: list[int] = []

    def offset(self, _: Row) -> Vector:
        return np.zeros(3)

    def moved(self, pose: Row, _: Vector) -> Row:
        return pose

    def placed(self, row: Row, _: Vector) -> Row:
        return row


class ByChannels(InPlace):
    """The channels that a model file states."""

    kind = "channels"

    def __init__(self, model: _core.Deformer) -> None:
        super().__init__()
        self._model = model
        self.sliders = [
            Slider(c.name, body_part(c.joint or c.name), c.low, c.high, c.rest, c.unit) for c in model.channels
        ]

    def pose(self, row: Row) -> Row:
        return np.asarray(self._model.poses_from_channels(row[None])[0])

    def rows(self, poses: Row) -> Row:
        return np.asarray(self._model.channels_from_poses(poses)[0], np.float32)


class ByJoints(InPlace):
    """Three angles per joint after its rest transform, R_x R_y R_z in column vectors, and the dials."""

    kind = "joints"

    def __init__(self, model: _core.Deformer) -> None:
        super().__init__()
        self._joints = 12 * len(model.joint_names)
        self._rest = np.asarray(model.skeleton.rest, np.float64) if self._joints else np.zeros((0, 3, 4))
        self.sliders = [
            Slider(f"{name}.{axis.lower()}", body_part(name), -180.0, 180.0, 0.0, "degrees")
            for name in model.joint_names
            for axis in AXES
        ]
        names, ranges = model.control_names[self._joints :], model.control_ranges[self._joints :]
        for name, (low, high) in zip(names, ranges, strict=True):
            self.sliders.append(Slider(name, body_part(name), float(low), float(high), float(np.clip(0.0, low, high))))

    def pose(self, row: Row) -> Row:
        count = len(self._rest)
        turned = self._rest.copy()
        turned[..., :3] @= euler_to_matrix(row[: 3 * count].reshape(count, 3), AXES)
        return np.concatenate([turned.reshape(-1), row[3 * count :]]).astype(np.float32)

    def rows(self, poses: Row) -> Row:
        local = poses[:, : self._joints].reshape(len(poses), -1, 3, 4).astype(np.float64)
        turned = nearest_rotation(inverse_linear(self._rest[..., :3]) @ local[..., :3])
        angles = matrix_to_euler(turned, AXES).reshape(len(poses), -1)
        return np.concatenate([angles, poses[:, self._joints :]], axis=1).astype(np.float32)


def poses_of_each(model: _core.Deformer, chosen: Sequence[_core.Channel]) -> Row:
    """Poses (1 + n, C): all channels at rest, then each of the n chosen ones alone at the end farther from rest."""
    rows = np.tile([channel.rest for channel in model.channels], (1 + len(chosen), 1))
    far = [c.high if abs(c.high - c.rest) >= abs(c.low - c.rest) else c.low for c in chosen]
    rows[range(1, len(rows)), [channel.index for channel in chosen]] = far
    return np.asarray(model.poses_from_channels(rows))


def posing_of(model: _core.Deformer) -> Posing:
    """By channels if all of them decide the pose, else by joints."""
    channels = model.channels
    stated = len(channels) > 0 and all(channel.follows_kinematics for channel in channels)
    return ByChannels(model) if stated else ByJoints(model)
