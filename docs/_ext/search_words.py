"""Words that readers search for, as entries of the index: docs/search_words.toml lists them by page.

The search of Sphinx ranks an entry of the index that equals the query above all words of texts and titles.
"""

from __future__ import annotations

from pathlib import Path

import tomllib
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

WORDS = Path(__file__).resolve().parents[1] / "search_words.toml"


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the entries when a page has been read; an unknown page is an error."""
    app.add_config_value("search_words", tomllib.loads(WORDS.read_text(encoding="utf-8")), "env", (dict,))
    app.connect("env-before-read-docs", check)
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def check(app: Sphinx, env: object, names: object) -> None:
    """Raise if words are listed for a page that is not there."""
    missing = set(app.config.search_words) - set(app.env.found_docs)
    if missing:
        raise ConfigError(f"{WORDS.name} has words for pages that are not there: {', '.join(sorted(missing))}")


def add_entries(app: Sphinx, page: nodes.document) -> None:
    """Entries that lead to the top of the page."""
    words = app.config.search_words.get(app.env.docname, ())
    section = next(page.findall(nodes.section), None)
    if words and section is not None:
        target = section["ids"][0]
        section.insert(0, addnodes.index(entries=[("single", word, target, "main", None) for word in words]))
