"""The examples of use in headers stand, line by line, in a program that is compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [*(ROOT / "examples" / "cpp").glob("*.cpp"), *(ROOT / "tests" / "cpp").rglob("*.cpp")]
BLOCK = re.compile(r"For example:\n///\n((?:///     .*\n)+)")


def examples() -> list[tuple[str, list[str]]]:
    """Header and lines of code of each example."""
    found = []
    for header in sorted((ROOT / "cpp").rglob("*.h")):
        for block in BLOCK.findall(header.read_text(encoding="utf-8")):
            lines = [line.removeprefix("///").strip() for line in block.splitlines()]
            found.append((header.relative_to(ROOT).as_posix(), lines))
    return found


@pytest.mark.parametrize(("header", "lines"), examples())
def test_an_example_of_a_header_is_compiled(header, lines):
    texts = ["\n".join(map(str.strip, path.read_text(encoding="utf-8").splitlines())) for path in PROGRAMS]
    assert any("\n".join(lines) in text for text in texts), f"{header}: no program has these lines"


def test_headers_have_examples():
    assert "cpp/rigcast/inverse/solve.h" in {header for header, _ in examples()}
