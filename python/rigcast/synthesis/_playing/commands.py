"""Arguments of commands, for the engine, which checks what they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigcast._core import PlayCommand
from rigcast._validate import MOST_FRAMES, Arguments, bad_argument, shown
from rigcast.synthesis._playing.playable import Playable

Pose = tuple[str, int] | ArrayLike  # ("clip", frame), or a latent point
EnginePose = tuple[str | None, list[float]]


def idle(synth: Playable, label: str, poses: Sequence[Pose] | None, hold: float | None, along: str) -> PlayCommand:
    """The command of :meth:`Player.idle`."""
    name = checked_label("idle", synth, label)
    points = None
    if poses is not None:
        if isinstance(poses, str) or not isinstance(poses, Sequence | np.ndarray) or not len(poses):
            raise bad_argument("idle", "poses", shown(poses), "a list of poses")
        points = [_pose("idle", f"poses[{i}]", pose) for i, pose in enumerate(poses)]
    seconds = None if hold is None else Arguments("idle").number("hold", hold)
    return synth.engine.idle(name, points, seconds, _along("idle", along))


def move(synth: Playable, label: str, to: Pose, along: str) -> PlayCommand:
    """The command of :meth:`Player.move`."""
    return synth.engine.move(checked_label("move", synth, label), _pose("move", "to", to), _along("move", along))


def transition(synth: Playable, label: str) -> PlayCommand:
    """The command of :meth:`Player.transition`."""
    return synth.engine.transition(checked_label("transition", synth, label))


def play(synth: Playable, label: str, segment: Any, begin: int, end: int | None) -> PlayCommand:
    """The command of :meth:`Player.play`."""
    name, check = checked_label("play", synth, label), Arguments("play")
    clip = segment if isinstance(segment, str) else None
    number = 0 if clip is not None else check.whole("segment", segment, most=MOST_FRAMES)
    first = check.whole("begin", begin, most=MOST_FRAMES)
    last = None if end is None else check.whole("end", end, most=MOST_FRAMES)
    return synth.engine.play(name, clip, number, first, last)


def checked_label(function: str, synth: Playable, label: object) -> str:
    """One of the labels."""
    if label not in synth.labels:
        raise bad_argument(function, "label", shown(label), f"one of {', '.join(synth.labels)}")
    return str(label)


def _pose(function: str, argument: str, pose: Pose) -> EnginePose:
    check = Arguments(function)
    if isinstance(pose, tuple | list) and len(pose) == 2 and isinstance(pose[0], str):
        return pose[0], [check.whole("frame", pose[1], most=MOST_FRAMES)]
    must = "(segment, frame), or a latent point, numbers (D,)"
    return None, check.numbers(argument, pose, "D", must=must).tolist()


def _along(function: str, along: object) -> str:
    if not isinstance(along, str):
        raise bad_argument(function, "along", shown(along), '"data" or "straight"')
    return along
