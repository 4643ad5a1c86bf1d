"""What every page does with the text of strangers."""

from __future__ import annotations

import pytest

from rigcast.report._kit import template


def test_a_page_holds_no_control_characters_of_names(monkeypatch):
    pytest.importorskip("jinja2", reason="the report extra is not installed")
    monkeypatch.setattr(template, "_source", lambda name: "<p>\n\t{{ name }}</p>")
    page = template.fill("any.html", {"name": "a\x00\x1b[31m\u202e\ud800<b>"})
    assert page == "<p>\n\ta\\x00\\x1b[31m\\u202e\\ud800&lt;b&gt;</p>"
