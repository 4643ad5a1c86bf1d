"""Motion of a skeleton over time, whatever file it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.resampling import resampled
from rigcast._rigs.rotations import globals_of
from rigcast._shown import Described, counted
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
    notes : tuple of str
        What of the file was left out, or decided.
    dials : dict from name to (T,) float64 array
        Weights of morph targets that the file moves in addition to the joints.
    """

    joint_names: list[str]
    parents: NDArray[np.int32]
    rest: NDArray[np.float64]
    local: NDArray[np.float64]
    frame_time: float
    name: str = ""
    notes: tuple[str, ...] = ()
    dials: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.local)

    def __getitem__(self, frames: slice) -> Motion:
        """Some of the frames: ``motion[::4]`` is every fourth."""
        if not isinstance(frames, slice):
            raise bad_argument("Motion", "frames", type(frames).__name__, "a slice")
        dials = {name: values[frames] for name, values in self.dials.items()}
        frame_time = self.frame_time * abs(frames.step or 1)
        return replace(self, local=self.local[frames], dials=dials, frame_time=frame_time)

    @property
    def fps(self) -> float:
        """Frames per second, without the rounding of a file that states the time of a frame."""
        return float(np.round(1.0 / self.frame_time, 4))

    def at(self, fps: float | None) -> Motion:
        """The motion at another rate; a note says so. None, or its own rate: itself."""
        if fps is None or np.isclose(fps, self.fps, rtol=1e-6):
            return self
        columns = np.array(list(self.dials.values()), np.float64).reshape(len(self.dials), len(self)).T
        rows = np.concatenate([self.local.reshape(len(self), -1), columns], axis=1)
        found = resampled(rows, len(self.joint_names), self.fps, fps).astype(np.float64)
        local = found[:, : self.local[0].size].reshape(-1, *self.local.shape[1:])
        dials = dict(zip(self.dials, found[:, self.local[0].size :].T, strict=True))
        note = f"{len(self)} frames at {self.fps:g} per second were resampled to {len(found)} at {fps:g} per second"
        return replace(self, local=local, dials=dials, frame_time=1.0 / fps, notes=(*self.notes, note))

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


@dataclass(frozen=True)
class MotionFile:
    """The clips of a file that is open.

    Attributes
    ----------
    clips : dict from name to a function of the rate (None: the file's own) that reads the motion
    rig : object, optional
        The character that the file holds as well, if it was read.
    """

    clips: Mapping[str, Callable[[float | None], Motion]]
    rig: Any = None
