"""Pictures of the documentation: every how-to has one, with words for those who do not see it."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS

HOW_TO = {str(path.relative_to(DOCS / "how-to").with_suffix("")): path for path in (DOCS / "how-to").rglob("*.md")}
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
LARGEST = 60_000  # bytes of a picture of a how-to
LEAST = 20  # letters
# Pages with nothing to see, or of programs that were not run here, whose pictures would be invented.
WITHOUT = {
    "index": "a list of pages",
    "farm": "processors and schedulers",
    "files": "tables of formats",
    "programs/gltf_for_engines": "not run in the engines",
    "programs/houdini": "not run in Houdini",
    "programs/maya": "not run in Maya",
    "programs/play_from_cpp": "a program without a window",
    "programs/runtime": "a library",
    "programs/unity": "not run in Unity",
    "programs/unreal": "not run in Unreal",
    "programs/usd": "files",
    "programs/use_from_c": "a library",
    "programs/use_from_cpp": "a library",
}


@pytest.mark.parametrize("name", sorted(set(HOW_TO) - set(WITHOUT)))
def test_every_how_to_has_a_picture_with_alt_text(name):
    pictures = PICTURE.findall(HOW_TO[name].read_text(encoding="utf-8"))
    assert pictures, "no picture; docs/figures/draw_how_to.py draws them"
    assert [target for words, target in pictures if len(words) < LEAST] == []
    assert [target for _, target in pictures if not (HOW_TO[name].parent / target).is_file()] == []


@pytest.mark.parametrize("page", ["index.md", "gallery.md"])
def test_cards_have_pictures_with_alt_text_that_link(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    cards = re.findall(r"^- (.*)", text, re.MULTILINE)
    assert len(cards) >= 6
    linked = re.compile(r"\[!\[[^\]]{20,}\]\((\S+)\)\]\((\S+\.md)\)")
    for card in cards:
        found = linked.fullmatch(card)
        assert found, card
        assert all((DOCS / target).is_file() for target in found.groups())


def test_drawn_pictures_are_small_and_used():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    drawn = sorted((DOCS / "figures" / "how_to").iterdir())
    assert len(drawn) >= 15
    assert [path.name for path in drawn if path.stat().st_size > LARGEST or path.name not in pages] == []
