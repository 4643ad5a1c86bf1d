"""The commands of a player, their tasks, and the record of commands and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument, shown
from rigcast.synthesis._playing.playable import Playable
from rigcast.synthesis._playing.simulate import SimulationBatch

Float64 = NDArray[np.float64]
Pose = tuple[str, int] | ArrayLike  # ("clip", frame), or a latent point
ALONG = ("data", "straight")
KEPT_EVENTS = 1000  # commands and notes
Event = dict[str, Any]
Task = dict[str, Any]

CLOSE = 0.35  # of the usual radius: the ball before a join to a clip


class LabelTable:
    """Latent points and frames of clips, by the names that commands use; every error names function and argument."""

    def __init__(self, synth: Playable) -> None:
        self.synth = synth

    def label(self, function: str, label: object) -> str:
        """One of the labels."""
        if label not in self.synth.labels:
            raise bad_argument(function, "label", shown(label), f"one of {', '.join(self.synth.labels)}")
        return str(label)

    def segment(self, function: str, label: str, segment: object) -> tuple[int, int]:
        """First row and end of a segment, given its name or number."""
        segments = self.synth.space(label).segments
        names = [s.name for s in segments]
        index = names.index(segment) if isinstance(segment, str) and segment in names else segment
        if isinstance(index, str):
            raise bad_argument(function, "segment", shown(segment), f"one of {', '.join(names)}")
        number = Arguments(function).whole("segment", index, most=len(segments) - 1)
        return int(segments[number].begin), int(segments[number].end)

    def row(self, function: str, label: str, segment: object, frame: object) -> int:
        """Row of a frame of a segment."""
        begin, end = self.segment(function, label, segment)
        return begin + Arguments(function).whole("frame", frame, most=end - begin - 1)

    def point(self, function: str, argument: str, label: str, pose: Pose) -> Float64:
        """Latent point of (segment, frame), or of its coordinates."""
        points = np.asarray(self.synth.space(label).points)
        if isinstance(pose, tuple | list) and len(pose) == 2 and isinstance(pose[0], str):
            return np.array(points[self.row(function, label, pose[0], pose[1])], np.float64)
        must = f"(segment, frame), or a latent point of {points.shape[1]} numbers"
        check = Arguments(function, D=points.shape[1])
        return np.array(check.numbers(argument, pose, "D", must=must), np.float64)


@dataclass(frozen=True)
class PlayCommand:
    """A command with its arguments, as events and scripts name it."""

    name: str
    label: str
    arguments: dict[str, Any]
    words: str = ""

    def __str__(self) -> str:
        if self.words:
            return self.words
        rest = "".join(f", {key}={value}" for key, value in self.arguments.items() if value is not None)
        return f"{self.name}({self.label}{rest})"


def idle(places: LabelTable, label: str, poses: Sequence[Pose] | None, hold: float | None, along: str) -> PlayCommand:
    """Checked arguments of :meth:`Player.idle`."""
    name = places.label("idle", label)
    along = _along("idle", along)
    points = None
    if poses is not None:
        if isinstance(poses, str) or not isinstance(poses, Sequence | np.ndarray) or not len(poses):
            raise bad_argument("idle", "poses", shown(poses), "a list of poses")
        points = [places.point("idle", f"poses[{i}]", name, pose).tolist() for i, pose in enumerate(poses)]
    seconds = None if hold is None else Arguments("idle").number("hold", hold, least=0.0, most=1e6)
    return PlayCommand("idle", name, {"poses": points, "hold": seconds, "along": along})


def move(places: LabelTable, label: str, to: Pose, along: str) -> PlayCommand:
    """Checked arguments of :meth:`Player.move`."""
    name = places.label("move", label)
    return PlayCommand(
        "move", name, {"to": places.point("move", "to", name, to).tolist(), "along": _along("move", along)}
    )


def transition(places: LabelTable, label: str) -> PlayCommand:
    """Checked arguments of :meth:`Player.transition`."""
    return PlayCommand("transition", places.label("transition", label), {})


def play(places: LabelTable, label: str, segment: Any, begin: int, end: int | None) -> PlayCommand:
    """Checked arguments of :meth:`Player.play`."""
    name = places.label("play", label)
    first, stop = places.segment("play", name, segment)
    check = Arguments("play")
    from_frame = check.whole("begin", begin, most=stop - first - 1)
    to_frame = stop - first if end is None else check.whole("end", end, least=from_frame + 1, most=stop - first)
    clip = next(s.name for s in places.synth.space(name).segments if s.begin == first)
    rows = {"begin": first + from_frame, "end": first + to_frame}
    return PlayCommand("play", name, rows, f"play({name}, {clip}, frames {from_frame} to {to_frame - 1})")


def _along(function: str, along: object) -> str:
    if along not in ALONG:
        raise bad_argument(function, "along", shown(along), '"data" or "straight"')
    return str(along)


class EventRecord:
    """Commands and notes by number; the oldest are forgotten."""

    def __init__(self) -> None:
        self.events: dict[int, Event] = {}
        self.next = 0

    def add(self, event: Event, used: Iterable[int] = ()) -> int:
        """Number of a new event.

        Parameters
        ----------
        event : dict
        used : iterable of int
            Numbers of events that wait or are at work: these are kept.
        """
        number = self.next
        self.next += 1
        self.events[number] = event
        kept = {*used, number}
        while len(self.events) > KEPT_EVENTS:
            old = next((other for other in self.events if other not in kept), None)
            if old is None:
                break
            del self.events[old]
        return number

    def command(self, number: int) -> str:
        """The command of a number; "" if there is none, or it was forgotten."""
        return str(self.events[number]["command"]) if number in self.events else ""

    def as_plain(self) -> dict[str, Any]:
        """The argument of :meth:`of_plain`, in JSON's values."""
        return {"next": self.next, "events": [[number, dict(event)] for number, event in self.events.items()]}

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> EventRecord:
        """The record of :meth:`as_plain`."""
        found = cls()
        found.next = plain["next"]
        found.events = {number: dict(event) for number, event in plain["events"]}
        return found


def tasks_of(batch: SimulationBatch, command: PlayCommand) -> list[Task]:
    """Tasks of a command, in their order."""
    arguments, settings = command.arguments, batch.settings
    enter: Task = {"do": "enter", "label": command.label}
    if command.name == "transition":
        return [enter]
    if command.name == "move":
        return [enter, {"do": "go", "to": arguments["to"], "along": arguments["along"]}]
    if command.name == "play":
        start = batch.grounds[command.label].points[arguments["begin"]].tolist()
        close: Task = {"do": "hold", "frames": settings.settle, "share": CLOSE}
        clip: Task = {"do": "clip", "begin": arguments["begin"], "end": arguments["end"]}
        go: Task = {"do": "go", "to": start, "along": "data"}
        return [enter, go, close, {"do": "join", "begin": arguments["begin"]}, clip]
    hold = settings.hold if arguments["hold"] is None else arguments["hold"]
    frames = round(hold * batch.synth.fps)
    visit = {"poses": arguments["poses"], "frames": frames, "along": arguments["along"], "visited": 0, "order": 0}
    return [enter, {"do": "wander", **visit}]
