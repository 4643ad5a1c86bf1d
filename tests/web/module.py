"""The module and the program that run it, or a visible skip where one of them is not there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "python" / "rigcast" / "web"
MODULE = WEB / "rigcast.wasm"
NODE = shutil.which("node")
SCRIPTS = Path(__file__).parent

if not MODULE.exists():
    pytest.skip("rigcast.wasm is not built (./run web)", allow_module_level=True)
if NODE is None:
    pytest.skip("no node on the PATH", allow_module_level=True)


def node(script: str, *arguments: object, timeout: float = 300.0) -> str:
    """The output of a script of this folder."""
    command = [str(NODE), str(SCRIPTS / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout
