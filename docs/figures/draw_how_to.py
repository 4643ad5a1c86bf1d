"""Draws the pictures of the how-to pages: ``python -m docs.figures.draw_how_to [NAME ...]`` (all take two minutes).

Each is named after its page and lies in docs/figures/how_to, as a WebP of at most 60 kB. The live view is photographed
in a browser without a window (needs ``chromium``); everything else is drawn by ``rc.plot`` on the built-in rigs.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from docs.figures import how_to_bodies, how_to_faces
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from tests.view.browser import Browser

import rigcast as rc

FOLDER = Path(__file__).resolve().parent / "how_to"
LARGEST = 60_000  # bytes
QUALITIES = (92, 85, 75, 60)
DPI = 110
WINDOW = 1120, 640  # pixels of the view


def main() -> None:
    """Draw the pictures that are named, or all."""
    mpl.rcParams |= {"font.size": 9}
    makers: dict[str, Callable[[], NDArray[np.uint8]]] = {"view": view, "in_a_page": in_a_page}
    for make in (*how_to_bodies.PICTURES, *how_to_faces.PICTURES):
        makers[make.__name__] = lambda make=make: np.asarray(make(), np.uint8)[..., :3]
    for chart in how_to_bodies.CHARTS:
        makers[chart.__name__] = lambda chart=chart: charted(chart)
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or makers:
        print(name, save(FOLDER / f"{name}.webp", makers[name]()), "bytes", flush=True)


def save(path: Path, pixels: NDArray[np.uint8]) -> int:
    """Write a WebP of the best quality that fits; the number of its bytes.

    Raises
    ------
    ValueError
        If a picture is too large at the lowest quality.
    """
    for quality in QUALITIES:
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "WEBP", quality=quality, method=6)
        if buffer.tell() <= LARGEST:
            return path.write_bytes(buffer.getvalue())
    raise ValueError(f"{path.name}: {buffer.tell()} bytes at the lowest quality; it must be at most {LARGEST}")


def charted(content: Callable[[Axes], None]) -> NDArray[np.uint8]:
    """A chart as pixels."""
    figure = Figure(figsize=(6.4, 2.8), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    content(axes)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI)
    return np.asarray(Image.open(buffer).convert("RGB"))


def view() -> NDArray[np.uint8]:
    """The live view of a model beside its rig's recorded poses."""
    live = rc.view(how_to_bodies.skinning(), how_to_bodies.arm_data())
    try:
        return photographed(live.url)
    finally:
        live.close()


def in_a_page() -> NDArray[np.uint8]:
    """A page that plays a recording."""
    rise = np.sin(np.linspace(0.0, np.pi, 24))[:, None] * how_to_faces.weights(how_to_faces.SMILE)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        rc.viewer.record(how_to_faces.face(), poses=rise[8:], fps=24).save(page)
        return photographed(page.as_uri())


def photographed(address: str) -> NDArray[np.uint8]:
    """The page at an address, as a browser without a window draws it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Browser(Path(folder), WINDOW) as browser:
        picture, page = Path(folder) / "view.png", browser.page()
        width, height = WINDOW
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.open(address)
        page.until("window.view && view.frame && !view.arrived")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.screenshot(picture)
        return np.asarray(Image.open(picture).convert("RGB"))


if __name__ == "__main__":
    main()
