"""ARCHITECTURE.md is short and true: its tables are those of layers.toml, and every path that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.structure.draw_architecture import FIGURES, drawings
from tests.structure.layers import HOMES, ROOT, Room, rooms
from tests.structure.write_architecture import PAGE, with_tables

MOST_LINES = 150
KINDS = ("engine", "bindings", "package", "addon", "houdini", "maya")
PATH = re.compile(r"`([\w./*-]*/[\w./-]*|[\w.-]+\.(?:h|cpp|cu|py|pyi|js|html|md|toml|json))`")


def names(room: Room) -> str:
    return room.name


def directories(kind: str) -> set[str]:
    """All that hold files, relative to the home of their kind."""
    home = HOMES[kind]
    tops = [home / "bindings"] if kind == "bindings" else [path for path in home.iterdir() if path.is_dir()]
    found = [path for top in tops for path in (top, *top.rglob("*")) if path.is_dir() and path.name != "__pycache__"]
    return {str(path.relative_to(home)) for path in found if any(below.suffix for below in path.iterdir())}


def modules(package: Path) -> set[str]:
    return {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}


def test_the_tables_are_those_of_layers_toml():
    """``python -m tests.structure.write_architecture`` writes them again."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page


@pytest.mark.parametrize(("name", "drawing"), drawings().items(), ids=drawings())
def test_the_drawings_are_those_of_layers_toml(name, drawing):
    """``python -m tests.structure.write_architecture`` draws them again."""
    assert (FIGURES / name).read_text(encoding="utf-8") == drawing


def test_the_page_is_short():
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("kind", KINDS)
def test_every_directory_has_a_row_and_every_row_a_directory(kind):
    listed = {room.name for room in rooms(kind) if room.folder != room.home}
    assert listed == directories(kind)


def test_every_module_has_a_row_and_every_row_a_module():
    listed = {room.name for room in rooms("package") if room.folder == room.home}
    assert listed == modules(HOMES["package"]) | {"_core", "_cuda"}


@pytest.mark.parametrize("room", [room for kind in KINDS for room in rooms(kind)], ids=names)
def test_a_room_says_what_it_does_and_where_to_start(room):
    assert room.does
    assert (room.folder / room.start).is_file()


def test_paths_outside_the_tables_exist():
    """Paths in the tables are relative to their rooms, which the test above looks at."""
    page = re.sub(r"<!-- (\w+): .*?<!-- end of \1 -->", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    paths = PATH.findall(page)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
