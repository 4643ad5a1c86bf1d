"""Opening the face rig that a command names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rigcast import sources
from rigcast._formats.registry import FACE, takers
from rigcast.cli._result import WrongInput
from rigcast.faces._convert import packed_by


def add_drop_unreadable(parser: argparse._ActionsContainer) -> None:
    """``--drop-unreadable``, with the same words in every command."""
    parser.add_argument(
        "--drop-unreadable",
        action="store_true",
        help="of a face in a .blend: leave out shape keys whose driver is no combination of shape keys, such as those "
        "that bones drive, and name them",
    )


def open_rig(
    path: Path, mesh: str | Sequence[str] | None = None, drop_unreadable: bool = False, run_scripts: bool = False
) -> Any:
    """The blendshape rig of a file, or of one mesh of it.

    Raises
    ------
    ValueError
        If the file is no rig, or an option was given that its format does not have.
    """
    given: dict[str, Any] = {"mesh": mesh or None, "drop_unreadable": drop_unreadable, "run_scripts": run_scripts}
    given = {name: value for name, value in given.items() if value}
    for name in given:
        if path.suffix.lower() not in takers(FACE, name):
            raise WrongInput(f"--{name.replace('_', '-')} does not apply to {path.suffix or 'such'} files")
    if mesh and not isinstance(mesh, str):
        if len(mesh) > 1:
            raise WrongInput(f"--mesh names {len(mesh)} meshes; a blendshape rig is one")
        given["mesh"] = mesh[0]
    return sources.load_blendshapes(path, **given)


def refuse_packed(folder: Path) -> None:
    """Raise a ValueError that says how to go on from a packed face data set, which is no file of a rig."""
    if call := packed_by(folder):
        raise WrongInput(
            f"{folder} is a packed face data set: {call}({str(folder)!r}) reads it, and rc.exports.write_rig makes a "
            "file of the result that every command takes"
        )
