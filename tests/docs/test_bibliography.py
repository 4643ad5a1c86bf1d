"""Every paper that the code cites stands in the bibliography."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

NAME = r"[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_a-z][^\W\d_]+)*"
AUTHORS = rf"(?:{NAME}(?:, and |, | and | & ))*(?:Van )?{NAME}"
CITATION = re.compile(rf"({AUTHORS})(?: et al\.?)?,? \(?((?:18|19|20)\d\d)\b")
# Capitalized words before a year, or before an author in a title.
MONTHS = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"}
NO_AUTHORS = MONTHS | {"December", "Multi", "Maya", "Houdini", "Since", "Blendshapes"}


def cited(text: str) -> set[tuple[frozenset[str], str]]:
    """Authors and years; comments and docstrings may break a line inside a citation."""
    joined = re.sub(r"\s*\n\s*(?:///?|#|\*)?\s*\"?", " ", text)
    found = [(set(re.findall(NAME, authors)) - {"Van"}, year) for authors, year in CITATION.findall(joined)]
    return {(frozenset(authors - NO_AUTHORS), year) for authors, year in found if authors - NO_AUTHORS}


def entries() -> list[str]:
    text = (DOCS / "bibliography.md").read_text(encoding="utf-8")
    return re.findall(r"^\([\w-]+\)=\n\*\*.+$", text, re.MULTILINE)


def sources() -> list[Path]:
    ends = {".py", ".json", ".h", ".cpp", ".cuh", ".cu"}
    files = [path for folder in ("python", "cpp", "bindings", "benchmarks") for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in files if path.suffix in ends)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kavan et al. 2007", ({"Kavan"}, "2007")),
        ("(Sumner and\n/// Popovic 2004)", ({"Sumner", "Popovic"}, "2004")),
        ("Held, Cook and Sewell 2012", ({"Held", "Cook", "Sewell"}, "2012")),
        ("Levenberg (1944)", ({"Levenberg"}, "1944")),
        ("Alexa and\n  Müller 2000", ({"Alexa", "Müller"}, "2000")),
        ("Magnenat-Thalmann et al. 1988", ({"Magnenat-Thalmann"}, "1988")),
    ],
)
def test_citations_are_recognized(text, expected):
    assert cited(text) == {(frozenset(expected[0]), expected[1])}


def test_every_citation_of_the_code_has_an_entry():
    wanted = {citation: path for path in sources() for citation in cited(path.read_text(encoding="utf-8"))}
    assert len(wanted) > 40
    missing = [
        f"{', '.join(sorted(authors))} {year} in {path.relative_to(ROOT)}"
        for (authors, year), path in wanted.items()
        if not any(year in label and all(name in label for name in authors) for label in map(label_of, entries()))
    ]
    assert missing == []


def label_of(entry: str) -> str:
    """``Amberg et al. 2007`` and the authors after it."""
    return entry.partition("*. ")[0].partition(" *")[0]


def test_entries_stand_in_alphabetical_order():
    labels = [re.search(r"\*\*(.+?)\.\*\*", entry)[1] for entry in entries()]
    assert labels == sorted(labels, key=str.lower)
