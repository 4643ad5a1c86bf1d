"""Characters of a synthesizer in the library, and their commands."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Float32, integers, number, numbers, whole
from ._library import Handle, bad_argument, call
from ._play_settings import PlaySettings
from ._script import Script
from ._structures import CArray, CCommand, CPlayPose, listed
from ._structures import numbers as pair

Pose = Union[tuple[str, int], ArrayLike]  # ("clip", frame), or a latent point
KEPT_SECONDS, KEPT_BY_CROWDS = 3600, 60  # per character, for events
MOST_FRAMES = 1_000_000


@dataclass(frozen=True)
class Event:
    """A command that began, a note about it, or one second of motion.

    Attributes
    ----------
    seconds : float
    kind : str
        "command", "note", or "second".
    command : str
        With its arguments; what a note says.
    label : str
    nearest : str
        Clip frame whose mesh is nearest, as "walk 12"; of seconds only, as are the following.
    distance : float
        To that mesh, in the rig's unit.
    variance : float
        Predictive variance of the latent point, as a share of that far from all clips.
    """

    seconds: float
    kind: str
    command: str
    label: str
    nearest: str = ""
    distance: float = 0.0
    variance: float = 0.0

    def as_plain(self) -> dict[str, str | float]:
        """The same as a dictionary."""
        return asdict(self)


class Characters:
    """Characters of one synthesizer in the library."""

    def __init__(
        self,
        function: str,
        synth: Any,
        seeds: NDArray[np.uint64],
        label: str | None,
        scripts: Sequence[Script | None],
        settings: PlaySettings | None,
    ) -> None:
        chosen = PlaySettings() if settings is None else settings
        if not isinstance(chosen, PlaySettings):
            raise bad_argument(function, "settings", f"a {type(settings).__name__}", "a PlaySettings")
        begin = synth.labels[:1] if function == "Player" else synth.labels
        names = begin if label is None else [synth._label(function, label)]
        kept = KEPT_SECONDS if function == "Player" else KEPT_BY_CROWDS
        given = chosen._structure(function, kept)
        self._function, self._synth = function, synth
        self._handle = Handle(
            "player_free", "player_new", synth._handle.pointer, *pair(seeds), listed(names), len(names),
            ctypes.byref(given),
        )  # fmt: skip
        for place in range(len(scripts)):
            self._follow(scripts[place], np.arange(place, len(seeds), len(scripts), dtype=np.int64))

    def _follow(self, script: Script | None, who: NDArray[np.int64]) -> None:
        if script is None or not who.size:
            return
        if not isinstance(script, Script):
            raise bad_argument(self._function, "script", f"a {type(script).__name__}", "a Script: Script.load(path)")
        for given in script.commands:
            made = _command(given["command"], given["label"], given)
            made.frame, made.is_scheduled = round(given["at"] * self._synth.fps), 1
            self._send(made, who)

    def _tell(self, name: str, label: str, arguments: dict[str, Any], later: bool, who: ArrayLike | None) -> None:
        made = _command(name, self._synth._label(name, label), arguments)
        made.is_later = bool(later)
        chosen = None
        if who is not None:
            chosen = integers(self._function, "who", who, ("n",)).astype(np.int64)
            if not chosen.size:
                return
        self._send(made, chosen)

    def _send(self, command: Any, who: NDArray[np.int64] | None) -> None:
        command.who, command.who_count = pair(who)
        call("player_tell", self._handle.pointer, ctypes.byref(command))

    def _step(self, frames: int, without: Sequence[str], count: int) -> Float32:
        function = f"{self._function}.step"
        number_of = whole(function, "frames", frames, 0)
        if number_of > MOST_FRAMES:
            raise bad_argument(function, "frames", number_of, f"at most {MOST_FRAMES}")
        names = [without] if isinstance(without, str) else without
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            raise bad_argument(function, "without", f"a {type(without).__name__}", "a list of names of layers")
        controls = np.empty((count, number_of, len(self._synth.control_names)), np.float32)
        call("player_step", self._handle.pointer, number_of, listed(list(names)), len(names), *pair(controls))
        return controls

    def _where(self, character: int) -> tuple[int, str, int]:
        """Frames that were played, label, and seed."""
        frame, label, seed = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_uint64()
        written = (ctypes.byref(place) for place in (frame, label, seed))
        call("player_where", self._handle.pointer, character, *written)
        return frame.value, self._synth.labels[label.value], seed.value

    def _text(self, name: str, character: int) -> str:
        length, room = ctypes.c_int64(), ctypes.create_string_buffer(1)
        while True:
            call(name, self._handle.pointer, character, room, len(room), ctypes.byref(length))
            if length.value <= len(room):
                return room.raw[: length.value].decode("utf-8")
            room = ctypes.create_string_buffer(length.value)

    def _events(self, character: int) -> list[Event]:
        return [Event(**event) for event in json.loads(self._text("player_events", character))]


def _command(name: str, label: str, given: Any) -> Any:
    """A command for the library, with what it points to."""
    made = CCommand(size=ctypes.sizeof(CCommand), name=name.encode(), label=label.encode("utf-8", "replace"))
    along = given.get("along", "data")
    if not isinstance(along, str):
        raise bad_argument(name, "along", repr(along), '"data" or "straight"')
    made.along = along.encode("utf-8", "replace")
    poses = [given["to"]] if name == "move" else given.get("poses")
    if poses is not None:
        if isinstance(poses, str) or not isinstance(poses, (Sequence, np.ndarray)) or not len(poses):
            raise bad_argument(name, "poses", repr(poses), "a list of poses")
        kept = [_pose(name, "to" if name == "move" else f"poses[{i}]", pose) for i, pose in enumerate(poses)]
        made.poses, made.pose_count, made.kept = (CPlayPose * len(kept))(*kept), len(kept), kept
    if given.get("hold") is not None:
        hold = np.array([number(name, "hold", given["hold"])])
        made.hold, made.kept_hold = CArray(*pair(hold)), hold
    segment = given.get("segment", 0)
    if isinstance(segment, str):
        made.clip = segment.encode("utf-8", "replace")
    else:
        made.clip_number = whole(name, "segment", segment, 0)
    made.begin = whole(name, "begin", given.get("begin", 0), 0)
    made.end = 0 if given.get("end") is None else whole(name, "end", given["end"], 1)
    return made


def _pose(name: str, argument: str, pose: Pose) -> Any:
    if isinstance(pose, (tuple, list)) and len(pose) == 2 and isinstance(pose[0], str):
        return CPlayPose(clip=pose[0].encode("utf-8", "replace"), frame=whole(name, "frame", pose[1], 0))
    point = numbers(name, argument, pose, ("D",), dtype=np.float64)
    made = CPlayPose(point=CArray(*pair(point)))
    made.kept = point
    return made
