"""A page that holds a recording in place of a server: it plays offline, wherever HTML is shown."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import zlib
from pathlib import Path

from rigcast._atomic_files import atomic_write
from rigcast._validate import bad_argument
from rigcast.viewer._messages import Seek
from rigcast.viewer._page import files_of
from rigcast.viewer._stage import Stage
from rigcast.viewer._summed import summed

LARGEST = 256 * 2**20  # bytes: beyond, browsers take long to open a page
PREFIX = "rigcast/"  # of modules in the page's import map
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)

# Modules come deflated; browsers load them through an import map, which must be there before the first of them.
LOADER = f"""
(async () => {{
  const bytes = Uint8Array.from(atob(document.getElementById("modules").textContent), (letter) => letter.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const modules = JSON.parse(await new Response(inflated).text());
  for (const name in modules) modules[name] = "data:text/javascript;charset=utf-8," + encodeURIComponent(modules[name]);
  const made = () => document.createElement("script");
  const add = (type, textContent) => document.body.append(Object.assign(made(), {{ type, textContent }}));
  add("importmap", JSON.stringify({{ imports: modules }}));
  add("module", 'import "{PREFIX}main.js";');
}})();
"""


class Recording:
    """The frames of a timeline in one HTML page without a server; a notebook shows it.

    :func:`rigcast.viewer.record` makes it.

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
            raise bad_argument("Recording.save", "path", repr(str(path)), "a file that ends in .html", path)
        atomic_write(Path(path), self.page.encode())

    def __repr__(self) -> str:
        return f"<rigcast.viewer.Recording, {len(self.page) / 2**20:.1f} MB>"

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="640" style="border:0"></iframe>'


def recorded(stage: Stage, vertices: int | None = None) -> Recording:
    """The recording of a stage: its timeline, or the one pose in which it stands if nothing plays.

    With ``vertices``, of at most so many vertices per figure, in frames that are sums of components. The stage stands
    as before afterwards.

    Raises
    ------
    ValueError
        If the page would have more than 256 MB.
    """
    state, at = stage.state, stage.timeline.at
    try:
        return Recording(_page(_sent(stage) if vertices is None else _base64(summed(stage, vertices))))
    finally:
        stage.timeline.at = at
        stage.stand(state)


def _sent(stage: Stage) -> list[str]:
    """The scene, and each frame, as the server sends them."""
    size = sum(12 * len(figure.rest_vertices) for figure in stage.figures())
    count = 1 if stage.timeline.is_empty else stage.timeline.frames
    if (count * size * 4) // 3 > LARGEST:
        got = f"{count:,} frames of {size / 2**20:.1f} MB"
        raise bad_argument("record", "poses", got, f"frames of at most {LARGEST // 2**20} MB together")
    frames = (stage.step([Seek(t)], 0.0) for t in range(count))
    return [_base64(stage.scene()), *map(_base64, frames)]


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _page(stored: list[str] | str) -> str:
    """index.html with style, modules and frames inside."""
    files = {path.lstrip("/"): content.decode() for path, (_, content) in files_of("rigcast.viewer").items()}
    modules = {
        PREFIX + name: re.sub(r'from "\./(\w+\.js)"', rf'from "{PREFIX}\1"', content)
        for name, content in files.items()
        if name.endswith(".js")
    }
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<style>\n{files["style.css"]}</style>\n'
    tail = (
        f'<script type="application/json" id="recording">{json.dumps(stored)}</script>\n'
        f'<script type="text/plain" id="modules">{_base64(zlib.compress(json.dumps(modules).encode(), 9))}</script>\n'
        f"<script>{LOADER}</script>\n"
    )
    page = files[""].replace('<link rel="stylesheet" href="style.css">\n', head)
    return page.replace('<script type="module" src="main.js"></script>\n', "").replace("</body>", tail + "</body>")
