"""Headers of Highway for a source distribution: copied from the system's package, with its licence."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from release.project import BUNDLED, Part

FOLDERS = ("ops", "contrib/math")  # beside the headers themselves; the rest of contrib, and tests, are not used


def bundle(
    include: Path = Path("/usr/include/hwy"), licence: Path = Path("/usr/share/doc/libhwy-dev/copyright")
) -> Part:
    """Copy the headers to ``bundled/highway``, where ``cmake/Findhwy.cmake`` finds them.

    Parameters
    ----------
    include, licence : Path
        Folder and file of the package libhwy-dev.

    Raises
    ------
    SystemExit
        If they are not there.
    """
    if not include.is_dir() or not licence.is_file():
        raise SystemExit(f"no {include} or no {licence}: install the Debian package libhwy-dev")
    place = BUNDLED / "highway"
    shutil.rmtree(place, ignore_errors=True)
    (place / "hwy").mkdir(parents=True)
    for header in sorted(include.glob("*.h")):
        shutil.copyfile(header, place / "hwy" / header.name)
    for folder in FOLDERS:
        shutil.copytree(include / folder, place / "hwy" / folder, ignore=shutil.ignore_patterns("*_test.cc"))
    shutil.copyfile(licence, place / "LICENSE")
    return Part(
        "Highway", _version(include), "Apache-2.0 OR BSD-3-Clause", "github.com/google/highway", "headers, compiled in"
    )


def _version(include: Path) -> str:
    text = (include / "base.h").read_text(encoding="utf-8") + (include / "highway.h").read_text(encoding="utf-8")
    numbers = [re.search(rf"#define HWY_{name} (\d+)", text) for name in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(found[1] if found else "?" for found in numbers)
