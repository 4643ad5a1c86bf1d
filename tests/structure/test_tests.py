"""The tests themselves: skips name what is missing, tolerances stand in the table, files stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import TOLERANCES

TESTS = Path(__file__).resolve().parents[1]
FILES = sorted(TESTS.rglob("*.py"))
MOST_LINES = 300
BOUNDS = ("atol", "rtol", "rel", "abs")


def calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """Every call of a file, with the name of what is called."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func).split(".")[-1]


def reason(call: ast.Call, name: str) -> ast.expr | None:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "reason"]
    return given[0] if given else call.args[0] if name == "skip" and call.args else None


def test_every_skip_names_what_is_missing():
    """In words: at least three, where the text stands in the test."""
    wrong = []
    for path in FILES:
        for call, name in calls(path):
            if name not in ("importorskip", "skip", "skipif", "xfail"):
                continue
            words = reason(call, name)
            if words is None or (isinstance(words, ast.Constant) and len(str(words.value).split()) < 3):
                wrong.append(f"{path.relative_to(TESTS)}:{call.lineno}: {name} without a reason")
    assert not wrong, "\n".join(wrong)


def test_tolerances_are_of_the_table_or_say_why():
    """A number of its own needs a comment on its line or the one above."""
    wrong = []
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for call, _ in calls(path):
            for bound in (keyword for keyword in call.keywords if keyword.arg in BOUNDS):
                if not isinstance(bound.value, ast.Constant) or not bound.value.value:
                    continue
                line = bound.value.lineno
                if "#" not in lines[line - 1] + lines[line - 2]:
                    wrong.append(f"{path.relative_to(TESTS)}:{line}: {bound.arg}={bound.value.value}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("row", [row for row in TOLERANCES if row not in ("exact", "float64", "float32")])
def test_every_row_of_the_table_has_its_reason(row):
    (line,) = [line for line in (TESTS / "conftest.py").read_text().splitlines() if f'"{row}": ' in line]
    assert len(line.partition("#")[2].split()) >= 5


def test_files_are_short():
    sizes = {path.relative_to(TESTS).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert not {path: lines for path, lines in sizes.items() if lines > MOST_LINES}
