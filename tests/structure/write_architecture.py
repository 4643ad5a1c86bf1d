"""Write what follows from layers.toml: ``python -m tests.structure.write_architecture``.

These are the tables of rooms in ARCHITECTURE.md, and the drawings of the floors in the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from tests.structure.draw_architecture import FIGURES, drawings
from tests.structure.layers import ROOT, Room, rooms

PAGE = ROOT / "ARCHITECTURE.md"
HEAD = "| floor | room | what it does | start reading at |\n| --- | --- | --- | --- |\n"


def tables() -> dict[str, str]:
    """The text of each table by the name of its marks."""
    return {
        "engine": HEAD + _rows([*rooms("engine"), *rooms("bindings")]),
        "package": HEAD + _rows([*rooms("package"), *rooms("addon"), *rooms("houdini"), *rooms("maya")]),
    }


def with_tables(page: str) -> str:
    """A page with what stands between its marks written again."""
    for name, table in tables().items():
        marks = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        page, places = marks.subn(lambda found, table=table: f"{found[1]}{table}{found[2]}", page)
        assert places == 1, f"ARCHITECTURE.md has {places} places for the table of {name}"
    return page


def _rows(listed: list[Room]) -> str:
    """One row per directory with its sub-rooms, and one per floor for all of its modules."""
    lines = []
    for floor, found in groupby((room for room in listed if "/" not in room.name), lambda room: room.floor):
        here = list(found)
        modules = [room for room in here if room.folder == room.home]
        for room in here:
            if room not in modules:
                lines.append(_line(floor, room, [sub for sub in listed if sub.name.startswith(f"{room.name}/")]))
        if modules:
            does = "; ".join(f"`{room.start}` {room.does}" for room in modules)
            lines.append(f"| {floor} | modules | {does} | each is one file |\n")
    return "".join(lines)


def _line(floor: int, room: Room, inside: Iterable[Room]) -> str:
    inside = sorted(inside, key=lambda sub: sub.floor)
    names = [sub.name.removeprefix(f"{room.name}/") for sub in inside]
    does = [room.does, *(f"`{name}`: {sub.does}" for name, sub in zip(names, inside, strict=True))]
    start = [room.start, *(f"{name}/{sub.start}" for name, sub in zip(names, inside, strict=True))]
    unique = dict.fromkeys(start)  # a room without files of its own begins in a sub-room
    return f"| {floor} | `{room.name}` | {'; '.join(does)} | {', '.join(f'`{path}`' for path in unique)} |\n"


if __name__ == "__main__":
    for name, drawing in drawings().items():
        (FIGURES / name).write_text(drawing, encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
