"""A stored report on another machine: a minimal Debian with Chromium and nothing else opens and moves it.

    python -m tests.web.clean_root REPORT.html [--picture FILE.png]

As root, with debootstrap. The browser runs in the root, by ``chroot``; only its DevTools port is reached from here: a
button is pressed, the skin is dragged, and the character must have moved each time, without a request to anywhere.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from release.systems.roots import ROOTS, Reach, copy, discard, into, lacking, prepared
from tests.view.browser import Browser, Page

IFRAME = "document.getElementById('character')"
FRAME = f"{IFRAME}.contentWindow.view?.frame"
PLACE = f"""(() => {{  // in the middle of the skin's pixels, by the order in which they are looked at
  const {{ view }} = {IFRAME}.contentWindow, box = view.canvas.getBoundingClientRect(), found = [];
  const outer = {IFRAME}.getBoundingClientRect();
  for (let y = box.top + 1; y < box.bottom; y += 6) for (let x = box.left + 1; x < box.right; x += 6) {{
    const {{ origin, direction }} = view.pointer.ray({{ clientX: x, clientY: y }});
    if (view.link.figure.surface.pick(origin, direction)) found.push([x + outer.left + 1, y + outer.top + 1]);
  }}
  return found[found.length >> 1];
}})()"""


def main() -> int:
    """Say what moved; 0 if all did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("--picture", type=Path)
    args = parser.parse_args()
    reason = lacking()
    if reason is not None:
        print(f"SKIPPED: {reason}")
        return 1
    root = ROOTS / f"used-{os.getpid()}"
    discard(root)
    copy(prepared(["chromium"], Reach.of_this_machine(), ROOTS / "chromium.log"), root)
    try:
        (root / "reports").mkdir()
        shutil.copy(args.report, root / "reports" / "report.html")
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            Browser(Path(folder), (1100, 900), before=into(root)) as browser,
        ):
            return moved(browser.page(), args.picture)
    finally:
        discard(root)


def moved(page: Page, picture: Path | None) -> int:
    """0 if a button and a drag changed the pose, and nothing was asked for."""
    page.open("file:///reports/report.html")
    page.until(f"document.readyState === 'complete' && {IFRAME}")
    page.evaluate("document.getElementById('live').scrollIntoView()")
    page.until(FRAME)
    rows = [page.evaluate(FRAME)["row"]]
    before = page.evaluate(f"{FRAME}.frame")
    page.evaluate("[...document.querySelectorAll('.stops button')].at(-1).click()")
    page.until(f"{FRAME}.frame > {before}")
    rows.append(page.evaluate(FRAME)["row"])
    x, y = page.evaluate(PLACE)
    page.mouse("Pressed", x, y)
    page.until(f"{IFRAME}.contentWindow.view.pointer.mode === 'drag'")
    for step in range(1, 9):
        page.mouse("Moved", x + 4 * step, y + 3 * step)
    page.until(f"{FRAME}.pins.length")
    page.mouse("Released", x + 32, y + 24)
    page.until(f"{FRAME}.pins.length === 0")
    rows.append(page.evaluate(FRAME)["row"])
    if picture is not None:
        page.screenshot(picture)
    elsewhere = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]
    print(f"a button moved it: {rows[1] != rows[0]}; a drag moved it: {rows[2] != rows[1]}")
    print(f"complaints: {page.complaints or 'none'}; requests: {elsewhere or 'none'}")
    return int(rows[1] == rows[0] or rows[2] == rows[1] or bool(page.complaints or elsewhere))


if __name__ == "__main__":
    sys.exit(main())
