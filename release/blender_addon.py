"""The add-on for Blender, with the C library of the release."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from release.notices import NAME, notices
from release.project import ROOT, Part, run, version

LARGEST = 2_000_000  # bytes


def make_addon(library: Path, folder: Path, inside: Sequence[Part]) -> Path:
    """Pack the add-on for this processor as ``rigcast_blender-VERSION-linux-PROCESSOR.zip``.

    Parameters
    ----------
    library, folder : Path
        What is packed, and where to.
    inside : sequence of Part
        What the library contains of others.

    Raises
    ------
    SystemExit
        If it cannot be packed, or is too large.
    """
    path = folder / f"rigcast_blender-{version()}-linux-{platform.machine()}.zip"
    with tempfile.TemporaryDirectory() as made:
        text = Path(made) / NAME
        text.write_text(notices(inside), encoding="utf-8")
        run([sys.executable, ROOT / "blender" / "pack.py", path, library, text])
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, {LARGEST:,} are the most")
    return path
