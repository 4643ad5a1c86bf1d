"""Links to folders of the repository: they are right where the page lies in it, and plain words on the site.

Files need nothing: MyST copies them beside the pages.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page when it has been read."""
    app.connect("doctree-read", unlink_folders)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def unlink_folders(app: Sphinx, page: nodes.document) -> None:
    """Leave the words of links to folders."""
    for link in list(page.findall(pending_xref)):
        if link.get("reftype") == "myst":
            folder = Path(app.env.doc2path(link["refdoc"])).parent / link["reftarget"]
            if folder.is_dir():
                link.replace_self(nodes.inline("", "", *link.children))
