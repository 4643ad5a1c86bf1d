"""The clips that a page can choose from: those of a rig's own file, and files of motion.

A clip is read when it is chosen for the first time. Each has a timeline of its own, so keys stay with their clip.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.action import distinct_actions
from rigcast._validate import FPS
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._protocol import Refused

NO_CLIP = ""  # the name of the timeline that holds the rest pose
MOST_NAMED = 12  # clips in a sentence


@dataclass(frozen=True)
class Clip:
    """A clip that was read: channels (T, N), or poses (T, C) of a model, and lines on what of it is left out.

    ``head`` (T, 3, 4) moves what is shown of each frame.
    """

    channels: NDArray[Any] | None = None
    poses: NDArray[Any] | None = None
    fps: float = FPS
    notes: tuple[str, ...] = ()
    head: NDArray[np.float64] | None = None


ReadClip = Callable[[], Clip]


@dataclass
class ClipList:
    """Clips by name, and which of them plays.

    Parameters
    ----------
    make : callable from Clip to Timeline
    read : mapping from name to a callable that reads the clip
    timelines : dict from name to Timeline
        Those that are there already; others join when they are chosen.
    """

    make: Callable[[Clip], Timeline]
    read: Mapping[str, ReadClip] = field(default_factory=dict)
    timelines: dict[str, Timeline] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All that can be chosen, in the order of their files; none if there is nothing beside what plays."""
        if not self.read:
            return []
        return list(dict.fromkeys([*self.read, *(name for name in self.timelines if name != NO_CLIP)]))

    def name_of(self, timeline: Timeline) -> str:
        """The name under which a timeline plays."""
        return next((name for name, known in self.timelines.items() if known is timeline), NO_CLIP)

    def choose(self, name: str) -> tuple[Timeline, str]:
        """The timeline of a clip, and a line on what it leaves out, told when it is read.

        Raises
        ------
        ValueError
            If there is no such clip, or it cannot be read.
        """
        if name in self.timelines:
            return self.timelines[name], ""
        if name not in self.read:
            listing = ", ".join(self.names[:MOST_NAMED]) or "none"
            raise Refused(f"there is no clip {name[:40]!r}: {listing}")
        clip = self.read[name]()
        self.timelines[name] = self.make(clip)
        return self.timelines[name], "; ".join(clip.notes)

    def join(self, clips: Mapping[str, ReadClip]) -> str:
        """Offer further clips, and read the first of them; returns its name.

        One that is there already by its name is replaced, but if it has keys the new one has a number behind its name.

        Raises
        ------
        ValueError
            If the first cannot be read; then none is offered.
        """
        named = {self._free(name): read for name, read in clips.items()}
        first = next(iter(named))
        timeline = self.make(named[first]())
        self.read = {**self.read, **named}
        self.timelines = {name: known for name, known in self.timelines.items() if name not in named}
        self.timelines[first] = timeline
        return first

    def _free(self, name: str) -> str:
        numbered = (name if k == 1 else f"{name} ({k})" for k in itertools.count(1))
        return next(n for n in numbered if n != NO_CLIP and not (n in self.timelines and self.timelines[n].keys))


def clips_of(rig: Any) -> dict[str, ReadClip]:
    """The actions of a rig's own file, in its order; those that it plays together once."""
    return {name: functools.partial(_action, rig, name) for name in distinct_actions(rig)}


def _action(rig: Any, name: str) -> Clip:
    action = rig.action(name)
    missed = (f"{name} also moves what is no channel: {', '.join(action.missed[:MOST_NAMED])}",) * bool(action.missed)
    return Clip(np.asarray(action.channels), None, action.fps or FPS, missed)
