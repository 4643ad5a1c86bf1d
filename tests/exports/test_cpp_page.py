"""The page on C++ shows what the example program does, which package.sh builds and runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_code_of_the_page_is_part_of_the_example():
    page = (ROOT / "docs" / "how-to" / "play_from_cpp.md").read_text(encoding="utf-8")
    program = (ROOT / "examples" / "cpp" / "play_motion.cpp").read_text(encoding="utf-8")
    blocks = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
    assert blocks
    assert all(block in program for block in blocks)


def test_the_files_that_the_page_names_exist():
    page = (ROOT / "docs" / "how-to" / "play_from_cpp.md").read_text(encoding="utf-8")
    assert all((ROOT / "docs" / "how-to" / target).exists() for target in re.findall(r"\]\(([^)]+)\)", page))
