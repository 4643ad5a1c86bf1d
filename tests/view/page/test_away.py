"""A page without its server: what it says, what it grays out, and how it finds a server again."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from tests.support.characters.plain_face import plain_face

LOST = "document.getElementById('lost')"
GRAY = "['panel', 'timeline'].every(id => document.getElementById(id).inert)"


@pytest.fixture
def page(browser):
    opened = browser.page()
    yield opened
    opened.close()


def test_a_server_that_ended_is_told_from_a_wrong_address(page):
    with rc.view(plain_face()) as live:
        page.open(live.url)
        page.until("window.view && view.frame")
        assert page.evaluate(f"{LOST}.hidden && !{GRAY}")
        page.open("about:blank")  # of two addresses that differ behind the # alone, the second is no other page
        page.open(live.url + "x")
        page.until(f"window.view && !{LOST}.hidden")
        assert page.evaluate(f"{LOST}.textContent").startswith("This address is not valid (any more)")
        page.evaluate("location.hash = ''")
        page.until(f"{LOST}.textContent.startsWith('This address is not complete')")
        page.evaluate(f"location.hash = {urlsplit(live.url).fragment!r}")
        page.until(f"view.frame && {LOST}.hidden && !{GRAY}")
    page.until(f"!{LOST}.hidden")
    assert page.evaluate(f"{LOST}.textContent").startswith("The view has ended or cannot be reached")
    assert page.evaluate(GRAY)


def test_a_view_that_keeps_its_address_is_found_again(page, tmp_path):
    token = tmp_path / "token"
    with rc.view(plain_face(), token_file=token) as live:
        page.open(live.url)
        page.until("window.view && view.frame")
    page.until(f"!{LOST}.hidden")
    with rc.view(plain_face(), token_file=token, port=urlsplit(live.url).port) as again:
        assert again.url == live.url
        page.until(f"{LOST}.hidden && !{GRAY}")


def test_a_token_file_is_for_its_user_alone(tmp_path):
    token = tmp_path / "token"
    rc.view(plain_face(), token_file=token).close()
    if os.name != "posix":
        pytest.skip("modes of files are POSIX")
    assert token.stat().st_mode & 0o777 == 0o600
    token.chmod(0o644)
    with pytest.raises(ValueError, match=r"token_file is .*which others may read or write; it must be"):
        rc.view(plain_face(), token_file=token)


@pytest.mark.parametrize("content", ["", "short", "a" * 200, "spaces are no token at all, are they"])
def test_what_is_no_token_is_refused(tmp_path, content):
    token = tmp_path / "token"
    token.write_text(content)
    token.chmod(0o600)
    with pytest.raises(ValueError, match=r"token_file is .*which holds no token of a view"):
        rc.view(plain_face(), token_file=token)
