"""A rig whose poses are its dials alone: the joints that they drive are no inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.rig import Rig
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast import Skeleton

OF_JOINTS = (
    "rotation_channels",
    "translation_channels",
    "scale_channels",
    "follower_rotations",
    "posed_elsewhere",
)


class DialsOnly:
    """A rig seen through its dials; everything that is not about joints is the rig's own."""

    channel_names: list[str]
    channel_ranges: NDArray[np.float64]
    dial_names: list[str]
    skeleton: Skeleton | None = None
    rest_vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self._dials = len(rig.dial_names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "rig" or name in OF_JOINTS:
            raise AttributeError(name)
        return getattr(self.rig, name)

    def sample(self, channels: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate the rig: dials (T, K) and vertices (T, V, 3)."""
        return self._without_joints(*self.rig.sample(channels))

    def played(self, name: str, *further: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """An action as the rig's host plays it: dials (T, K) and vertices (T, V, 3)."""
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
        if name in ("rig", "_dials"):
            super().__setattr__(name, value)
        else:
            _refuse(name)

    def _without_joints(
        self, poses: NDArray[np.float32], vertices: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return np.ascontiguousarray(poses[:, poses.shape[1] - self._dials :]), vertices


def _refuse(name: str) -> NoReturn:
    raise AttributeError(f"a rig of dials is read-only; set {name} of the rig itself")


def dials_only(rig: Rig) -> Rig:
    """A rig whose poses are its numeric controls alone, for a face whose bones follow its dials.

    What learns from it takes the dials, not the bones that they drive: a pose is one row of K numbers, and the model
    has no skeleton. Head motion stays apart, as one rigid transform of the whole mesh.

    Parameters
    ----------
    rig : Rig
        Every channel must be a dial.

    Returns
    -------
    Rig
        The same rig without joints; closing it closes ``rig``.

    Raises
    ------
    ValueError
        If a channel turns, moves or scales a joint: the first few are named.

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
    others = [name for name in rig.channel_names if name not in rig.dial_names]
    if others:
        shown = ", ".join(others[:3]) + ", ..." * (len(others) > 3)
        expected = "one whose channels are all numeric controls"
        raise bad_argument("dials_only", "rig", f"a rig with {len(others)} channels of joints ({shown})", expected)
    return DialsOnly(rig)
