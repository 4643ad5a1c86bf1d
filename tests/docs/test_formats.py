"""The tables of formats in the documentation are those of the registry."""

from __future__ import annotations

from tests.docs.write_formats import PAGE, with_tables


def test_the_page_of_files_has_the_tables_of_the_registry():
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page, "run python -m tests.docs.write_formats"
