"""Motion of other skeletons, and channel rows, from the files that a command names."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.array import read_array
from rigcast._formats.readers import suffix_of
from rigcast._formats.registry import MOTION, readers
from rigcast._rigs.motions.motion import Motion
from rigcast._safe_reading import read_json
from rigcast.cli._arguments import existing_file
from rigcast.cli._console import Console
from rigcast.cli._result import WrongInput

if TYPE_CHECKING:
    from rigcast.sources import Retargeted

#: what may follow a motion of another skeleton: :func:`rigcast.sources.load_motion` opens it
MOTIONS = ", ".join(readers(MOTION))
STILL = 1e-3  # of a rotation's entries, and of a location in the motion's unit


@dataclass(frozen=True)
class Animated:
    """Channel rows of a file.

    Attributes
    ----------
    channels : (T, N) float64 array
    missed : list of str
        Names of what the file moves that is no channel.
    made : Retargeted, optional
        Of a motion of another skeleton.
    """

    channels: NDArray[np.float64]
    missed: list[str] = field(default_factory=list)
    made: Retargeted | None = None

    @property
    def retargeted(self) -> dict[str, Any] | None:
        """Facts about the retargeting, if there was one."""
        return None if self.made is None else self.made.report()

    @property
    def fps(self) -> float | None:
        """Frames per second of a motion, None of rows."""
        return None if self.made is None else 1.0 / self.made.frame_time


def add_retargeting_arguments(parser: Any, clip: bool = True) -> None:
    """``--clip``, ``--joint-map``, ``--allow-frozen`` and ``--rest-frame``."""
    if clip:
        parser.add_argument("--clip", metavar="NAME", help="the clip of a motion, if its file holds several")
    parser.add_argument(
        "--joint-map",
        metavar="JSON",
        type=existing_file,
        help="names of a motion's joints to the rig's or the model's (default: guessed)",
    )
    parser.add_argument(
        "--allow-frozen",
        action="store_true",
        help="take a motion of another skeleton though arms or legs of the rig stand still that it moves",
    )
    parser.add_argument(
        "--rest-frame",
        type=int,
        metavar="N",
        help="of a motion of another skeleton: the frame that stands for its rest pose, -1 for its own (default: its "
        "own, or the frame that stands most like the rig at rest)",
    )


def animation_channels(path: Path, args: argparse.Namespace, rig: Any, console: Console) -> Animated:
    """Channel rows of an animation file; says how well the rig follows it.

    Parameters
    ----------
    path : Path
        Motion that :func:`rigcast.sources.load_motion` opens, retargeted by joint names, or ``.npy`` with channel rows
        (T, N).
    args : Namespace
        Of the command: ``clip``, ``allow_frozen``, ``rest_frame`` and ``joint_map``, a JSON object from the motion's
        joint names to the rig's.

    Raises
    ------
    ValueError
        If a file is malformed or does not fit the rig, or limbs stand still that the motion moves.
    """
    if suffix_of(path) == ".npy":
        return Animated(_rows(path))
    made, missed = retargeted_motion(path, args, rig, console)
    return Animated(made.channels, missed, made)


def retargeted_motion(path: Path, args: argparse.Namespace, rig: Any, console: Console) -> tuple[Retargeted, list[str]]:
    """The motion of a file on the rig, and names of what it moves that is left out; says both."""
    from rigcast import sources

    motion = sources.load_motion(path, clip=args.clip)
    pairs = None if args.joint_map is None else joint_names_map(args.joint_map)
    made = sources.retarget(
        motion, rig, pairs, root_translation=None, allow_frozen=args.allow_frozen, rest_frame=args.rest_frame
    )
    console.line(f"{path.name}: {len(motion)} frames, {len(made.joint_map)} joints mapped; {made.summary()}")
    for line in made.lines():
        console.line(f"note: {path.name}: {line}")
    missed = _missed(motion, made)
    if missed:
        console.line(f"note: {path.name} also moves what is left out here: {', '.join(missed)}")
    return made, missed


def _missed(motion: Motion, made: Retargeted) -> list[str]:
    """Joints that the motion turns or shifts and that have no partner, or one without channels."""
    gap = np.abs(motion.local - motion.local[:1])
    turned = (gap[..., :3].max(axis=(0, 2, 3)) > STILL) & (len(motion) > 1)
    moving = [name for name, moves in zip(motion.joint_names, turned, strict=True) if moves]
    found = [f"joint {name!r} (mapped to no joint: --joint-map)" for name in moving if name not in made.joint_map]
    found += [f"joint {name!r} (no channel)" for name in moving if made.joint_map.get(name) in made.still]
    root = motion.joint_names[0]
    shifts = len(motion) > 1 and float(np.ptp(motion.local[:, 0, :, 3], axis=0).max()) > STILL
    return found + [f"location of {root!r} ({made.rootless})"] * (shifts and bool(made.rootless))


def _rows(path: Path) -> NDArray[np.float64]:
    try:
        return read_array(path).astype(np.float64)
    except ValueError as error:
        raise WrongInput(f"--motion {error}") from error


def joint_names_map(path: Path) -> dict[str, str]:
    """A JSON object from a motion's joint names to those of a rig.

    Raises
    ------
    ValueError
        If the file is none.
    """
    try:
        content = read_json(path)
    except ValueError as error:
        raise WrongInput(f"--joint-map {error}") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content.values()):
        raise WrongInput(f"--joint-map {path}: not a JSON object of joint names")
    return content
