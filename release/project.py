"""Facts of the project that artifacts state."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLED = ROOT / "bundled"


@dataclass(frozen=True)
class Part:
    """Code of others that an artifact contains.

    Attributes
    ----------
    name, version, licence, home : str
        The licence by its SPDX name.
    inside : str
        What of it is inside, in words.
    """

    name: str
    version: str
    licence: str
    home: str
    inside: str


def version() -> str:
    """The version in ``pyproject.toml``."""
    found = re.search(r'^version = "(.+?)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


def commit_time() -> int:
    """Seconds of the last commit, which archives state as the time of their files."""
    shown = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(shown.stdout)


def run(command: list[str | Path], **environment: str) -> str:
    """Run a command in the project's folder and return its output; its end is shown if it fails."""
    env = os.environ | {"SOURCE_DATE_EPOCH": str(commit_time())} | environment
    done = subprocess.run(list(map(str, command)), cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout
