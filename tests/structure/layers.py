"""The rooms of layers.toml: which there are, on which floor each is, and what may be read of them elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import tomllib

ROOT = Path(__file__).resolve().parents[2]
HOMES = {
    "engine": ROOT / "cpp" / "rigcast",
    "bindings": ROOT,
    "package": ROOT / "python" / "rigcast",
    "addon": ROOT / "blender",
    "houdini": ROOT / "houdini" / "packages" / "rigcast",
    "maya": ROOT / "maya" / "rigcast" / "scripts",
}
TABLES: dict[str, Any] = tomllib.loads((ROOT / "tests" / "structure" / "layers.toml").read_text(encoding="utf-8"))


class Room(NamedTuple):
    """A row: a directory, or a module of the package.

    Attributes
    ----------
    name : str
        A sub-room has the name of its room and a slash in it.
    floor, own : int
        Of a sub-room among those of its room; `own` is that of the room's own files there.
    does, start : str
        What the room is for, and the file to start reading at.
    home : Path
        Where all rooms of its kind lie.
    """

    name: str
    floor: int
    own: int
    does: str
    start: str
    home: Path

    @property
    def folder(self) -> Path:
        """The directory of its files; that of a module is the package's."""
        return self.home / self.name if (self.home / self.name).is_dir() else self.home


def rooms(kind: str) -> list[Room]:
    """All rows of a table, as they stand there."""
    return [
        Room(row["room"], row["floor"], row.get("own", 0), row["does"], row["start"], HOMES[kind])
        for row in TABLES[kind]
    ]


def floors(kind: str) -> dict[str, int]:
    """The floor of each room, without sub-rooms."""
    return {room.name: room.floor for room in rooms(kind) if "/" not in room.name}


def sub_floors(kind: str) -> dict[str, dict[str, int]]:
    """For each room the floors of its sub-rooms by their names alone; "" are the room's own files."""
    found = {room.name: {"": room.own} for room in rooms(kind) if "/" not in room.name}
    for room in rooms(kind):
        parent, _, name = room.name.partition("/")
        if name:
            found[parent][name] = room.floor
    return found
