"""Clips of controls: what a label is learned from, at one rate and inside the limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.action import Action
from rigcast._rigs.motions.resampling import resampled
from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments, bad_argument, shown
from rigcast.sources import Retargeted
from rigcast.synthesis._clips.rotations import Rotations

Float32 = NDArray[np.float32]


@one_line
@dataclass(frozen=True, eq=False)
class Clip:
    """Frames of controls, and where they come from.

    Attributes
    ----------
    controls : (T, N) array
        Channels of a rig with joints, weights of a face.
    fps : float, optional
        Frames per second; default: that of :func:`rigcast.synthesis.fit`.
    name : str
        Default: the label and the clip's number in it.
    origin : str
        File, data set or person: kept in the model's file.
    licence : str
    note : str
        What was lost on the way, in words.

    Examples
    --------
    >>> import numpy as np
    >>> smile = rc.synthesis.Clip(np.zeros((48, 52)), fps=60, name="smile", origin="take 3")
    >>> smile[12:36].controls.shape
    (24, 52)
    """

    controls: NDArray[np.floating[Any]]
    fps: float | None = None
    name: str = ""
    origin: str = ""
    licence: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.controls)

    def __getitem__(self, frames: slice) -> Clip:
        """Some successive frames."""
        if not isinstance(frames, slice) or frames.step not in (None, 1):
            raise bad_argument("Clip", "frames", shown(frames), "a slice of successive frames")
        return replace(self, controls=self.controls[frames])


def checked_clips(
    function: str, given: Mapping[str, Iterable[Any]], fps: float, width: int | None
) -> dict[str, list[Clip]]:
    """The clips of each label, all of one width and with a rate.

    Parameters
    ----------
    function : str
        Public name, for errors.
    given : mapping from label to clips
        Each a :class:`Clip`, a :class:`rigcast.sources.Retargeted`, a :class:`rigcast.sources.Action`, or an array
        (T, N) of ``fps`` frames per second.
    fps : float
    width : int, optional
        Controls of the rig.

    Raises
    ------
    ValueError
        If there is no label, a label has no frames, or controls differ in number or are not finite.
    """
    if not isinstance(given, Mapping) or not given:
        raise bad_argument(function, "clips", shown(given), "a mapping from labels to lists of clips")
    check = Arguments(function, **({} if width is None else {"N": width}))
    labels = check.names("clips", list(given))
    found: dict[str, list[Clip]] = {}
    for label, values in zip(labels, given.values(), strict=True):
        if isinstance(values, np.ndarray | str | Clip) or not isinstance(values, Sequence) or not len(values):
            raise bad_argument(function, f"clips[{label!r}]", f"a {type(values).__name__}", "a list of clips")
        found[label] = [_clip(check, label, i, value, fps) for i, value in enumerate(values)]
    return found


def rate_of(function: str, given: Mapping[str, Iterable[Any]]) -> float:
    """Frames per second that the clips state; the default where none states any.

    Raises
    ------
    ValueError
        If they state several.
    """
    rates: set[float] = set()
    for value in (value for values in (given.values() if isinstance(given, Mapping) else ()) for value in values):
        stated = 1.0 / value.frame_time if isinstance(value, Retargeted) else getattr(value, "fps", None)
        if isinstance(stated, int | float) and not any(np.isclose(stated, rate, rtol=1e-6) for rate in rates):
            rates.add(float(stated))
    if len(rates) > 1:
        several = ", ".join(f"{rate:g}" for rate in sorted(rates))
        raise bad_argument(
            function, "fps", f"None, and clips have {several} per second", "given: one rate for all of them"
        )
    return rates.pop() if rates else FPS


def _clip(check: Arguments, label: str, number: int, value: Any, fps: float) -> Clip:
    argument = f"clips[{label!r}][{number}]"
    if isinstance(value, Retargeted):
        value = Clip(value.channels, 1.0 / value.frame_time)
    elif isinstance(value, Action):
        value = Clip(value.channels, value.fps, value.name)
    elif not isinstance(value, Clip):
        value = Clip(value)
    check.sizes.pop("T", None)  # every clip has frames of its own
    controls = check.numbers(argument, value.controls, "T+ N+", dtype=np.float32)
    rate = fps if value.fps is None else check.rate(f"{argument}.fps", value.fps)
    made: Clip = replace(value, controls=controls, fps=rate, name=value.name or f"{label} {number}")
    return made


def resampled_clip(clip: Clip, fps: float, rotations: Rotations, limits: NDArray[np.float64] | None) -> Clip:
    """The clip at another rate: rotations turn at constant speed between frames, other controls move linearly.

    A clip of that rate keeps its bytes. Frames lie at n / ``fps`` seconds from the first one on.
    """
    given = np.asarray(clip.controls, np.float32)
    if clip.fps is None or np.isclose(clip.fps, fps, rtol=1e-6):
        return replace(clip, controls=given, fps=fps)
    count = len(rotations)
    joints = np.zeros((len(given), count, 3, 4))
    joints[..., :3] = rotations.matrices(given)
    rows = np.concatenate([joints.reshape(len(given), 12 * count), given], axis=1)
    moved = resampled(rows, count, clip.fps, fps)
    controls = moved[:, 12 * count :].copy()
    turned = moved[:, : 12 * count].reshape(len(moved), count, 3, 4)[..., :3]
    rotations.write_angles(controls, turned, limits, continuous=True)
    return replace(clip, controls=controls, fps=fps)
