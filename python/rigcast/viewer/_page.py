"""The files of the page, read once from the package, and the headers they are sent with."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def files_of(package: str) -> dict[str, tuple[str, bytes]]:
    """Path below the root of the server, to content type and content of the files in a package's folder ``page``.

    ``/`` is ``index.html``.
    """
    found = dict(_files_in(resources.files(package) / "page", "/"))
    found["/"] = found.pop("/index.html")
    return found


def _files_in(folder: Any, path: str) -> Iterator[tuple[str, tuple[str, bytes]]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _files_in(file, f"{path}{file.name}/")
        elif kind := next((kind for suffix, kind in TYPES.items() if file.name.endswith(suffix)), None):
            yield path + file.name, (kind, file.read_bytes())
