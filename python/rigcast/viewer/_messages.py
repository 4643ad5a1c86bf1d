"""The messages of the page, one class each: their fields with bounds, and which of two that wait is dropped.

Pins, points of the skin, are grabbed, dragged and released; handles, drawn beside the skin, are gripped, pulled and
dropped. The server handles messages about shown frames, probes, exports, movies and files, the stage all others.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, get_type_hints

from rigcast.viewer._protocol import (
    Check,
    Direction,
    Flag,
    Message,
    Number,
    Refused,
    Size,
    Vector,
    Whole,
    is_label,
    is_list_of_channels,
    is_name,
    one_of,
)

LARGEST_MESSAGE = 65536  # bytes


@dataclass(frozen=True)
class ShownFrame(Message, kind="shown"):
    """The page has shown a frame."""

    frame: Whole


@dataclass(frozen=True)
class Set(Message, kind="set"):
    """A slider stands at a value; ``done`` when it is let go."""

    channel: Whole
    value: Number
    done: Flag

    def merge_key(self) -> Hashable | None:
        return None if self.done else (self.kind, self.channel)


@dataclass(frozen=True)
class Reset(Message, kind="reset"):
    """Channels go back to rest."""

    channels: Annotated[list[int], is_list_of_channels]


@dataclass(frozen=True)
class MirrorPose(Message, kind="mirror"):
    """The pose of one side goes to the other."""

    from_: Annotated[str, one_of("left", "right")]


@dataclass(frozen=True)
class Grab(Message, kind="grab"):
    """A pin is to be set where a ray meets the surface; a pin that holds is taken again."""

    pin: Whole
    origin: Vector
    direction: Direction
    facing: Direction


@dataclass(frozen=True)
class Drag(Message, kind="drag", is_timed=True):
    """A pin follows a ray."""

    pin: Whole
    origin: Vector
    direction: Direction

    def merge_key(self) -> Hashable:
        return self.kind, self.pin


@dataclass(frozen=True)
class Release(Message, kind="release"):
    """A pin is let go, and goes on to hold its point of the skin if ``hold``."""

    pin: Whole
    hold: Flag


@dataclass(frozen=True)
class Unpin(Message, kind="unpin"):
    """A pin is removed."""

    pin: Whole


@dataclass(frozen=True)
class Grip(Message, kind="grip"):
    """A handle is gripped."""

    handle: Whole
    facing: Direction
    firm: Flag


@dataclass(frozen=True)
class Pull(Message, kind="pull", is_timed=True):
    """A handle follows a ray."""

    handle: Whole
    origin: Vector
    direction: Direction

    def merge_key(self) -> Hashable:
        return self.kind, self.handle


@dataclass(frozen=True)
class Drop(Message, kind="drop"):
    """A handle is let go."""

    handle: Whole


@dataclass(frozen=True)
class Undo(Message, kind="undo"):
    """The state before the last change comes back."""


@dataclass(frozen=True)
class Redo(Message, kind="redo"):
    """The state that undo left comes back."""


class TimeMessage(Message):
    """A message about the timeline."""


@dataclass(frozen=True)
class ChooseClip(TimeMessage, kind="clip"):
    """Another clip is to play; none by an empty name."""

    name: Annotated[str, is_name]


@dataclass(frozen=True)
class Play(TimeMessage, kind="play"):
    """The timeline runs, or stops."""

    playing: Flag


@dataclass(frozen=True)
class Seek(TimeMessage, kind="seek"):
    """The timeline goes to a frame."""

    at: Number

    def merge_key(self) -> Hashable:
        return self.kind


@dataclass(frozen=True)
class Speed(TimeMessage, kind="speed"):
    """The timeline runs at another speed."""

    speed: Number


@dataclass(frozen=True)
class FrameRange(TimeMessage, kind="frames"):
    """The timeline gets another length."""

    frames: Whole


@dataclass(frozen=True)
class Key(TimeMessage, kind="key"):
    """The pose becomes a key of the timeline."""


@dataclass(frozen=True)
class Unkey(TimeMessage, kind="unkey"):
    """The key of the present frame goes."""


@dataclass(frozen=True)
class Refit(Message, kind="refit"):
    """The actor's shapes are fitted to the frames that have a key, and the captured shot is solved again."""


@dataclass(frozen=True)
class Color(Message, kind="color"):
    """Vertices are colored by something else."""

    mode: Annotated[str, one_of("plain", "material", "error", "confidence", "bound")]


@dataclass(frozen=True)
class ShowBones(Message, kind="bones"):
    """Joints of the first figure are shown, or no longer."""

    shown: Flag


@dataclass(frozen=True)
class Probe(Message, kind="probe"):
    """The page asks for the value of the color where a ray meets the surface."""

    origin: Vector
    direction: Direction


@dataclass(frozen=True)
class Tell(Message, kind="tell", is_timed=True):
    """A synthesizer idles at a label from now on."""

    label: Annotated[str, is_label]

    def merge_key(self) -> Hashable:
        return self.kind


@dataclass(frozen=True)
class Restart(Message, kind="restart"):
    """A synthesizer begins again with a seed."""

    seed: Whole

    def merge_key(self) -> Hashable:
        return self.kind


@dataclass(frozen=True)
class FilmStep(Message, kind="movie"):
    """A movie of the page begins, ends or is thrown away."""

    step: Annotated[str, one_of("begin", "end", "cancel")]


@dataclass(frozen=True)
class Announced(Message):
    """So many bytes follow, in binary messages."""

    size: Size


@dataclass(frozen=True)
class FilmPicture(Announced, kind="picture"):
    """A picture of a movie."""


@dataclass(frozen=True)
class OpenFile(Announced, kind="file"):
    """A file to be opened: as a motion alone if ``motion``; ``first`` of those that were dropped together, or not."""

    name: Annotated[str, is_name]
    motion: Flag
    first: Flag


@dataclass(frozen=True)
class Export(Message, kind="export"):
    """A request to write what is shown as a file of a format."""

    format: Annotated[str, one_of("npz", "bvh", "glb", "blend")]


def parsed(text: str | bytes) -> Message:
    """One message of the page, every entry checked for its type and range.

    Raises
    ------
    Refused
        If it is no such message.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("it is no JSON") from None
    if not isinstance(value, dict):
        raise Refused("it is no JSON object")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in Message.KINDS:
        raise Refused(f"its type is {str(kind)[:40]!r}")
    checks = _checks(kind)
    if value.keys() != {"type", *checks}:
        raise Refused(f"{kind} has other entries than {', '.join(checks) or 'none'}")
    for entry, (_, check) in checks.items():
        if not check(value[entry]):
            raise Refused(f"{kind}: {entry} is {str(value[entry])[:40]}")
    return Message.KINDS[kind](**{name: value[entry] for entry, (name, _) in checks.items()})


@functools.cache
def _checks(kind: str) -> dict[str, tuple[str, Check]]:
    """Of each JSON entry the field, and the check of its value. A field that Python reserves ends in an underscore."""
    hints = get_type_hints(Message.KINDS[kind], include_extras=True)
    return {
        name.rstrip("_"): (name, hint.__metadata__[0]) for name, hint in hints.items() if hasattr(hint, "__metadata__")
    }
