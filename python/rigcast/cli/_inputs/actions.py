"""Actions that a character's own file holds, or files of motion, as a command's arguments name them."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.motions.action import distinct_actions
from rigcast.cli._console import Console
from rigcast.cli._inputs.motion import MOTIONS, add_retargeting_arguments, animation_channels
from rigcast.cli._result import WrongInput
from rigcast.sampling import Animation, Clip
from rigcast.sources._motions import is_motion


@dataclass(frozen=True)
class ChosenAction:
    """An action that was asked for.

    Attributes
    ----------
    name : str
    channels : (T, N) float64 array
    missed : list of str
        What it moves that is no channel.
    is_file : bool
        Whether it comes from a file of motion: then its channels are all there is, else the host can play it.
    fps : float, optional
        Of an action of the rig's own file.
    retargeted : dict, optional
        How well the rig follows a file of another skeleton.
    """

    name: str
    channels: NDArray[np.float64]
    missed: list[str]
    is_file: bool
    fps: float | None = None
    retargeted: dict[str, Any] | None = None

    def played(self, rig: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and vertices (T, V, 3): as the host plays it, or of the channels of a file of motion."""
        poses, vertices = rig.sample(self.channels) if self.is_file else rig.played(self.name)
        return poses, vertices


def add_action_arguments(parser: Any, what: str, clip: bool = True) -> None:
    """``--action NAME``, which may be repeated, and ``--actions``."""
    parser.add_argument(
        "--action",
        metavar="NAME",
        action="append",
        default=[],
        help=f"{what} (.blend, .glb, .fbx), or a motion ({MOTIONS})",
    )
    parser.add_argument("--actions", dest="all_actions", action="store_true", help="all actions of the file")
    add_retargeting_arguments(parser, clip)


def wants_actions(args: argparse.Namespace) -> bool:
    """True if actions were asked for."""
    return bool(args.action or args.all_actions)


def chosen_actions(args: argparse.Namespace, rig: Any, console: Console) -> list[ChosenAction]:
    """The actions that were asked for, each once under whatever names; says what they move that is no channel.

    Raises
    ------
    ValueError
        If the rig's file has none, or none of that name, or a file is malformed.
    """
    own = distinct_actions(rig) if args.all_actions else []
    if args.all_actions and not own:
        raise WrongInput(f"--actions: the file of {getattr(rig, 'name', 'the rig')} holds no actions")
    known: dict[object, str] = {}
    together = set(getattr(rig, "played_together", []))
    for name in [*own, *args.action]:
        is_file = _is_file(name, rig)
        known.setdefault(Path(name).resolve() if is_file else "together" if name in together else name, name)
    return [_chosen(name, args, rig, console) for name in known.values()]


def own_actions(args: argparse.Namespace, rig: Any, console: Console) -> list[ChosenAction]:
    """All actions of the rig's own file, if it has any; those that it plays together once."""
    return [_chosen(name, args, rig, console) for name in distinct_actions(rig)]


def action_sampler(actions: Sequence[ChosenAction], noise: float) -> Animation:
    """The channels of actions, one after another, each a clip."""
    clips = [Clip(action.name, action.fps) for action in actions]
    rows = np.repeat(np.arange(len(actions)), [len(action.channels) for action in actions])
    return Animation(np.concatenate([action.channels for action in actions]), noise, clips, rows)


def _is_file(name: str, rig: Any) -> bool:
    """True if an action is a file of motion, and none of the rig's own has that name."""
    return is_motion(name) and name not in getattr(rig, "actions", {})


def _chosen(name: str, args: argparse.Namespace, rig: Any, console: Console) -> ChosenAction:
    if _is_file(name, rig):
        path = Path(name)
        if not path.is_file():
            raise FileNotFoundError(f"--action {name} does not exist")
        found = animation_channels(path, args, rig, console)
        return ChosenAction(path.name, found.channels, found.missed, is_file=True, retargeted=found.retargeted)
    known = list(getattr(rig, "actions", {}))
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]!r}?" if near else f"it holds {', '.join(map(repr, known)) or 'none'}"
        raise WrongInput(f"--action {name!r} is no action of the file; {meant}")
    action = rig.action(name)
    console.line(f"action {name}: {len(action)} frames at {action.fps:g} per second")
    others = [other for other in getattr(rig, "played_together", []) if other != name]
    if others and name in rig.played_together:
        console.line(f"note: the file plays {name} together with {', '.join(others)}: one motion")
    if action.missed:
        console.line(f"note: action {name} also moves what is no channel: {', '.join(action.missed)}")
    return ChosenAction(name, action.channels, action.missed, is_file=False, fps=action.fps)
