"""The search of the built documentation answers in readers' words: the page stands among the first three."""

from __future__ import annotations

import json

import pytest
import tomllib

from tests.docs.pages import DOCS, ROOT
from tests.view.conftest import browser

__all__ = ["browser"]

BUILT = ROOT / "build" / "docs"
FIRST = 3
# What readers type, and a page that answers.
QUERIES = {
    "fbx": "start/your_program",
    "unreal": "start/your_program",
    "unity": "start/your_program",
    "maya": "start/your_program",
    "houdini": "start/your_program",
    "metahuman": "start/your_program",
    "iphone": "start/your_program",
    "license": "start/install",
    "licence": "start/install",
    "uninstall": "start/install",
    "install": "start/install",
    "mocap": "how-to/bvh",
    "motion capture": "how-to/bvh",
    "mixamo": "how-to/bvh",
    "audio": "glossary",
    "lip sync": "glossary",
    "accuracy": "benchmarks/which_model",
    "facial capture": "how-to/programs/webcam",
    "face tracking": "how-to/programs/webcam",
    "webcam": "how-to/programs/webcam",
    "blender character": "how-to/blend_rig",
    "retargeting": "how-to/bvh",
    "inverse kinematics": "how-to/pose_a_character",
    "inverse rig": "how-to/glb_face",
    "lod": "how-to/crowds",
    "c#": "how-to/programs/use_from_c",
    "web": "how-to/programs/in_a_page",
    "cite": "changelog",
}
# The page's own functions, from the query as typed to the names of pages, best first.
RANKED = """(query) => {
  const [text, ...terms] = Search._parseQuery(query);
  return Search._performSearch(text, ...terms).map((result) => result[0]).reverse();  // it ends with the best
}"""


@pytest.fixture(scope="module")
def search(browser):
    """A function from a query to the names of pages, by the site's own search."""
    if not (BUILT / "searchindex.js").is_file():
        pytest.skip("the documentation is not built: ./run docs")
    page = browser.page()
    page.open((BUILT / "search.html").as_uri())
    page.until("typeof Search !== 'undefined' && Search._index")
    yield lambda query: page.evaluate(f"({RANKED})({json.dumps(query)})")
    page.close()


@pytest.mark.parametrize(("query", "page"), QUERIES.items(), ids=list(QUERIES))
def test_a_query_finds_its_page_among_the_first(query, page, search):
    assert page in list(dict.fromkeys(search(query)))[:FIRST]


def test_words_lead_to_pages_and_cover_the_queries():
    words = tomllib.loads((DOCS / "search_words.toml").read_text(encoding="utf-8"))
    written = {"reference/command_line"}
    assert [page for page in words if page not in written and not (DOCS / f"{page}.md").is_file()] == []
    assert [
        page for page, entries in words.items() if entries != [word.lower() for word in dict.fromkeys(entries)]
    ] == []
    assert {query for query, page in QUERIES.items() if query not in words.get(page, ())} == set()
