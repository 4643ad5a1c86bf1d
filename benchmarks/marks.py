"""Places that scripts write: between ``<!-- NAME: written by SCRIPT -->`` and ``<!-- end of NAME -->``.

They lie in the pages of docs/benchmarks; README.md and docs/index.md have one figure per system.
"""

from __future__ import annotations

import re
from pathlib import Path

from rigcast._atomic_files import atomic_write

ROOT = Path(__file__).resolve().parents[1]
FRONT = [ROOT / "README.md", ROOT / "docs" / "index.md"]
PAGES = [*FRONT, *sorted((ROOT / "docs" / "benchmarks").rglob("*.md"))]


def read_between_marks(name: str) -> str:
    """The text between the marks of a name; "" if no page has them."""
    marks = re.compile(rf"<!-- {name}: written by \S+ -->\n(.*?)<!-- end of {name} -->", re.DOTALL)
    found = (marks.search(page.read_text(encoding="utf-8")) for page in PAGES)
    return next((match[1] for match in found if match), "")


def write_between_marks(name: str, text: str) -> None:
    """Replace what stands between the marks of a name on every page that has them.

    Raises
    ------
    AssertionError
        If no page has such marks, or a page has them twice.
    """
    marks = re.compile(rf"(<!-- {name}: written by \S+ -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    written = []
    for page in PAGES:
        content, places = marks.subn(lambda found: f"{found[1]}{text}\n{found[2]}", page.read_text(encoding="utf-8"))
        assert places <= 1, f"{page.name} has {places} places named {name}"
        if places:
            atomic_write(page, content.encode("utf-8"))
            written.append(page)
    assert written, f"no page has a place named {name}"
