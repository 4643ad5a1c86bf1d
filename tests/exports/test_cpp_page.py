"""The page on C++ shows what the example program does, which package.sh builds and runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "programs" / "play_from_cpp.md"


def test_the_code_of_the_page_is_part_of_the_example():
    page = PAGE.read_text(encoding="utf-8")
    program = (ROOT / "examples" / "cpp" / "play_motion.cpp").read_text(encoding="utf-8")
    blocks = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    assert blocks
    assert all(block in program for block in blocks)


def test_the_files_that_the_page_names_exist():
    page = PAGE.read_text(encoding="utf-8")
    assert all((PAGE.parent / target).exists() for target in re.findall(r"\]\(([^)]+)\)", page))
