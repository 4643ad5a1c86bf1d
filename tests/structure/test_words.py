"""Words of the Python package: docstrings open with a verb or a noun, and a class name is defined once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.structure.layers import ROOT

PACKAGE = ROOT / "python" / "rigcast"
FREE_RELATIVES = {"what", "how", "where", "which", "why", "whether", "when", "whose", "who"}

# Rooms whose words are not settled yet, as folders or files of the package.
UNSETTLED = (
    "_formats/blender/host",
    "_formats/readers.py",
    "_rigs",
    "_validate",
    "cli/_commands",
    "cli/_dispatch.py",
    "errors.py",
    "inverse",
    "sampling",
    "sources/_load.py",
    "synthesis",
    "training",
    "viewer",
)
# Public names that two packages offer: `rc.ik.Solver` and `rc.inverse.Solver`.
PUBLIC_TWICE = {"Clip", "Solver"}

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def is_settled(path: Path, package: Path) -> bool:
    inside = path.relative_to(package)
    return not any(inside.is_relative_to(room) for room in UNSETTLED)


def free_relatives(package: Path) -> list[str]:
    """Docstrings whose first word leaves open what is documented, as ``file:line: first line``."""
    found = []
    for path in sorted(package.rglob("*.py")):
        if not is_settled(path, package):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            if text and text.split(maxsplit=1)[0].strip(",.;:").lower() in FREE_RELATIVES:
                line = getattr(node, "lineno", 1)
                found.append(f"{path.relative_to(package)}:{line}: {text.splitlines()[0]}")
    return found


def repeated_classes(package: Path) -> dict[str, list[str]]:
    """Class names that several files or scopes define; of unsettled rooms alone they are left to these rooms."""
    places = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)
    return {
        name: [str(path.relative_to(package)) for path in paths]
        for name, paths in places.items()
        if len(paths) > 1 and sum(is_settled(path, package) for path in paths) > 1 and name not in PUBLIC_TWICE
    }


def test_docstrings_open_with_a_verb_or_a_noun():
    assert free_relatives(PACKAGE) == []


def test_class_names_are_defined_once():
    assert repeated_classes(PACKAGE) == {}


def test_unsettled_rooms_exist():
    assert [room for room in UNSETTLED if not (PACKAGE / room).exists()] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""What a file holds."""', 1),
        ('def f():\n    """Whether it is."""', 1),
        ('class A:\n    """A box."""\n    def f(self):\n        """How far, in meters."""', 1),
        ('async def f():\n    """Which, if any."""', 1),
        ('"""Whatever a file holds is read."""', 0),
        ('def f():\n    """True if it is."""', 0),
        ("x = 1", 0),
    ],
)
def test_a_free_relative_is_found(tmp_path, text, count):
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert len(free_relatives(tmp_path)) == count


def test_a_class_that_stands_twice_is_found(tmp_path):
    (tmp_path / "a.py").write_text("class A: ...\nclass B: ...\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("class A: ...\ndef f():\n    class B: ...\n", encoding="utf-8")
    (tmp_path / "viewer").mkdir()
    (tmp_path / "viewer" / "c.py").write_text("class C: ...\nclass C: ...\n", encoding="utf-8")
    assert repeated_classes(tmp_path) == {"A": ["a.py", "b.py"], "B": ["a.py", "b.py"]}
