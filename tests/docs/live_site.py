"""A small site of one page with a live face, built with the makers that a test gives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).resolve().parents[2] / "docs" / "_ext"
PAGE = ":::{live} face\n:height: 300\n:small:\n:caption: Pull *it*.\nOPTION\nNo face here.\n:::\n"
CONF = (
    "extensions = ['myst_parser', 'live_characters']\nmyst_enable_extensions = ['colon_fence']\nhtml_theme = 'basic'\n"
)


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A function that builds the page, with a maker of the face and another option, and returns its file and HTML."""
    from sphinx.testing.util import SphinxTestApp

    monkeypatch.syspath_prepend(EXTENSIONS)
    import live_characters

    def build(make, option="", makers="CHARACTERS"):
        monkeypatch.setattr(live_characters, makers, {"face": make})
        source = tmp_path / "source"
        (source / "deeper").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text(CONF, encoding="utf-8")
        (source / "index.md").write_text("# Top\n\n```{toctree}\ndeeper/page\n```\n", encoding="utf-8")
        page = PAGE.replace("OPTION\n", option + "\n")
        (source / "deeper" / "page.md").write_text(f"# A page\n\n{page}", encoding="utf-8")
        app = SphinxTestApp("html", srcdir=source)
        app.build()
        app.cleanup()
        assert not app.warning.getvalue().strip()
        path = Path(app.outdir) / "deeper" / "page.html"
        return path, path.read_text(encoding="utf-8")

    yield build
    sys.modules.pop("live_characters", None)


def missing():
    raise FileNotFoundError("no module")
