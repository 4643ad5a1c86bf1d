"""The committed type stubs are those that the extension gives."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def normal(text: str) -> str:
    """Without blank lines and formatting: ruff lays the committed file out."""
    return re.sub(r"\s+|,(?=\s*[)\]])|[\"']", "", text)


@pytest.mark.parametrize("name", ["_core", "_cuda"])
def test_stubs_are_current(name, tmp_path):
    pytest.importorskip("pybind11_stubgen", reason="pybind11-stubgen is not installed")
    if importlib.util.find_spec("rigcast._cuda") is None:
        pytest.skip("this build has no rigcast._cuda, whose types the stubs of both name")
    command = [sys.executable, "-m", "pybind11_stubgen", f"rigcast.{name}", "-o", str(tmp_path), "--exit-code"]
    plain = {**os.environ, "RIGCAST_PLAIN_ENGINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=plain)
    assert done.returncode == 0, done.stdout + done.stderr
    fresh = (tmp_path / "rigcast" / f"{name}.pyi").read_text()
    committed = (ROOT / "python" / "rigcast" / f"{name}.pyi").read_text()
    assert normal(fresh) == normal(committed), "the stubs are old: ./run stubs"
