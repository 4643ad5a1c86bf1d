"""Errors about arguments and files have fields: no module of the package raises a bare ``ValueError``."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "rigcast"


def bare(path: Path) -> list[int]:
    """Lines of a file that raise a ``ValueError`` without fields."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    calls = [node.func for node in raised if isinstance(node, ast.Call)]
    return [node.lineno for node in calls if isinstance(node, ast.Name) and node.id == "ValueError"]


def test_no_error_about_an_argument_is_without_fields():
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    assert {name: lines for name, path in paths.items() if (lines := bare(path))} == {}


def test_a_bare_error_is_found(tmp_path):
    (tmp_path / "a.py").write_text("raise ArgumentError('f', 'x', '1', '2')\nraise ValueError('x is 1')\n")
    assert bare(tmp_path / "a.py") == [2]
