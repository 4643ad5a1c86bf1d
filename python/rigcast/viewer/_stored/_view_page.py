"""One HTML page of the view, whole: it opens from a disk, and asks nobody for anything."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from rigcast._atomic_files import atomic_write
from rigcast._validate import bad_argument
from rigcast.viewer._page import files_of

LARGEST = 256 * 2**20  # bytes: beyond, browsers take long to open a page
PREFIX = "rigcast/"  # of modules in the page's import map
COMMENT = re.compile(r"^\s*(//[^\n]*|/\*\*.*?\*/)\n", re.M | re.S)  # on lines of its own
LOCAL = re.compile(r'(from |import\()"\.{1,2}/(?:\w+/)*(\w+\.js)"')  # imports, by names alone in a page
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
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
  add("module", 'import "{PREFIX}START";');
}})().catch((error) => {{
  const lost = document.getElementById("lost");
  lost.hidden = false;
  lost.textContent = "This page cannot be opened here: " + error.message;
}});
"""


class ViewPage:
    """A page of the view in one file, without a server; a notebook shows it.

    :func:`rigcast.viewer.record` and :func:`rigcast.viewer.embed` make it.

    Attributes
    ----------
    page : str
        The whole page.
    notes : list of str
        What the page shows otherwise than the view.
    """

    def __init__(self, page: str, notes: Sequence[str] = ()) -> None:
        self.page, self.notes = page, list(notes)

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
            raise bad_argument("ViewPage.save", "path", repr(str(path)), "a file that ends in .html", path)
        atomic_write(Path(path), self.page.encode())

    def __repr__(self) -> str:
        return f"<rigcast.viewer.ViewPage, {len(self.page) / 2**20:.1f} MB>"

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="640" style="border:0"></iframe>'


def base64_of(content: bytes) -> str:
    """The text that a page holds of bytes."""
    return base64.b64encode(content).decode()


def whole_page(start: str, data: str, more: Mapping[str, str] | None = None) -> str:
    """index.html with style, modules and data inside.

    Parameters
    ----------
    start : str
        The module that is loaded first.
    data : str
        An element that the module reads.
    more : dict of str to str, optional
        Texts of modules beside those of the page, by names; all are found by these alone.
    """
    files = {Path(path).name: content.decode() for path, (_, content) in files_of("rigcast.viewer").items()}
    assert not files.keys() & (more or {}).keys(), "two modules of one name"
    files |= more or {}
    modules = {
        PREFIX + name: COMMENT.sub("", LOCAL.sub(rf'\1"{PREFIX}\2"', content))
        for name, content in files.items()
        if name.endswith(".js")
    }
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<style>\n{files["style.css"]}</style>\n'
    tail = (
        f"{data}\n"
        f'<script type="text/plain" id="modules">{base64_of(zlib.compress(json.dumps(modules).encode(), 9))}</script>\n'
        f"<script>{LOADER.replace('START', start)}</script>\n"
    )
    page = files[""].replace('<link rel="stylesheet" href="style.css">\n', head)
    return page.replace('<script type="module" src="main.js"></script>\n', "").replace("</body>", tail + "</body>")
