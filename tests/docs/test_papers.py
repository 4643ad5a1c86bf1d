"""The page of the papers' tables and figures has a row for each of them."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS

Number = tuple[int, ...]
PAPERS = {  # head of the section: tables and figures that the paper numbers
    "Learned bodies": {
        "table": [*((n,) for n in range(1, 6)), *((2, n) for n in range(1, 6))],
        "figure": [*((n,) for n in range(1, 12)), *((2, n) for n in range(1, 11))],
    },
    "Faces on deformation maps": {
        "table": [(3, n) for n in range(1, 4)],
        "figure": [(3, n) for n in range(1, 11)],
    },
    "The inverse rig": {"table": [(n,) for n in range(1, 7)], "figure": [(n,) for n in range(1, 18)]},
    "Packing": {
        "table": [*((3, n) for n in range(1, 6)), *((5, n) for n in range(1, 15))],
        "figure": [
            *((1, n) for n in range(1, 3)),
            *((2, n) for n in range(1, 8)),
            *((3, n) for n in range(1, 20)),
            *((4, n) for n in range(1, 8)),
            *((5, n) for n in range(1, 17)),
        ],
    },
}
WORD = re.compile(r"(tables?|figures?)|(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?")


def number(text: str) -> Number:
    return tuple(map(int, text.split(".")))


def named(cell: str) -> list[tuple[str, Number, Number]]:
    """What the first cell of a row names: kind, first and last number."""
    found, kind = [], ""
    for word, first, last in WORD.findall(cell):
        kind = word.rstrip("s") or kind
        if first:
            found.append((kind, number(first), number(last or first)))
    return found


def rows(section: str) -> list[tuple[str, Number, Number]]:
    text = (DOCS / "benchmarks" / "papers.md").read_text(encoding="utf-8")
    part = next(part for part in text.split("\n## ") if part.startswith(section))
    cells = re.findall(r"^\| ([^|]+) \|", part, re.MULTILINE)
    return [entry for cell in cells for entry in named(cell)]


@pytest.mark.parametrize("section", PAPERS)
@pytest.mark.parametrize("kind", ["table", "figure"])
def test_every_table_and_figure_has_a_row(section, kind):
    known = [(first, last) for what, first, last in rows(section) if what == kind]
    missing = [
        wanted
        for wanted in PAPERS[section][kind]
        if not any(len(first) == len(wanted) and first <= wanted <= last for first, last in known)
    ]
    assert missing == []


def test_ranges_and_lists_are_read():
    assert named("figures 1.1 to 2.7, 3.1; table 2") == [
        ("figure", (1, 1), (2, 7)),
        ("figure", (3, 1), (3, 1)),
        ("table", (2,), (2,)),
    ]
