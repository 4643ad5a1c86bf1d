"""Opening the face rig that a command names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rigcast import sources
from rigcast.cli._result import WrongInput
from rigcast.faces._convert import packed_by

OF_MANY_MESHES = (".glb", ".gltf", ".vrm", ".blend", ".fbx")
DRIVEN = ".blend"  # the format whose shape keys may have drivers


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
    suffix = path.suffix.lower()
    given: dict[str, Any] = {}
    if mesh:
        if suffix not in OF_MANY_MESHES:
            raise WrongInput(f"--mesh does not apply to {path.suffix or 'such'} files")
        if not isinstance(mesh, str) and len(mesh) > 1:
            raise WrongInput(f"--mesh names {len(mesh)} meshes; a blendshape rig is one")
        given["mesh"] = mesh if isinstance(mesh, str) else mesh[0]
    if drop_unreadable:
        if suffix != DRIVEN:
            raise WrongInput(f"--drop-unreadable does not apply to {path.suffix or 'such'} files")
        given["drop_unreadable"] = True
    if run_scripts:
        if suffix != DRIVEN:
            raise WrongInput(f"--run-scripts does not apply to {path.suffix or 'such'} files")
        given["run_scripts"] = True
    return sources.load_blendshapes(path, **given)


def refuse_packed(folder: Path) -> None:
    """Raise a ValueError that says how to go on from a packed face data set, which is no file of a rig."""
    if call := packed_by(folder):
        raise WrongInput(
            f"{folder} is a packed face data set: {call}({str(folder)!r}) reads it, and rc.exports.write_rig makes a "
            "file of the result that every command takes"
        )
