"""Scripts that use the add-on inside an installed Blender, with the trainer of this environment; what they told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rigcast
from tests.support.blender import blender_program, has_wheel
from tests.support.process import PATIENCE

SCENES = Path(__file__).with_name("scenes")
FAILED = 3  # exit code of a program whose script fails; that of a Python with bpy is 1
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


def _in_window() -> list[str]:
    """The command line of a Blender with a window; skips the test without a display, or keys to press."""
    for name in ("xvfb-run", "xdotool"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    size = "800x600"
    screen = ["xvfb-run", "--auto-servernum", "--server-args", f"-screen 0 {size}x24"]
    return [*screen, program(), "--window-geometry", "0", "0", *size.split("x")]


def trainer(folder: Path) -> Path:
    """A program ``rigcast`` of this environment, as one that is installed elsewhere."""
    path = folder / "rigcast"
    settings = f"PYTHONPATH={PACKAGE} OMP_NUM_THREADS=1"
    path.write_text(f'#!/bin/sh\n{settings} exec {sys.executable} -m rigcast "$@"\n')
    path.chmod(0o755)
    return path


def begun(
    script: str, folder: Path, *arguments: object, blender: list[str] | None = None, window: bool = False
) -> subprocess.Popen[str]:
    """Start a script of ``scenes`` in Blender, with a folder of its own for what it writes.

    With ``window`` the program has one, on a display that nobody sees.
    """
    start = (_in_window() if window else [program(), "--background"]) if blender is None else blender
    if blender is None:
        path = f"import sys; sys.path.insert(0, {str(SCENES)!r})"
        start = [*start, "--factory-startup", "--python-exit-code", str(FAILED), "--python-expr", path, "--python"]
    words = [*start, str(SCENES / script), "--", str(folder), *map(str, arguments)]
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    for name in ("CONFIG", "SCRIPTS", "RESOURCES"):
        settings[f"BLENDER_USER_{name}"] = str(folder)
    settings["LIBGL_ALWAYS_SOFTWARE"] = "1"  # of windows
    settings["RIGCAST_TEST_TRAINER"] = str(trainer(folder))
    return subprocess.Popen(words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def told(script: str, folder: Path, *arguments: object, blender: list[str] | None = None) -> dict[str, Any]:
    """Run a script of ``scenes`` to its end; what it wrote by ``tell``."""
    process = begun(script, folder, *arguments, blender=blender)
    shown, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, shown[-4000:]
    return dict(json.loads((folder / "told.json").read_text()))
