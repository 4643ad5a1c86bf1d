"""What holds of the pages of every kind: words, screens, dark, paper, those who hear them."""

from __future__ import annotations

import base64
import re
from html import unescape
from types import SimpleNamespace

import pytest

from tests.report.every_kind import KINDS
from tests.view.browser import CHROMIUM

for package in ("pyvista", "matplotlib", "jinja2"):
    pytest.importorskip(package, reason="the report extra is not installed")

STILL = {"contact_sheet"}  # nothing of it moves
UNITS = r"\d[\d.,]* (?:mm|m|ms|pixels|expressions)\b"
JARGON = (
    *("gate", "too easy", "rmse", "enveloping", "ridge", "latent", "bridge", "residual", "held-out", "alpha", "α"),
    *("subspace", "optimum", "principal", "objective", "percentile", "rms", "jitter", "ik", "polish"),
)
MOST_PAGES = {"body": 9, "face_maps": 9, "differential": 9, "synthesis": 7, "transfer": 8, "capture": 6, "face_ik": 6}
PAGES = 7

WIDE = "Math.round(document.documentElement.scrollWidth)"
UNREADABLE = """(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = numbers(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  for (let node; (node = walker.nextNode());) {
    const parent = node.parentElement, style = getComputedStyle(parent);
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest("script, style, .fixed")) continue;
    const color = numbers(parent.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(color), light(ground(parent))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) found.push([node.data.trim().slice(0, 40), (a + .05) / (b + .05)]);
  }
  return found;
})()"""
OVERPRINTED = """(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), boxes = [], found = [];
  for (let node; (node = walker.nextNode());) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest("script, style, svg")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) boxes.push([node, box]);
  }
  boxes.sort((a, b) => a[1].top - b[1].top);
  boxes.forEach(([node, a], i) => {
    for (let j = i + 1; j < boxes.length && boxes[j][1].top < a.bottom - 3; j++) {
      const [other, b] = boxes[j];
      const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      if (node !== other && shared > 2) found.push([node.data, other.data]);
    }
  });
  const beyond = boxes.filter(([, box]) => box.right > innerWidth + 1).map(([node]) => node.data);
  return {found, beyond};
})()"""


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """A function from a kind to its page, made once."""
    made = {}

    def page(kind):
        if kind not in made:
            if kind == "face_ik":
                pytest.importorskip("torch", reason="PyTorch is not installed")
            path = tmp_path_factory.mktemp(kind) / "report.html"
            KINDS[kind](path)
            made[kind] = SimpleNamespace(path=path, html=path.read_text(encoding="utf-8"))
        return made[kind]

    return page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH")
    from tests.view.browser import Browser

    with Browser(tmp_path_factory.mktemp("chromium"), (1400, 900)) as started:
        yield started


def shown(page, width, media="screen", scheme="light"):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])


def headline(html):
    return unescape(re.search(r'<p class="headline">(.*?)</p>', html)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_sentence_is_a_number_in_plain_words(report, kind):
    html = report(kind).html
    text = headline(html)
    assert re.search(UNITS, text), text
    assert not [word for word in JARGON if re.search(rf"\b{re.escape(word)}\b", text.lower())], text
    assert not re.search(r"\b[A-Z]{3,}\b", text), text
    assert html.index('class="headline"') < html.index('class="figures"') < html.index('<p class="lead">')
    assert '<p class="verdict">' not in html[: html.index('class="figures"')]
    assert 'class="warning"' not in html[: html.index('class="figures"')]


@pytest.mark.parametrize("kind", KINDS)
def test_what_moves_stands_below_the_numbers(report, kind):
    html = report(kind).html
    assert ('id="live"' in html) == (kind not in STILL)
    if kind not in STILL:
        assert html.index('class="figures"') < html.index('id="live"') < html.index("<h2>")
        assert 'srcdoc="' in html


@pytest.mark.parametrize("kind", KINDS)
def test_links_lead_somewhere_and_everything_has_a_name(report, kind):
    html = re.sub(r'srcdoc="[^"]*"', "", report(kind).html)
    ids = set(re.findall(r'\bid="([^"]+)"', html))
    links = re.findall(r'<a [^>]*href="([^"]+)"', html)
    assert all(link[0] == "#" and link[1:] in ids for link in links), links
    assert (kind in STILL) or len(links) >= 4
    for tag in re.findall(r'<div class="wide"[^>]*>|<svg class="chart[^>]*>|<nav[^>]*>', html):
        assert re.search(r'aria-label="[^"]+"', tag), tag
    assert all(re.search(r'alt="[^"]+"', tag) for tag in re.findall(r"<img [^>]*>", html))
    assert all(re.search(r'title="[^"]+"', tag) for tag in re.findall(r"<iframe [^>]*>", html))


@pytest.mark.parametrize("kind", KINDS)
def test_it_fits_screens_dark_and_paper(report, browser, kind):
    page = browser.page()
    page.open(report(kind).path.as_uri())
    page.until("document.readyState === 'complete'")
    for width in (1400, 420):
        shown(page, width)
        assert page.evaluate(WIDE) <= width, f"at {width} pixels"
    for scheme in ("light", "dark"):
        shown(page, 1400, scheme=scheme)
        assert page.evaluate(UNREADABLE) == [], scheme
    shown(page, 695, media="print", scheme="dark")  # A4 between its margins
    laid = page.evaluate(OVERPRINTED)
    assert laid == {"found": [], "beyond": []}
    scales = "[...document.querySelectorAll('.scale div')].map(e => getComputedStyle(e).printColorAdjust)"
    assert set(page.evaluate(scales)) <= {"exact"}
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.call("Emulation.clearDeviceMetricsOverride")
    page.call("Emulation.setEmulatedMedia", media="", features=[])
    printed = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= MOST_PAGES.get(kind, PAGES)
    page.close()
