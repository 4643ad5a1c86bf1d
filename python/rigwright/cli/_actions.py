"""Actions that a character's own file holds, as a command's arguments name them."""

from __future__ import annotations

import argparse
import difflib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright.cli._console import Console


def add_action_arguments(parser: Any, what: str) -> None:
    """``--action NAME``, which may be repeated, and ``--actions``."""
    parser.add_argument("--action", metavar="NAME", action="append", default=[], help=f"{what} (.blend, .glb)")
    parser.add_argument("--actions", dest="all_actions", action="store_true", help="all actions of the file")


def wants_actions(args: argparse.Namespace) -> bool:
    """Whether actions were asked for."""
    return bool(args.action or args.all_actions)


def chosen_actions(args: argparse.Namespace, rig: Any) -> list[str]:
    """Names of the actions that were asked for.

    Raises
    ------
    ValueError
        If the rig's file has none, or none of that name.
    """
    known = list(getattr(rig, "actions", {}))
    if not known:
        raise ValueError(f"the file of {getattr(rig, 'name', 'the rig')} holds no actions")
    for name in args.action:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"the file holds {', '.join(map(repr, known))}"
            raise ValueError(f"--action {name!r} is no action of the file; {meant}")
    return known if args.all_actions else list(dict.fromkeys(args.action))


def action_rows(names: list[str], rig: Any, console: Console) -> NDArray[np.float64]:
    """Channel rows (T, N) of actions, one after another; says what they move that is no channel."""
    rows = []
    for name in names:
        action = rig.action(name)
        console.line(f"action {name}: {len(action)} frames at {action.fps:g} per second")
        note_missed(name, action.missed, console)
        rows.append(action.channels)
    return np.concatenate(rows)


def note_missed(name: str, missed: list[str], console: Console) -> None:
    """Name what an action moves that is no channel."""
    if missed:
        console.line(f"note: action {name} also moves what is no channel: {', '.join(missed)}")
