"""Targets of a shot that another library keeps on a device: seen by their shape, read a few frames at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._cuda import DeviceShot

HOST = (0, 1, 3)  # types of DLPack: none, host memory, locked host memory


@dataclass(frozen=True)
class DeviceTargets:
    """Targets (T, V, 3) in device memory. Indexing copies frames to the host: meant for few.

    Attributes
    ----------
    shot : _cuda.DeviceShot
    """

    shot: DeviceShot

    @property
    def shape(self) -> tuple[int, int, int]:
        """(T, V, 3)"""
        frames, vertices, _ = self.shot.shape
        return int(frames), int(vertices), 3

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, frames: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        return np.asarray(self.shot.read(np.arange(len(self), dtype=np.int32)[frames]))


Shot: TypeAlias = NDArray[np.float32] | DeviceTargets
Targets = TypeVar("Targets")


def frames_of(targets: ArrayLike | DeviceTargets, frames: slice | NDArray[np.int64]) -> NDArray[Any]:
    """Some frames of targets, on the host."""
    return targets[frames] if isinstance(targets, DeviceTargets) else np.asarray(targets)[frames]


def on_host(targets: Targets | DeviceTargets) -> Targets:
    """Targets, for what needs all of them in host memory; checked requests refuse it for those on a device.

    Raises
    ------
    TypeError
        If they are on a device.
    """
    if isinstance(targets, DeviceTargets):
        raise TypeError("the targets are on a device")
    return targets


def check_on_host(function: str, targets: ArrayLike | DeviceTargets, must: str) -> None:
    """Refuse targets that are on a device.

    Raises
    ------
    ValueError
        Naming function and what must be.
    """
    if isinstance(targets, DeviceTargets) or _is_elsewhere(targets):
        raise bad_argument(function, "targets", "on a device", must)


def _is_elsewhere(array: object) -> bool:
    """True if an array says that its numbers are not in host memory."""
    if isinstance(array, np.ndarray):
        return False
    if hasattr(array, "__cuda_array_interface__"):
        return True
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) not in HOST
