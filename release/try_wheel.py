"""Installs a wheel where nothing else is, and tries it: import, commands, and models with the same bytes elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from release.package_wheels import Interpreter
from release.project import ROOT, run, version

TRIAL = ROOT / "release" / "trial.py"
DEVELOPMENT = ROOT / ".venv" / "bin" / "python"


def try_wheels(wheels: Sequence[tuple[Interpreter, Path]], place: Path, development: Path = DEVELOPMENT) -> list[str]:
    """Try the wheel of each Python.

    Parameters
    ----------
    wheels : sequence of (Interpreter, Path)
    place : Path
        Folder for environments, which pip fills with NumPy from its index.
    development : Path
        A Python with NumPy that imports the development build of ``python``, whose results are compared with those
        of the wheels. If there is none, the first wheel makes them.

    Returns
    -------
    list of str
        Findings for people.

    Raises
    ------
    SystemExit
        If a wheel does not install, a command of it fails, or a result is further off than rounding.
    """
    models = place / "models"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir(parents=True)
    found = []
    if any((ROOT / "python" / "rigcast").glob("_core*.so")) and development.exists():
        run([development, TRIAL, models, "make"], PYTHONPATH=os.pathsep.join([str(ROOT / "python"), str(ROOT)]))
        found.append("results are compared with those of the development build")
    for interpreter, wheel in wheels:
        program = install(interpreter, [wheel], place / interpreter.version)
        if not any(models.iterdir()):
            run([program, TRIAL, models, "make"], PYTHONPATH=str(ROOT))
            found.append(f"no development build is here: results are compared with those of {wheel.name}")
        found += try_wheel(interpreter, program, models)
    return found


def install(interpreter: Interpreter, wheels: Sequence[Path], folder: Path, *more: str | Path) -> Path:
    """Install wheels, and what they require, in an empty environment, whose Python is returned."""
    run([interpreter.program, "-m", "venv", "--clear", "--without-pip", folder])  # not every Python brings its pip
    program = folder / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", program]
    run([*pip, "install", "--no-warn-script-location", "--only-binary", ":all:", *more, *wheels])
    return program


def try_wheel(interpreter: Interpreter, program: Path, models: Path) -> list[str]:
    """Run the commands and the models in an environment; returns findings.

    Raises
    ------
    SystemExit
        If one fails, or the package is not the environment's.
    """
    command = program.parent / "rigcast"
    bare = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}
    shown = run([command, "--version"], **bare).strip()
    if version() not in shown:
        raise SystemExit(f"{command} --version says {shown}, not {version()}")
    home = run([program, "-c", "import numpy, rigcast; print(rigcast.__file__, numpy.__version__)"], **bare).split()
    if not Path(home[0]).is_relative_to(program.parents[1]):
        raise SystemExit(f"{program} imports {home[0]}")
    doctor = [line.strip() for line in run([command, "doctor"], **bare).splitlines()]
    told = [line for line in doctor if line.startswith(("cholesky", "cuda ", "instructions"))]
    tried = subprocess.run([program, TRIAL, models, "compare"], capture_output=True, text=True, check=False,
                           cwd=models, env=os.environ | bare)  # fmt: skip
    if tried.returncode:
        raise SystemExit(f"the wheel for Python {interpreter.version}:\n{tried.stdout}{tried.stderr[-4000:]}")
    head = f"Python {interpreter.version}, NumPy {home[1]}: {shown}"
    return [head, *(f"  {line}" for line in [*told, *tried.stdout.splitlines()])]
