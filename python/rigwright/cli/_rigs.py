"""Opening the rig that a command names."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from rigwright.cli._arguments import degrees_or_actions, existing_file

# What each format's opener takes; anything else that was given is wrong usage.
OPTIONS = {
    ".blend": ("mesh", "armature", "limits", "ranges", "blender"),
    ".glb": ("mesh", "ranges"),
    ".gltf": ("mesh", "ranges"),
}


def add_rig_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that say how a rig file is opened."""
    group = parser.add_argument_group("the rig")
    group.add_argument(
        "--mesh",
        metavar="NAME",
        action="append",
        help="a mesh to take; may be repeated (.blend, .glb; default: all that one armature, or one skin, moves)",
    )
    group.add_argument("--armature", metavar="NAME", help="the armature, where the file holds several (.blend)")
    group.add_argument("--limits", metavar="FILE", type=existing_file, help="channel ranges as JSON (.blend)")
    group.add_argument(
        "--ranges",
        metavar="DEGREES",
        type=degrees_or_actions,
        help="joints without limits turn so far either way (.blend, .glb); actions: as far as the file's own",
    )
    group.add_argument("--blender", metavar="PROGRAM", help="a Blender program; default the bpy wheel (.blend)")


@contextlib.contextmanager
def opened_rig(args: argparse.Namespace, path: Any) -> Iterator[Any]:
    """The rig of a file, closed afterwards.

    Raises
    ------
    ValueError
        If the file is not a rig, or an option does not apply to its format.
    """
    from rigwright import sources

    given = {name: getattr(args, name) for name in ("mesh", "armature", "limits", "ranges", "blender")}
    given = {name: value for name, value in given.items() if value is not None}
    suffix = path.suffix.lower()
    for name in given:
        if name not in OPTIONS.get(suffix, ()):
            raise ValueError(f"--{name} does not apply to {suffix or 'such'} files")
    rig = sources.load(path, **given)
    try:
        yield rig
    finally:
        close = getattr(rig, "close", None)
        if close is not None:
            close()
