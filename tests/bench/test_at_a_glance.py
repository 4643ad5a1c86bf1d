"""Figures at a glance are those of the tables, and an entry that a table lacks is an error."""

from __future__ import annotations

import pytest
from benchmarks import at_a_glance, front_page, marks
from benchmarks.written_tables import WrittenTable, met

TABLE = """Said: 1,234 frames, 0.5 mm.

| row | time | ratio |
| --- | --- | --- |
| ours | 0.5 ms | |
| peer, slow | 1,250 ms | 2,500 x (goal 20 x) |

| row | other |
| --- | --- |
| ours | **7** and 8 |
"""


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr("benchmarks.written_tables.read_between_marks", lambda name: TABLE if name == "here" else "")
    return WrittenTable("here")


def test_cells_are_found_by_the_beginnings_of_row_and_column(table):
    assert table.names() == ["ours", "peer, slow", "ours"]
    assert table.heads() == ["row", "time", "ratio"]
    assert table.number("peer", "ratio") == 2500
    assert table.number("peer", "ratio", which=1) == 20
    assert table.number("ours", "other", nth=1, which=-1) == 8
    assert table.numbers("time") == [0.5, 1250]
    assert table.said(r", ([\d.]+) mm") == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        lambda table: WrittenTable("nowhere"),
        lambda table: table.cell("theirs", "time"),
        lambda table: table.cell("ours", "other"),
        lambda table: table.number("ours", "ratio"),
        lambda table: table.said("no such (thing)"),
    ],
)
def test_what_a_table_lacks_is_an_error(table, wrong):
    with pytest.raises(LookupError):
        wrong(table)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (at_a_glance.INDEX, at_a_glance.index_table),
        (front_page.SITE, lambda: front_page.front_table("benchmarks")),
        (front_page.REPOSITORY, lambda: front_page.front_table("docs/benchmarks")),
    ],
)
def test_written_figures_are_those_of_the_tables(name, text):
    assert marks.read_between_marks(name).strip() == text(), (
        "run python -m benchmarks.at_a_glance, benchmarks.front_page"
    )


def test_every_page_of_benchmarks_has_an_answer():
    folder = marks.ROOT / "docs" / "benchmarks"
    named = {make().page for make in at_a_glance.ANSWERS}
    assert {path.name for path in folder.glob("*.md")} - {"index.md", "papers.md"} == named


def test_verdicts():
    assert [met(True), met(False)] == ["met", "missed"]
