"""The installed ``rigcast`` as a process, for what only the whole package can do.

It ends with its stdin (``--piped``): if Esc is pressed, or this Houdini dies, however it dies. What it was doing goes
on where it was when the same command is run again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hou

PATIENCE = 20.0  # seconds that a process gets to bring its work into safety
TICK = 0.1  # seconds between two looks at its progress
PRIVATE = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE")  # of Houdini's own Python
VARIABLE = "RIGCAST_PROGRAM"


def command(program: str = "") -> list[str]:
    """The words that begin every command line.

    Parameters
    ----------
    program : str
        A program ``rigcast``, a Python that has the package, or empty: the one that the environment variable
        RIGCAST_PROGRAM names, or else the one on the PATH.

    Raises
    ------
    ValueError
        If there is none.
    """
    chosen = program or os.environ.get(VARIABLE, "")
    found = shutil.which(chosen or "rigcast")
    if found is None:
        named = f"{chosen} is no program" if chosen else "there is no program rigcast on the PATH"
        raise ValueError(
            f"{named}: transfer runs the whole package, which Houdini's Python does not have. pip install rigcast into "
            f"a Python of its own, and name its program in {VARIABLE}"
        )
    return [found, "-m", "rigcast"] if Path(found).name.lower().startswith("python") else [found]


def run(words: Sequence[str], folder: Path, operation: hou.InterruptableOperation) -> dict[str, Any]:
    """Run a command of ``rigcast`` to its end, with progress.

    Parameters
    ----------
    words : sequence of str
        The whole command line but for ``--piped --json``.
    folder : Path
        Where it runs, and where ``rigcast.out`` and ``rigcast.log`` are written.
    operation : hou.InterruptableOperation
        Shows the progress; Esc raises ``hou.OperationInterrupted``, and the process ends.

    Returns
    -------
    dict
        The result of the command.

    Raises
    ------
    ValueError
        With the command's own sentence.
    """
    shown, told = folder / "rigcast.out", folder / "rigcast.log"
    environment = {key: value for key, value in os.environ.items() if key not in PRIVATE}
    with open(shown, "wb") as out, open(told, "wb") as log:
        process = subprocess.Popen(
            [*words, "--piped", "--json"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=out, stderr=log
        )
    assert process.stdin is not None
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(TICK)
                break
            operation.updateProgress(_fraction(told))
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    result = _last_object(shown)
    if process.returncode != 0:
        raise ValueError(str(result.get("error") or _last_line(told, process.returncode)))
    return result


def _fraction(told: Path) -> float:
    """The share that is done by the last whole record; -1 if unknown, as Houdini takes it."""
    record = _last_object(told)
    total = record.get("total")
    return min(float(record.get("done", 0.0)) / float(total), 1.0) if total else -1.0


def _last_object(path: Path) -> dict[str, Any]:
    """The last line of a file that is a JSON object; empty without one."""
    for line in reversed(path.read_text(encoding="utf-8", errors="replace").splitlines()):
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                return found
    return {}


def _last_line(told: Path, code: int) -> str:
    lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
    last = next((line for line in reversed(lines) if line.strip() and not line.startswith("{")), "it said nothing")
    return f"rigcast ended with exit code {code}: {last}"
