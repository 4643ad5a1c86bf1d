"""A rig whose poses are its dials alone: joints are no inputs, and channels that turn them are held at rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.action import Action
from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._core import Skeleton

OF_JOINTS = (
    "rotation_channels",
    "translation_channels",
    "scale_channels",
    "follower_rotations",
    "posed_elsewhere",
    "mechanism",
)
OWN = ("rig", "held", "_kept", "_rest", "channel_names", "channel_ranges", "channel_rest")
NAMED = 4  # held channels that a note names


class DialsOnly:
    """A rig seen through its dials; everything that is not about joints is the rig's own.

    Attributes
    ----------
    held : list of str
        The rig's channels that are no dials: they stay at rest.
    """

    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    channel_rest: NDArray[np.float64]
    dial_names: list[str]
    skeleton: Skeleton | None = None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        dials, ranges = set(rig.dial_names), np.asarray(rig.channel_ranges, np.float64)
        self._kept = [index for index, name in enumerate(rig.channel_names) if name in dials]
        self._rest = np.asarray(getattr(rig, "channel_rest", np.clip(0.0, *ranges.T)), np.float64)
        self.held = [name for name in rig.channel_names if name not in dials]
        self.channel_names = [rig.channel_names[index] for index in self._kept]
        self.channel_ranges, self.channel_rest = ranges[self._kept], self._rest[self._kept]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in (*OWN, *OF_JOINTS):
            raise AttributeError(name)
        found = getattr(self.rig, name)
        return partial(self._action, found) if name == "action" and self.held else found

    @property
    def range_sources(self) -> list[str]:
        """The sources of the ranges of these channels; empty if the rig does not say."""
        sources = getattr(self.rig, "range_sources", [])
        return [sources[index] for index in self._kept] if sources else []

    @property
    def switches(self) -> list[str]:
        """The rig's switches that are dials."""
        return [name for name in getattr(self.rig, "switches", []) if name not in self.held]

    @property
    def differences(self) -> list[str]:
        """The differences of samples from what the host plays: the rig's own, and what is held."""
        count, more = len(self.held), len(self.held) - NAMED
        named = ", ".join(self.held[:NAMED]) + (f" and {more} more" if more > 0 else "")
        what = "channels that are no dials are" if count > 1 else "channel that is no dial is"
        own = list(getattr(self.rig, "differences", []))
        return [*own, f"dials only: {count} {what} held at rest: {named}"] if count else own

    def sample(self, channels: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig: dials (T, K) and vertices (T, V, 3)."""
        if self.held:
            rows = np.tile(self._rest, (len(channels), 1))
            rows[:, self._kept] = channels
            channels = rows.astype(np.float32)
        return self._without_joints(*self.rig.sample(channels))

    def _action(self, action: Callable[..., Action], name: str, *further: Any) -> Action:
        """An action of the rig's file as channels; what it moves of those that are held is missed."""
        found = action(name, *further)
        moving = np.ptp(found.channels, axis=0) > 0 if len(found) else np.zeros(found.channels.shape[1], bool)
        missed = [
            name for name, moves in zip(self.rig.channel_names, moving, strict=True) if moves and name in self.held
        ]
        return replace(found, channels=found.channels[:, self._kept], missed=[*found.missed, *missed])

    def played(self, name: str, *further: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """An action as the rig's host plays it: dials (T, K) and vertices (T, V, 3); without what is held."""
        if self.held:
            return self.sample(self.action(name, *further).channels.astype(np.float32))
        return self._without_joints(*self.__getattr__("played")(name, *further))

    def for_worker(self) -> DialsOnly:
        """The same of an independent rig, if the rig needs one per process."""
        return DialsOnly(self.rig.for_worker() if hasattr(self.rig, "for_worker") else self.rig)

    def close(self) -> None:
        """Close the rig, if it holds anything open."""
        if hasattr(self.rig, "close"):
            self.rig.close()

    def __enter__(self) -> DialsOnly:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __setattr__(self, name: str, value: object) -> None:
        if name in OWN and name not in self.__dict__:
            super().__setattr__(name, value)
        else:
            _refuse(name)

    def _without_joints(
        self, poses: NDArray[np.float32], vertices: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return np.ascontiguousarray(poses[:, poses.shape[1] - len(self.rig.dial_names) :]), vertices


def _refuse(name: str) -> NoReturn:
    raise AttributeError(f"a rig of dials is read-only; set {name} of the rig itself")


def dials_only(rig: Rig) -> Rig:
    """A rig whose poses are its numeric controls alone, for a face whose bones follow its dials.

    What learns from it takes the dials, not the bones that they drive: a pose is one row of K numbers, and the model
    has no skeleton. Head motion stays apart, as one rigid transform of the whole mesh: channels that turn joints are
    held at rest.

    Parameters
    ----------
    rig : Rig

    Returns
    -------
    Rig
        The same rig without joints; ``held`` lists the channels that are no dials. Closing it closes ``rig``.

    Raises
    ------
    ValueError
        If no channel is a dial.

    Examples
    --------
    >>> import numpy as np
    >>> import rigcast as rc
    >>> class Lid:  # a bone that one dial drives
    ...     channel_names, channel_ranges, dial_names = ["blink"], np.array([[0.0, 1.0]]), ["blink"]
    ...     skeleton = rc.Skeleton(["lid"], [-1], np.eye(3, 4)[None])
    ...     rest_vertices, faces = np.eye(3, dtype=np.float32), np.array([[0, 1, 2]])
    ...     def sample(self, channels):
    ...         bones = np.tile(np.eye(3, 4, dtype=np.float32).ravel(), (len(channels), 1))
    ...         return np.concatenate([bones, channels], axis=1), self.rest_vertices + channels[:, :, None]
    >>> poses, vertices = rc.sources.dials_only(Lid()).sample(np.array([[0.5]], np.float32))
    >>> poses.tolist()
    [[0.5]]
    """
    if not set(rig.dial_names) & set(rig.channel_names):
        got = f"a rig of {len(rig.channel_names)} channels, none of which is a numeric control"
        raise bad_argument("dials_only", "rig", got, "one with dials")
    return DialsOnly(rig)
