"""One Chromium for all tests of the page, and models that are posed in it."""

from __future__ import annotations

import pytest

from tests.view.browser import CHROMIUM
from tests.view.stage.posed import Posed


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH")
    from tests.view.browser import Browser

    with Browser(tmp_path_factory.mktemp("chromium"), (800, 560)) as started:
        yield started


@pytest.fixture
def pose(browser):
    """A function that opens a view on a page of its own; a page that complained fails the test."""
    opened = []

    def open_view(*arguments, **options):
        opened.append(Posed(browser, *arguments, **options))
        return opened[-1]

    yield open_view
    for posed in opened:
        posed.close()
    assert [complaint for posed in opened for complaint in posed.page.complaints] == []
