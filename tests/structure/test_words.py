"""Words of Python files: docstrings open with a verb or a noun, and a class name is defined once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.structure.layers import ROOT

PACKAGE = ROOT / "python" / "rigcast"
DOCUMENTED_FOLDERS = ("python/rigcast", "benchmarks", "docs", "examples", "notebooks")
FREE_RELATIVES = {"what", "how", "where", "which", "why", "whether", "when", "whose", "who"}

# Public names that two packages offer, as `rc.ik.Solver` and `rc.inverse.Solver`.
PUBLIC_TWICE = {"Camera", "Clip", "Solver"}

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def free_relatives(folder: Path) -> list[str]:
    """Docstrings whose first word leaves open what is documented, as ``file:line: first line``."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            if text and text.split(maxsplit=1)[0].strip(",.;:").lower() in FREE_RELATIVES:
                line = getattr(node, "lineno", 1)
                found.append(f"{path.relative_to(folder)}:{line}: {text.splitlines()[0]}")
    return found


def repeated_classes(package: Path) -> dict[str, list[str]]:
    """Class names that several files or scopes define."""
    places = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)
    return {
        name: [str(path.relative_to(package)) for path in paths]
        for name, paths in places.items()
        if len(paths) > 1 and name not in PUBLIC_TWICE
    }


@pytest.mark.parametrize("folder", DOCUMENTED_FOLDERS)
def test_docstrings_open_with_a_verb_or_a_noun(folder):
    assert (ROOT / folder).is_dir()
    assert free_relatives(ROOT / folder) == []


def test_class_names_are_defined_once():
    assert repeated_classes(PACKAGE) == {}
