"""Tables of benchmarks stand on pages of the site, between marks that their scripts know."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS, ROOT

PAGES = sorted((DOCS / "benchmarks").glob("*.md"))
OPENING = re.compile(r"<!-- (.+?): written by (\S+) -->")


def marks() -> list[tuple[str, str]]:
    return [found for page in PAGES for found in OPENING.findall(page.read_text(encoding="utf-8"))]


def test_every_mark_is_closed_once():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<!-- end of (.+?) -->", text) == [name for name, _ in OPENING.findall(text)]


def test_no_two_places_have_one_name():
    names = [name for name, _ in marks()]
    assert len(set(names)) == len(names) > 5


@pytest.mark.parametrize(("name", "script"), marks())
def test_the_script_of_a_mark_writes_it(name, script):
    assert f'"{name}"' in (ROOT / script).read_text(encoding="utf-8")
