# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a bound mesh's model, also after the mesh came from a .blend in another folder.

A path that begins with ``//`` counts from the folder of a .blend. ``object.rigcast.home`` is this folder, for Blender
mends its own paths when objects are appended or files are saved elsewhere, but no paths of add-ons.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import bpy

BESIDE = "//"
OPTIONS = {"ANIMATABLE"} | ({"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set())  # of properties


def this_folder() -> str:
    """The folder of the open .blend; empty if it was never saved."""
    return os.path.dirname(bpy.data.filepath)


def path_of(item: Any) -> str:
    """The absolute path of the model of a bound mesh."""
    about = item.rigcast
    if not about.model.startswith(BESIDE):
        return str(bpy.path.abspath(about.model))
    library = _library_of(item)
    if library is not None:
        return _inside(_folder_of(library.filepath), about.model)
    return _found(about.model, [about.home or this_folder()])[1]


def settle(items: Iterable[Any], opened: bool = False) -> None:
    """Let the paths of meshes count from the open .blend; its message says which path has changed.

    Parameters
    ----------
    items : iterable of objects
        Bound meshes.
    opened : bool
        True if they were in this .blend before, which may have been moved with its models.
    """
    for item in items:
        about, here = item.rigcast, this_folder()
        if not about.model.startswith(BESIDE) or about.home == here or _library_of(item) is not None:
            continue
        folders = [here, about.home] if opened else [*_appended_from(item), about.home, here]
        folder, path = _found(about.model, [folder for folder in folders if folder])
        if folder != here:
            about.model = bpy.path.relpath(path) if here else path
            about.message = f"The model stays where it is: its path is now {about.model}"
        about.home = here


def _library_of(item: Any) -> Any | None:
    """The library whose folder a mesh's path counts from; None if it is that of the open .blend."""
    if item.override_library is None:
        return item.library
    original = item.override_library.reference
    same = all(getattr(original.rigcast, name) == getattr(item.rigcast, name) for name in ("model", "home"))
    return original.library if same else None


def _appended_from(item: Any) -> list[str]:
    """The folder of the library that a mesh was just appended from, which Blender knows of mesh data."""
    points = item.rigcast.points
    known = points.data.library_weak_reference if points is not None else None
    libraries = {bpy.path.abspath(library.filepath) for library in bpy.data.libraries}
    path = bpy.path.abspath(known.filepath) if known is not None else ""
    return [os.path.dirname(path)] if path in libraries else []


def _found(path: str, folders: list[str]) -> tuple[str, str]:
    """The first folder beside which a file is, and its path; the first folder of all if it is nowhere."""
    places = [(folder, _inside(folder, path)) for folder in folders]
    return next((place for place in places if os.path.isfile(place[1])), places[0])


def _folder_of(path: str) -> str:
    return os.path.dirname(bpy.path.abspath(path))


def _inside(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path[len(BESIDE) :]))
