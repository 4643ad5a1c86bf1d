"""Scripts that use the add-on inside an installed Blender, with the trainer of this environment; what they told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rigcast
from tests.support.blender import blender_program, has_wheel
from tests.support.process import PATIENCE

SCENES = Path(__file__).with_name("scenes")
PACKAGE = Path(rigcast.__file__).resolve().parents[1]


def blenders() -> list[Any]:
    """Commands that run a script, as parameters: None for :func:`program`; this Python's bpy and those of
    TESTS_BPY_PYTHONS, long.

    The variable lists Pythons that have bpy, with the separator of PATH. The trainer is always of this environment: it
    opens files by the Blender that asks.
    """
    pythons = [sys.executable] if has_wheel() else []
    pythons += [path for path in os.environ.get("TESTS_BPY_PYTHONS", "").split(os.pathsep) if path]
    modules = [pytest.param([path], id=f"bpy{place}", marks=pytest.mark.long) for place, path in enumerate(pythons)]
    return [pytest.param(None, id="program"), *modules]


def program() -> str:
    """An installed Blender; skips the test without one."""
    found = blender_program()
    if found is None:
        pytest.skip("no Blender is installed (TESTS_WITHOUT_BLENDER, or none on the PATH)")
    return found


def trainer(folder: Path) -> Path:
    """A program ``rigcast`` of this environment, as one that is installed elsewhere."""
    path = folder / "rigcast"
    settings = f"PYTHONPATH={PACKAGE} OMP_NUM_THREADS=1"
    path.write_text(f'#!/bin/sh\n{settings} exec {sys.executable} -m rigcast "$@"\n')
    path.chmod(0o755)
    return path


def begun(script: str, folder: Path, *arguments: object, blender: list[str] | None = None) -> subprocess.Popen[str]:
    """Start a script of ``scenes`` in Blender, with a folder of its own for what it writes."""
    path = f"import sys; sys.path.insert(0, {str(SCENES)!r})"
    options = ["--background", "--factory-startup", "--python-exit-code", "3", "--python-expr", path, "--python"]
    start = [program(), *options] if blender is None else blender
    words = [*start, str(SCENES / script), "--", str(folder), *map(str, arguments)]
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    for name in ("CONFIG", "SCRIPTS", "RESOURCES"):
        settings[f"BLENDER_USER_{name}"] = str(folder)
    settings["RIGCAST_TEST_TRAINER"] = str(trainer(folder))
    return subprocess.Popen(words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def told(script: str, folder: Path, *arguments: object, blender: list[str] | None = None) -> dict[str, Any]:
    """Run a script of ``scenes`` to its end; what it wrote by ``tell``."""
    process = begun(script, folder, *arguments, blender=blender)
    shown, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, shown[-4000:]
    return dict(json.loads((folder / "told.json").read_text()))
