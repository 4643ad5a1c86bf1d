"""What every page does with the text of strangers."""

from __future__ import annotations

import pytest

from rigcast._pages import template

LONG = "One of 230 joints rests: " + ", ".join(f"joint{i}" for i in range(230)) + "."


@pytest.fixture(scope="module")
def framed():
    """A page with all that the frame knows, and a picture."""
    pytest.importorskip("jinja2", reason="the report extra is not installed")
    figures = [template.KeyFigure("1", "mm", "mean error", "")] * 3
    answer = '{% extends "layout.html" %}{% block answer %}<img id="picture">{% endblock %}'
    source = template._source
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(template, "_source", lambda name: answer if name == "any.html" else source(name))
        shown = {
            "name": "A",
            "summary": "About.",
            "key_figures": figures,
            "answer": ["Within 1 mm.", "A formula: 2 mm."],
            "verdicts": ["Wins over the simple methods."],
            "warnings": ["Short.", LONG],
        }
        return template.fill("any.html", shown)


def test_a_page_opens_with_its_answer(framed):
    order = ["Within 1 mm.", "A formula", 'class="figures"', "Wins", 'id="picture"', "About.", "Short."]
    places = [framed.index(text) for text in order]
    assert places == sorted(places)


def test_long_notes_are_folded(framed):
    assert '<p class="warning">Short.</p>' in framed
    summary = framed.split("<details")[1].split("<summary>")[1].split("</summary>")[0]
    assert summary.startswith("One of 230 joints rests: joint0,")
    assert (len(summary) <= 120, LONG in framed.split("</summary>")[1]) == (True, True)


def test_terms_are_links_to_their_meanings(framed):
    assert '<a class="term" href="#term-simple-methods" title="Formulas fitted' in framed
    assert '<dt id="term-simple-methods">simple methods</dt>' in framed
    assert framed.count("<dt id=") == 1, "only those that the page has"


def test_colors_of_charts_and_marks_are_the_pages(framed):
    from rigcast._pages.finishing import adapted

    chart = '<svg class="chart"><path style="stroke: #0f6e84; fill: #123456"/></svg>'
    assert adapted(chart) == '<svg class="chart"><path style="stroke: var(--accent); fill: #123456"/></svg>'
    drawn = chart.replace("</svg>", "<image/></svg>")
    assert adapted(drawn) == drawn.replace('class="chart"', 'class="chart fixed"')
    assert framed.count("--accent: #") == 3, "on white, on black, on paper"


@pytest.mark.parametrize("name", ["page.html", "face_ik.html", "shot.html", "transfer.html", "synthesis.html"])
def test_every_report_has_an_answer(name):
    answer = template._source(name).split("{% block answer %}")[1].split("{% endblock %}")[0]
    assert any(text in answer for text in ("strip(", "<img", "| safe"))


def test_a_page_holds_no_control_characters_of_names(monkeypatch):
    pytest.importorskip("jinja2", reason="the report extra is not installed")
    monkeypatch.setattr(template, "_source", lambda name: "<p>\n\t{{ name }}</p>")
    page = template.fill("any.html", {"name": "a\x00\x1b[31m\u202e\ud800<b>"})
    assert page == "<p>\n\ta\\x00\\x1b[31m\\u202e\\ud800&lt;b&gt;</p>"
