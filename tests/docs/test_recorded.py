"""Characters of a documentation that was built without the module: recordings where the page has a caption for one."""

from __future__ import annotations

import sys

import pytest

import rigcast as rc
from tests.docs.live_site import built, missing

__all__ = ["built"]

pytest.importorskip("sphinx", reason="Sphinx is not installed")


@pytest.fixture
def build(built, monkeypatch, tmp_path):
    """The builder, on a machine without the module."""
    monkeypatch.setattr(sys.modules["live_characters"], "MODULE", tmp_path / "page.wasm")
    return built


@pytest.mark.parametrize("option", ["", ":recorded: Turn *it*.\n"])
def test_a_recording_plays_where_the_page_has_a_caption_for_it(build, option):
    """The caption of the character promises drags, which no recording keeps."""
    path, html = build(lambda: rc.viewer.record(rc.faces.example()), option, "RECORDINGS")
    assert ("<iframe" in html, "Turn <em>it</em>." in html) == (bool(option), bool(option))
    assert "Pull" not in html
    assert "No face here." in html
    assert 'id="recording"' in (path.parents[1] / "live" / "face.html").read_text(encoding="utf-8")


def test_a_recording_that_cannot_be_made_leaves_the_content(build):
    _, html = build(missing, ":recorded: Turn *it*.\n", "RECORDINGS")
    assert "<iframe" not in html
    assert "No face here." in html
