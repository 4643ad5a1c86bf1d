"""Pages of benchmarks: the answer first, one narrow table, no history; tables stand between marks that scripts know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, FENCE, ROOT

BENCHMARKS = DOCS / "benchmarks"
PAGES = sorted(BENCHMARKS.rglob("*.md"))
OPENING = re.compile(r"<!-- (.+?): written by (\S+) -->")
COLUMNS = 8
SEVERAL_TABLES = {
    "gpu.md": "one command writes a table per kernel and one of all of them",
    "papers.md": "a table per paper, a row per table or figure of it",
}
HISTORY = [
    "an earlier",
    "before and after",
    "first version",
    "has been learned",
    "has not been on a device",
    "has since",
    "have since",
    "is older than",
    "newer figures",
    "no longer",
    "once more since",
    "since this table",
    "used to be",
    "was measured before",
    "were measured before",
]


def names(page: Path) -> str:
    return str(page.relative_to(BENCHMARKS))


def tables(page: Path) -> list[list[str]]:
    """The rows of every table."""
    found: list[list[str]] = []
    before = ""
    for line in FENCE.sub("", page.read_text(encoding="utf-8")).splitlines():
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append(line)
        before = line
    return found


def columns(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", row))) - 1


def marks() -> list[tuple[str, str]]:
    return [found for page in PAGES for found in OPENING.findall(page.read_text(encoding="utf-8"))]


def test_every_mark_is_closed_once():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<!-- end of (.+?) -->", text) == [name for name, _ in OPENING.findall(text)]


def test_no_two_places_have_one_name():
    found = [name for name, _ in marks()]
    assert len(set(found)) == len(found) > 5


@pytest.mark.parametrize(("name", "script"), marks())
def test_the_script_of_a_mark_writes_it(name, script):
    assert f'"{name}"' in (ROOT / script).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_tables_are_narrow(page):
    wide = [table[0] for table in tables(page) if max(map(columns, table)) > COLUMNS]
    assert wide == []


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_the_answer_stands_first(page):
    blocks = page.read_text(encoding="utf-8").split("\n\n")
    assert re.fullmatch(r"# [^\n]+", blocks[0])
    assert re.match(r"[A-Z`\[0-9][^|]*\.$", blocks[1], re.DOTALL), "the first paragraph is no prose"


@pytest.mark.parametrize("page", PAGES, ids=names)
@pytest.mark.parametrize("phrase", HISTORY)
def test_a_page_does_not_tell_its_history(page, phrase):
    assert phrase not in " ".join(page.read_text(encoding="utf-8").lower().split())


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent == BENCHMARKS and page.name not in SEVERAL_TABLES], ids=names
)
def test_a_page_has_one_table(page):
    """Further ones are behind links, in docs/benchmarks/experiments."""
    assert len(tables(page)) <= 1


def test_pages_with_several_tables_need_that():
    assert all(len(tables(BENCHMARKS / page)) > 1 for page in SEVERAL_TABLES)


def test_columns_of_a_row_are_counted():
    assert [columns(row) for row in ("| a |", "| a | `b|c` |", r"| a \| b | c | |")] == [1, 2, 3]
