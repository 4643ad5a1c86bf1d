"""Running the real command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import rigcast

PACKAGE = Path(rigcast.__file__).resolve().parents[1]

# A solve of the shot that ``shot_files`` holds, again and again on one output.
SOLVE = ["solve", "--overwrite", "face.safetensors", "take.npy", "--fps", "30"]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rigcast", *map(str, arguments)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1"}


def rigcast_command(*arguments: object, folder: Path, timeout: float = 120.0) -> subprocess.CompletedProcess[str]:
    """Run ``rigcast ARGUMENTS`` in a folder; no run may end in a traceback."""
    done = subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, timeout=timeout
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def json_of(*arguments: object, folder: Path, timeout: float = 120.0) -> dict:
    """The JSON object of a run that must succeed."""
    done = rigcast_command(*arguments, "--json", folder=folder, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
