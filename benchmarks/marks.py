"""Places of README.md that scripts write: between ``<!-- NAME: written by SCRIPT -->`` and ``<!-- end of NAME -->``."""

from __future__ import annotations

import re
from pathlib import Path

from rigwright._atomic_files import atomic_write

README = Path(__file__).resolve().parents[1] / "README.md"


def write_between_marks(name: str, text: str) -> None:
    """Replace what stands between the marks of a name; an AssertionError where the README has no such marks."""
    marks = re.compile(rf"(<!-- {name}: written by \S+ -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    content, places = marks.subn(lambda found: f"{found[1]}{text}\n{found[2]}", README.read_text(encoding="utf-8"))
    assert places == 1, f"README.md has {places} places named {name}"
    atomic_write(README, content.encode("utf-8"))
