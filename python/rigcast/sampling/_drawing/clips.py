"""Clips: which rows of a data set were sampled from which motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._rigs.motions.action import Action
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.sampling._drawing.stream import Stream

Int32 = NDArray[np.int32]


@one_line
@dataclass(frozen=True)
class Clip:
    """A motion that rows of a data set were sampled from.

    Attributes
    ----------
    name : str
    fps : float or None
        Frames per second; None if nobody said.
    """

    name: str
    fps: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise bad_argument("Clip", "name", repr(self.name), "a name")
        if self.fps is not None:
            object.__setattr__(self, "fps", Arguments("Clip").number("fps", self.fps, above=0.0))

    def entry(self) -> dict[str, object]:
        """As it stands in a manifest."""
        return {"name": self.name, "fps": self.fps}


@one_line
@dataclass(frozen=True, eq=False)
class Clips:
    """Clips, and the one that each of T rows belongs to, -1 for none.

    Attributes
    ----------
    clips : tuple of Clip
    rows : (T,) int32 array
    """

    clips: tuple[Clip, ...]
    rows: Int32

    @classmethod
    def of_actions(cls, actions: Sequence[Action]) -> Clips:
        """One clip per action, their frames one after another."""
        sizes = [len(action) for action in actions]
        clips = tuple(Clip(action.name, action.fps) for action in actions)
        return cls(clips, np.repeat(np.arange(len(actions), dtype=np.int32), sizes))

    def joined(self, clips: Sequence[Clip], rows: Int32, places: NDArray[np.intp]) -> Clips:
        """With the clips of some rows, whose places among T are given; equal clips are one."""
        known = list(dict.fromkeys([*self.clips, *clips]))
        place = np.array([known.index(clip) for clip in clips] + [-1], np.int32)
        result = self.rows.copy()
        result[places] = place[rows]
        return Clips(tuple(known), result)


def no_clips(count: int) -> Clips:
    """Of random rows."""
    return Clips((), np.full(count, -1, np.int32))


def checked_clips(function: str, clips: Sequence[Clip], clip: ArrayLike | None, frames: int) -> Clips:
    """The clips of an animation; by default all frames belong to the only one.

    Raises
    ------
    ValueError
        If a name is repeated, or ``clip`` has not one number per frame, each that of a clip or -1.
    """
    if not isinstance(clips, Sequence) or not all(isinstance(item, Clip) for item in clips):
        raise bad_argument(function, "clips", f"{clips!r:.60}", "a list of rigcast.sampling.Clip")
    check = Arguments(function, A=frames)
    check.names("clips", [item.name for item in clips])
    if clip is None:
        if len(clips) > 1:
            raise bad_argument(function, "clip", f"left out beside {len(clips)} clips", "the clip of each frame")
        return Clips(tuple(clips), np.full(frames, len(clips) - 1, np.int32))
    rows = check.integers("clip", clip, "A", low=-1, below=len(clips), dtype=np.int32)
    return Clips(tuple(clips), np.array(rows))


def drawn_clips(sampler: Any, count: int, stream: Stream) -> Clips:
    """The clips of the rows that a sampler draws from this stream; none if it does not know any.

    Raises
    ------
    ValueError
        If it says anything else than clips of so many rows.
    """
    if not hasattr(sampler, "clips_of"):
        return no_clips(count)
    found = sampler.clips_of(count, stream)
    rows = np.asarray(getattr(found, "rows", None))
    if not isinstance(found, Clips) or rows.shape != (count,):
        raise bad_argument("sample", "sampler.clips_of()", f"a {type(found).__name__}", f"the clips of {count} rows")
    return found
