"""The source distribution of the package, which compiles where only a compiler and Python's headers are."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

from release.project import run, version

WANTED = (
    "CMakeLists.txt",
    "LICENSE",
    "bundled/highway/LICENSE",
    "bundled/highway/hwy/highway.h",
    "bundled/highway/hwy/contrib/math/math-inl.h",
    "cmake/headers.cmake",
    "python/rigcast/web/page.wasm",
    "python/rigcast/web/rigcast.wasm",
)


def make_sources(folder: Path) -> Path:
    """Pack the sources, in which ``bundled`` lies already.

    Raises
    ------
    SystemExit
        If they cannot be packed, or lack the headers that no wheel brings.
    """
    run([sys.executable, "-m", "build", "--sdist", "--outdir", folder])
    path = folder / f"rigcast-{version()}.tar.gz"
    with tarfile.open(path) as packed:
        names = set(packed.getnames())
    missing = [name for name in WANTED if f"rigcast-{version()}/{name}" not in names]
    if missing:
        raise SystemExit(f"{path.name} lacks {', '.join(missing)}")
    return path
