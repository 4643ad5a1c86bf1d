"""The handlers of messages about time: playing, frames, keys, and which clip plays."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from rigcast.viewer import _messages as messages
from rigcast.viewer._figures._figure import State
from rigcast.viewer._playing._clips import ClipList, ReadClip
from rigcast.viewer._playing._timeline import FASTEST, SLOWEST, Timeline
from rigcast.viewer._protocol import Refused

OWN_MOTION = "this view plays a motion of its own: that of a synthesizer, or a captured shot that is corrected"


class Played(Protocol):
    """A stage as far as time moves it."""

    timeline: Timeline
    state: State
    rest: Any
    notice: str

    def go_to_timeline(self) -> None: ...

    def restore(self, state: State) -> None: ...


class Transport:
    """Follows what is said of a stage's timeline.

    Parameters
    ----------
    stage : Stage
        Its ``timeline`` is replaced when another clip is chosen.
    clips : ClipList, optional
        None for a stage that plays nothing but its own timeline.
    """

    def __init__(self, stage: Played, clips: ClipList | None = None) -> None:
        self._stage = stage
        self.has_own_motion = clips is None
        self._clips = clips or ClipList(lambda _: Timeline(stage.rest))

    @property
    def clips(self) -> list[str]:
        """Names of the clips that can be chosen."""
        return self._clips.names

    @property
    def clip(self) -> str:
        """The name of the clip that plays; empty for none."""
        return self._clips.name_of(self._stage.timeline)

    def join(self, clips: Mapping[str, ReadClip], now: float) -> None:
        """Offer further clips, and play the first of them from a time of the clock on.

        Raises
        ------
        ValueError
            If it cannot be read, or the stage has a motion of its own.
        """
        if self.has_own_motion:
            raise Refused(OWN_MOTION)
        self._choose(messages.ChooseClip(self._clips.join(clips)), now)
        self._stage.timeline.play(True, now)

    @functools.singledispatchmethod
    def handle(self, message: messages.TimeMessage, now: float) -> None:
        """Follow a message, or raise a ``ValueError`` that says why not."""
        raise TypeError(f"no timeline follows {message.kind}")

    @handle.register
    def _choose(self, message: messages.ChooseClip, now: float) -> None:
        before = self._stage.timeline
        chosen, note = self._clips.choose(message.name)
        self._stage.timeline = chosen
        chosen.at, chosen.speed = 0.0, before.speed
        chosen.play(before.playing and not chosen.is_empty, now)
        before.playing = False
        if note:
            self._stage.notice = note
        if chosen.is_empty:
            self._stage.restore(State(self._stage.rest))
        else:
            self._stage.go_to_timeline()

    @handle.register
    def _play(self, message: messages.Play, now: float) -> None:
        if message.playing and self._stage.timeline.is_empty and self.clips:
            self._choose(messages.ChooseClip(self.clips[0]), now)
        self._stage.timeline.play(message.playing, now)

    @handle.register
    def _seek(self, message: messages.Seek, _: float) -> None:
        timeline = self._stage.timeline
        timeline.at = float(np.clip(message.at, 0, timeline.frames - 1))
        self._stage.go_to_timeline()

    @handle.register
    def _speed(self, message: messages.Speed, _: float) -> None:
        self._stage.timeline.speed = float(np.clip(message.speed, SLOWEST, FASTEST))

    @handle.register
    def _frames(self, message: messages.FrameRange, _: float) -> None:
        self._stage.timeline.resize(message.frames)

    @handle.register
    def _key(self, _: messages.Key, __: float) -> None:
        self._stage.timeline.set_key(self._stage.state.row)

    @handle.register
    def _unkey(self, _: messages.Unkey, __: float) -> None:
        self._stage.timeline.remove_key()
        self._stage.go_to_timeline()
