"""The choice of an armature in a file, and errors of input."""

from __future__ import annotations

from typing import Any

import bpy


class InputError(ValueError):
    """Raised if the file lacks what the user asked for; carries the pieces of the one wording of a wrong argument."""

    def __init__(self, argument: str, got: str, expected: str) -> None:
        super().__init__(f"{argument} is {got}; it must be {expected}")
        self.argument, self.got, self.expected = argument, got, expected


class UnusableError(RuntimeError):
    """The rig gave something that cannot be learned from."""


def armatures_of(mesh: Any) -> list[Any]:
    """Armature objects that deform a mesh object through modifiers or as its parent, in stack order."""
    found = [m.object for m in mesh.modifiers if m.type == "ARMATURE" and m.object is not None and m.show_viewport]
    if mesh.parent is not None and mesh.parent.type == "ARMATURE":
        found.append(mesh.parent)
    return list(dict.fromkeys(found))


def choose_armature(candidates: list[Any], meshes: list[Any], name: str | None) -> Any | None:
    """The armature object called ``name``, or the only one of those that move all the meshes; None if nothing does."""
    if name is not None:
        everywhere = [item for item in bpy.context.scene.objects if item.type == "ARMATURE"]
        for item in everywhere:
            if item.name == name:
                return item
        raise InputError("armature", repr(name), _one_of(candidates or everywhere))
    if len(candidates) > 1:
        moved = f"deform mesh {meshes[0].name!r}" if len(meshes) == 1 else f"move {len(meshes)} meshes"
        got = f"not given, and {len(candidates)} armatures {moved}"
        raise InputError("armature", got, _one_of(candidates))
    return candidates[0] if candidates else None


def one_of(names: list[str], what: str = "") -> str:
    """The words for the names that there are, for errors."""
    if not names:
        return "left out: the file holds none"
    listed = ("one of " if len(names) > 1 else "") + ", ".join(repr(name) for name in sorted(names))
    return f"{what}: {listed}" if what else listed


def _one_of(items: list[Any]) -> str:
    return one_of([item.name for item in items])
