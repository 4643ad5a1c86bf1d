"""The stage of the view: figures, the state of the first, pins, history, timeline. One thread at a time works on it.

A message of a page is checked (``_messages``), waits in the inbox (``_server``), and is handled here by the method that
is registered for its class. A frame is made when a page has shown the last one, so no queue grows. What follows a
handle depends on the pose in which it was gripped and on its target, not on the way there.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import check_finite
from rigcast.viewer import _messages as messages
from rigcast.viewer._drags import Drags
from rigcast.viewer._drawing._colors import ShownFigures, SkinColors
from rigcast.viewer._drawing._scene import scene_message
from rigcast.viewer._figures._beside import beside_vertices, is_followed
from rigcast.viewer._figures._figure import State, Vertices, joint_places, mirrored_row
from rigcast.viewer._figures._model import ModelFigure, RecordedFigure
from rigcast.viewer._figures._rig import RigFigure
from rigcast.viewer._handles import Handles, HandleSet
from rigcast.viewer._history import History
from rigcast.viewer._playing._clips import ClipList
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._playing._transport import Transport
from rigcast.viewer._protocol import Message, Refused
from rigcast.viewer._wire import packed, packed_figures

log = logging.getLogger("rigcast.viewer")
FITTING = "this rig is sampled first, and skinning fitted to it: the drag follows in some seconds"
MOST_ATTEMPTS = 20  # steps in which a drag that rests is solved further


class Stage:
    """Takes messages and makes frames. What only a synthesizer does is refused here, and done by its own stage.

    Parameters
    ----------
    figure : ModelFigure or RigFigure
        What is posed.
    beside : ModelFigure, RigFigure or RecordedFigure, optional
        What follows it: by equal pose rows, else by channels of the same names; the recorded one by the timeline.
    timeline : Timeline, optional
    handles : sequence of HandleSet, of the first figure
    clips : ClipList, optional
        What a page can choose from.
    """

    def __init__(
        self,
        figure: ModelFigure | RigFigure,
        beside: ModelFigure | RigFigure | RecordedFigure | None = None,
        timeline: Timeline | None = None,
        handles: Sequence[HandleSet] = (),
        clips: ClipList | None = None,
    ) -> None:
        self.figure, self.beside = figure, beside
        self.rest = np.array([slider.rest for slider in figure.sliders], np.float32)
        self.ranges = np.array([(s.low, s.high) for s in figure.sliders], np.float32).reshape(-1, 2)
        self.timeline = timeline or Timeline(self.rest)
        self.transport = Transport(self, clips)
        self.state = self._of_timeline() or State(self.rest)
        self.history: History[State] = History(self.state)
        self.drags, self.handles = Drags(figure), Handles(handles)
        self.vertices = figure.vertices(self.state)
        self._sound = self.state, self.vertices  # of the last frame that could be made
        self._picker = _core.SurfacePicker(self.vertices, figure.faces)
        self._packers = [_core.VertexPacker(f.faces, len(f.rest_vertices)) for f in self.figures()]
        self._grab: dict[str, Any] | None = None  # the answer to the page that asked for a point
        self.colors, self._shows_bones = SkinColors(self.figures()), False
        self.notice = ""  # which the pages say with the next frame
        self._unsolved, self._moved, self._attempts, self.number = False, False, 0, 0

    def figures(self) -> list[Any]:
        """The figure that is posed, and the one that follows it."""
        return [self.figure, *([self.beside] if self.beside is not None else [])]

    def scene(self, has_images: bool = True) -> bytes:
        """The message that opens a page: meshes and sliders, without textures if it is to stay small."""
        return scene_message(self.figures(), bool(self.handles), self.scene_facts(), has_images)

    def step(self, given: Iterable[Message], now: float) -> bytes:
        """Apply messages, move on, and return the frame: if the figure fails, of the last pose that it could show."""
        try:
            return self._step(given, now)
        except Exception as error:  # noqa: BLE001  of any rig
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            log.error(text)
            self._let_go()
            self.timeline.playing = self._unsolved = self._moved = False
            self.state, self.vertices = self._sound
            self._picker.refit(self.vertices)
            self.notice = f"{text}; the last pose that could be shown is back"
            return self._frame()

    def _step(self, given: Iterable[Message], now: float) -> bytes:
        for message in given:
            try:
                self.handle(message, now)
            except ValueError as error:
                self.notice = " ".join(str(error).split())
                log.warning("refused: %s: %s", message.kind, self.notice)
        if self.timeline.playing and self.timeline.advance(now):
            self.go_to_timeline()
        self._solve_drags()
        if self._moved:
            self.vertices = self.figure.vertices(self.state)
            check_finite("view", "vertices", self.vertices)
            self._picker.refit(self.vertices)
            self._moved = False
        frame, self._sound = self._frame(), (self.state, self.vertices)
        return frame

    @property
    def is_restless(self) -> bool:
        """True if the next step shows something else though nothing is done: time runs, or a drag is not yet solved."""
        return self.timeline.playing or self._unsolved

    def _solve_drags(self) -> None:
        if not self._unsolved or not self.drags.pins:
            self._unsolved = False
            return
        try:
            self.state, finished = self.drags.solve(self.state, self.vertices)
        except ValueError as error:  # a figure that nothing can drag
            self.drags.clear()
            self.notice, finished = " ".join(str(error).split()), True
        self._attempts += 1
        self._moved, self._unsolved = True, not finished and self._attempts < MOST_ATTEMPTS
        self.notice, self.drags.note = self.notice or self.drags.note, ""

    def shown(self) -> list[Vertices]:
        """Vertices (V, 3) of each figure as they stand, moved by the clip's head."""
        shown = [self.vertices]
        if self.beside is not None:
            shown.append(beside_vertices(self.beside, self.figure, self.state, self.timeline.frame))
        return [self.timeline.moved(vertices) for vertices in shown]

    def value_at(self, message: messages.Probe) -> dict[str, float] | None:
        """The value of the color where a ray meets the surface as it was shown last; None if it misses."""
        hit = self._picker.pick(*self.timeline.ray(message.origin, message.direction))
        return None if hit is None else self.colors.at(hit[1], hit[2])

    def _frame(self) -> bytes:
        self.number += 1
        shown = self.shown()
        follows = is_followed(self.beside, self.figure, self.state, self.timeline.frame)
        marks, colored = self.colors.marks(ShownFigures(self.state, shown, follows))
        arrays, boxes = packed_figures(self._packers, shown, marks)
        header = {
            "type": "frame",
            "frame": self.number,
            "boxes": boxes,
            "row": [round(float(x), 4) for x in self.state.row],
            "pins": self.timeline.placed(self.drags.facts(self.vertices)),
            "handles": self.timeline.placed(self.handles.facts(self.state)),
            "timeline": self.timeline.facts() | {"name": self.transport.clip},
            "undo": self.history.can_undo,
            "redo": self.history.can_redo,
            **colored,
            "bones": joint_places(self.figure, self.state, self.timeline.moved) if self._shows_bones else None,
            "acting": self.acting(),
            "grab": self._grab,
            "notice": self.notice,
        }
        self._grab, self.notice = None, ""
        return packed(header, arrays)

    def _of_timeline(self) -> State | None:
        """The state at the present frame; None if nothing plays."""
        frame, empty = self.timeline.frame, self.timeline.is_empty
        return None if empty else State(self.within(self.timeline.row(frame)), self.timeline.pose(frame))

    def within(self, row: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.clip(row, self.ranges[:, 0], self.ranges[:, 1]).astype(np.float32)

    def _let_go(self) -> None:
        self.drags.clear()
        self.handles.release()

    def go_to_timeline(self) -> None:
        """Stand as the timeline says at its present frame, if it says anything."""
        if (state := self._of_timeline()) is not None:
            self._let_go()
            self.stand(state)

    def stand(self, state: State) -> None:
        """Show another state from the next step on."""
        self.state, self._moved = state, True
        self.drags.rebase()

    def commit(self) -> None:
        """Remember what undo comes back to."""
        self.history.commit(self.state)

    def restore(self, state: State) -> None:
        """Go to what was remembered."""
        self.stand(state)

    def resting(self) -> NDArray[np.float32]:
        """Channels (N,) without what was done by hand."""
        return self.rest

    @functools.singledispatchmethod
    def handle(self, message: Message, now: float) -> None:
        """Follow a message, or raise a ``ValueError`` that says why not; each class has its handler below."""
        raise TypeError(f"no stage follows {message.kind}")

    @handle.register
    def _tell(self, message: messages.Tell, _: float) -> None:
        self.request(message.label)

    @handle.register
    def _restart(self, message: messages.Restart, _: float) -> None:
        self.restart(message.seed)

    @handle.register
    def _refit(self, _: messages.Refit, __: float) -> None:
        self.refit()

    def refit(self) -> None:
        """Refused: only a captured shot has frames to correct."""
        raise Refused("this view shows no captured shot, whose points it knows")

    def request(self, label: str) -> None:
        """Refused: only a synthesizer has labels."""
        raise Refused("this view shows no synthesizer, which could be told a label")

    def restart(self, seed: int) -> None:
        """Refused: only a synthesizer has a seed."""
        raise Refused("this view shows no synthesizer, which could begin again")

    def acting(self) -> dict[str, Any] | None:
        """The state of a synthesizer; None for anything else."""
        return None

    def scene_facts(self) -> dict[str, Any]:
        """Labels for buttons, and labels of moods: none."""
        return {"labels": [], "moods": {}, "clips": self.transport.clips, "bones": self.figure.skeleton is not None}

    @handle.register
    def _set(self, message: messages.Set, _: float) -> None:
        channel = message.channel
        if channel >= len(self.rest):
            raise Refused(f"channel {channel} of {len(self.rest)}")
        row = self.state.row.copy()
        row[channel] = np.clip(message.value, *self.ranges[channel])
        self.stand(State(row))
        if message.done:
            self.commit()

    @handle.register
    def _reset(self, message: messages.Reset, _: float) -> None:
        chosen = np.array(message.channels, np.int64)
        if len(chosen) and chosen.max() >= len(self.rest):
            raise Refused(f"channel {chosen.max()} of {len(self.rest)}")
        row = self.state.row.copy()
        row[chosen] = self.resting()[chosen]
        self.stand(State(row))
        self.commit()

    @handle.register
    def _mirror(self, message: messages.MirrorPose, _: float) -> None:
        self.stand(State(self.within(mirrored_row(self.figure, self.state.row, message.from_))))
        self.commit()

    @handle.register
    def _grab_point(self, message: messages.Grab, _: float) -> None:
        vectors = self.timeline.ray(message.origin, message.direction, message.facing)
        hit = self.drags.grab(message.pin, self._picker, *vectors)
        self._grab = {"pin": message.pin, "hit": hit}
        self.timeline.playing = self.timeline.playing and not hit
        self._say_fitting(hit)

    def _say_fitting(self, is_pulled: bool) -> None:
        if is_pulled and isinstance(self.figure, RigFigure) and not self.figure.has_drag_model:
            self.notice = FITTING

    @handle.register
    def _grip(self, message: messages.Grip, _: float) -> None:
        self.timeline.playing = False
        self.handles.grip(message.handle, self.timeline.ray((0, 0, 0), message.facing)[1], message.firm, self.state)
        self._say_fitting(True)

    @handle.register
    def _pull_handle(self, message: messages.Pull, _: float) -> None:
        ray = self.timeline.ray(message.origin, message.direction)
        if (state := self.handles.pull(message.handle, *ray)) is not None:
            self.stand(state)

    @handle.register
    def _drop(self, message: messages.Drop, _: float) -> None:
        if self.handles.drop(message.handle):
            self.commit()

    @handle.register
    def _drag(self, message: messages.Drag, _: float) -> None:
        if self.drags.move(message.pin, *self.timeline.ray(message.origin, message.direction)):
            self._unsolved, self._attempts = True, 0

    @handle.register
    def _release(self, message: messages.Release, _: float) -> None:
        self.drags.release(message.pin, message.hold)
        self.commit()

    @handle.register
    def _unpin(self, message: messages.Unpin, _: float) -> None:
        self.drags.pins.pop(message.pin, None)

    @handle.register
    def _undo(self, _: messages.Undo, __: float) -> None:
        self._let_go()
        self.restore(self.history.undo())

    @handle.register
    def _redo(self, _: messages.Redo, __: float) -> None:
        self._let_go()
        self.restore(self.history.redo())

    @handle.register
    def _on_time(self, message: messages.TimeMessage, now: float) -> None:
        self.transport.handle(message, now)

    @handle.register
    def _color(self, message: messages.Color, _: float) -> None:
        self.colors.choose(message.mode)

    @handle.register
    def _bones(self, message: messages.ShowBones, _: float) -> None:
        if message.shown and self.figure.skeleton is None:
            raise Refused("this character has no joints")
        self._shows_bones = message.shown
