"""A page that holds a recording in place of a server: it plays offline, wherever HTML is shown."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from pathlib import Path

from rigwright._atomic_files import atomic_write
from rigwright._validate import bad_argument
from rigwright.viewer._page import page_files
from rigwright.viewer._stage import Stage

LARGEST = 256 * 2**20  # bytes: beyond, browsers take long to open a page
PREFIX = "rigwright/"  # of modules in the page's import map
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


class Recording:
    """The frames of a timeline in one HTML page without a server; a notebook shows it.

    :func:`rigwright.viewer.record` makes it.

    Attributes
    ----------
    page : str
        The whole page.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; the file appears complete or not at all.

        Parameters
        ----------
        path : path-like
            ``.html``.

        Raises
        ------
        ValueError
            If the path does not end in ``.html``.
        """
        if Path(path).suffix.lower() != ".html":
            raise bad_argument("Recording.save", "path", repr(str(path)), "a file that ends in .html")
        atomic_write(Path(path), self.page.encode())

    def __repr__(self) -> str:
        return f"<rigwright.viewer.Recording, {len(self.page) / 2**20:.1f} MB>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="640" style="border:0"></iframe>'


def recorded(stage: Stage) -> Recording:
    """The recording of a stage: its timeline, or the one pose in which it stands if nothing plays.

    The stage stands as before afterwards.

    Raises
    ------
    ValueError
        If the page would have more than 256 MB.
    """
    size = sum(12 * len(figure.rest_vertices) for figure in stage.figures())
    count = 1 if stage.timeline.is_empty else stage.timeline.frames
    if (count * size * 4) // 3 > LARGEST:
        got = f"{count:,} frames of {size / 2**20:.1f} MB"
        raise bad_argument("record", "poses", got, f"frames of at most {LARGEST // 2**20} MB together")
    state, at = stage.state, stage.timeline.at
    frames = [stage.step([{"type": "seek", "at": t}], 0.0) for t in range(count)]
    stage.timeline.at = at
    stage.stand(state)
    return Recording(_page([stage.scene(), *frames]))


def _page(messages: list[bytes]) -> str:
    """index.html with style, modules and messages inside."""
    files = {path.lstrip("/"): content.decode() for path, (_, content) in page_files().items()}
    modules = {
        PREFIX + name: _as_url(re.sub(r'from "\./(\w+\.js)"', rf'from "{PREFIX}\1"', content))
        for name, content in files.items()
        if name.endswith(".js")
    }
    texts = json.dumps([base64.b64encode(message).decode() for message in messages])
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<style>\n{files['style.css']}</style>\n"
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>\n'
    )
    tail = (
        f'<script type="application/json" id="recording">{texts}</script>\n'
        f'<script type="module">import "{PREFIX}main.js";</script>\n'
    )
    page = files[""].replace('<link rel="stylesheet" href="style.css">\n', head)
    return page.replace('<script type="module" src="main.js"></script>\n', "").replace("</body>", tail + "</body>")


def _as_url(module: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(module.encode()).decode()
