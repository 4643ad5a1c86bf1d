"""Characters on pages of the documentation: dragged where the module is built, and a picture where it is not."""

from __future__ import annotations

import pytest

import rigcast as rc
from tests.docs.live_site import built, missing
from tests.view.conftest import browser
from tests.web.module import MODULE

__all__ = ["browser", "built"]

pytest.importorskip("sphinx", reason="Sphinx is not installed")


def test_without_the_module_the_content_stands_there(built):
    _, html = built(missing)
    assert "No face here." in html
    assert "<iframe" not in html
    assert "<noscript" not in html
    assert "Pull" not in html


def test_pages_are_read_again_when_the_module_is_there(built):
    built(missing)
    _, html = built(lambda: rc.viewer.embed(rc.faces.example()))
    assert 'src="../live/face.html#small"' in html
    assert html.index("<noscript>") < html.index("No face here.") < html.index("</noscript>")
    assert html.index("</noscript>") < html.index("Pull <em>it</em>.")


class Frame:
    """The inside of a page's frame: a world of its own, with the frame's elements."""

    def __init__(self, page):
        (child,) = page.call("Page.getFrameTree")["frameTree"]["childFrames"]
        self._page = page
        self._world = page.call("Page.createIsolatedWorld", frameId=child["frame"]["id"])["executionContextId"]

    def evaluate(self, expression):
        asked = {"expression": expression, "contextId": self._world, "awaitPromise": True, "returnByValue": True}
        return self._page.call("Runtime.evaluate", **asked)["result"].get("value")

    def until(self, condition):
        self.evaluate(f"new Promise(done => {{ const f = () => ({condition}) ? done() : setTimeout(f, 4); f(); }})")


VALUES = "[...document.querySelectorAll('#sliders input[type=range]')].map((slider) => slider.value).join()"


def test_a_visitor_drags_the_face(built, browser):
    """The skin under the cursor follows, so sliders of the frame change."""
    assert MODULE.exists()
    path, _ = built(lambda: rc.viewer.embed(rc.faces.example()))
    page = browser.page()
    page.open(path.as_uri())
    page.until("document.readyState === 'complete' && document.querySelector('iframe.live')")
    page.evaluate("document.querySelector('iframe.live').scrollIntoView()")
    left, top, width, height = page.evaluate(
        "(() => { const b = document.querySelector('iframe.live').getBoundingClientRect(); "
        "return [b.left, b.top, b.width, b.height]; })()"
    )
    frame = Frame(page)
    frame.until(f"document.readyState === 'complete' && {VALUES}")
    before = frame.evaluate(VALUES)
    x, y = left + width / 2, top + 0.62 * height
    page.mouse("Pressed", x, y)
    frame.until("document.getElementById('canvas').classList.contains('pulling')")
    for step in range(1, 12):
        page.mouse("Moved", x + 2 * step, y + 3 * step)
    frame.until(f"{VALUES} !== {before!r}")
    page.mouse("Released", x + 22, y + 33)
    assert page.complaints == []
    page.close()
