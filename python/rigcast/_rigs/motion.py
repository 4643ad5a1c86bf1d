"""Motion of a skeleton over time, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.described import Described, counted
from rigcast._rigs.rotations import globals_of
from rigcast._validate import bad_argument


@dataclass(frozen=True, repr=False)
class Motion(Described):
    """Frames of a moving skeleton.

    Attributes
    ----------
    joint_names : list of J str
    parents : (J,) int32 array, -1 for a root, parents before children
    rest : (J, 3, 4) float64 array, parent-relative
    local : (T, J, 3, 4) float64 array, parent-relative
    frame_time : float, seconds
    name : str
    """

    joint_names: list[str]
    parents: NDArray[np.int32]
    rest: NDArray[np.float64]
    local: NDArray[np.float64]
    frame_time: float
    name: str = ""

    def __len__(self) -> int:
        return len(self.local)

    def __getitem__(self, frames: slice) -> Motion:
        """Some of the frames: ``motion[::4]`` is every fourth."""
        if not isinstance(frames, slice):
            raise bad_argument("Motion", "frames", type(frames).__name__, "a slice")
        return replace(self, local=self.local[frames], frame_time=self.frame_time * abs(frames.step or 1))

    @property
    def rest_globals(self) -> NDArray[np.float64]:
        """(J, 3, 4) world transforms at rest."""
        return globals_of(self.parents, self.rest)

    def globals(self) -> NDArray[np.float64]:
        """(T, J, 3, 4) world transforms."""
        return globals_of(self.parents, self.local)

    def _facts(self) -> list[str]:
        frames = f"{counted(len(self), 'frame', 'frames') or 'no frame'} of {self.frame_time:g} s"
        return [counted(len(self.joint_names), "joint", "joints"), frames]
