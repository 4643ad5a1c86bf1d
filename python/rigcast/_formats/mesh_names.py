"""The argument ``mesh`` of readers: one name, or several of meshes that are one character."""

from __future__ import annotations

from collections.abc import Sequence

from rigcast._validate import Arguments, bad_argument


def mesh_names(function: str, mesh: str | Sequence[str] | None) -> list[str] | None:
    """The names, or None.

    Raises
    ------
    ValueError
        If it is no name, an empty list, or a list with a name twice.
    """
    if mesh is None:
        return None
    names = Arguments(function).names("mesh", [mesh] if isinstance(mesh, str) else mesh)
    if not names:
        raise bad_argument(function, "mesh", "an empty list", "None or the name of a mesh")
    return names
