"""The add-on for Blender, with the C library of the release."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from release.project import ROOT, run, version

LARGEST = 2_000_000  # bytes


def make_addon(library: Path, folder: Path) -> Path:
    """Pack the add-on for this processor as ``rigcast_blender-VERSION-linux-PROCESSOR.zip``.

    Raises
    ------
    SystemExit
        If it cannot be packed, or is too large.
    """
    path = folder / f"rigcast_blender-{version()}-linux-{platform.machine()}.zip"
    run([sys.executable, ROOT / "blender" / "pack.py", path, library])
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, {LARGEST:,} are the most")
    return path
