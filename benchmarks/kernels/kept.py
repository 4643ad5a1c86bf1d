"""Builds that were kept to be compared with: copies of the package with its extension, by commit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from benchmarks.kernels.worker import ROOT, own_folder

KEPT = ROOT / "build" / "bench" / "old"
HOW = "python -m benchmarks.kernels --keep"


def commit_of(revision: str) -> str | None:
    """The abbreviated commit that a revision names, or None if it names none."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--short=12", f"{revision}^{{commit}}"]
    try:
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # no git
        return None
    return found.stdout.strip() or None


def keep() -> Path:
    """Copy the package that Python imports here, under the commit that is checked out."""
    folder = KEPT / (commit_of("HEAD") or "unversioned")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(own_folder() / "rigcast", folder / "rigcast", ignore=shutil.ignore_patterns("__pycache__"))
    folder.touch()
    return folder


def find(against: str | None) -> Path | None:
    """The folder of the old build: a folder, a revision whose build was kept, or by default the build kept last.

    Raises
    ------
    LookupError
        If there is no such build.
    """
    if against is None:
        builds = sorted(KEPT.glob("*/rigcast"), key=lambda package: package.parent.stat().st_mtime)
        return builds[-1].parent.resolve() if builds else None
    if (Path(against) / "rigcast").is_dir():
        return Path(against).resolve()
    folder = KEPT / (commit_of(against) or "no commit")
    if not (folder / "rigcast").is_dir():
        raise LookupError(
            f"{against} is no folder with a package rigcast, and no build of such a revision was kept; "
            f"to keep one, check it out, build it, and run: {HOW}"
        )
    return folder.resolve()
