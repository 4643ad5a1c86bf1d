"""Links between the pages and to files of the repository; nothing asks the network.

Sphinx itself checks links between pages and anchors of the site (``./run docs``); here are those that leave it.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.pages import DOCS, ROOT, extension, links, sources


def names(page: Path) -> str:
    return str(page.relative_to(ROOT))


API = DOCS / "reference" / "api"


def written_at_build_time(target: Path) -> bool:
    return API in target.parents or target == DOCS / "reference" / "command_line.md"


@pytest.mark.parametrize("page", sources(), ids=names)
def test_linked_files_exist(page):
    local = [link.partition("#")[0] for link in links(page) if not urlsplit(link).scheme]
    targets = [(page.parent / link).resolve() for link in local if link]
    assert [str(path) for path in targets if not path.exists() and not written_at_build_time(path)] == []


@pytest.mark.parametrize("page", sources(), ids=names)
def test_external_links_are_well_formed(page):
    external = [link for link in links(page) if urlsplit(link).scheme]
    assert [link for link in external if not re.fullmatch(r"https://[\w.-]+\.\w+(/[\w./%#~+-]*)?", link)] == []


def test_anchors_of_papers_exist():
    defined = set(re.findall(r"^\(([\w-]+)\)=$", (DOCS / "bibliography.md").read_text(encoding="utf-8"), re.MULTILINE))
    used = {link[1:] for page in DOCS.rglob("*.md") for link in links(page) if re.fullmatch(r"#[a-z-]+-\d{4}", link)}
    assert used - defined == set()


def test_pages_written_at_build_time_are_those_that_others_link():
    pytest.importorskip("docutils", reason="the docs extra is not installed")
    api = {f"{package}.rst" for package in extension("public_names").packages()}
    targets = [page.parent / link for page in sources() for link in links(page)]
    assert {target.name for target in targets if target.resolve().parent == API} - api == set()
