"""The documentation's sources: its pages, their links, and the extensions that write pages."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")


def sources() -> list[Path]:
    """The Markdown pages that git keeps, the repository's own among them."""
    written = {DOCS / "reference" / "command_line.md"}
    return sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md")} - written)


def links(page: Path) -> list[str]:
    """Targets of a page's links and pictures, those in code left out."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    return LINK.findall(text)


def extension(name: str) -> ModuleType:
    """A module of docs/_ext."""
    folder = str(DOCS / "_ext")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)
