# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed ``rigcast`` as a process: found, run with progress, and ended with this Blender.

The process ends when its stdin does (``--piped``): if the work is stopped, or this Blender dies, however it dies. What
it was doing goes on where it was when the same command is run again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy

from .running import JobError, Progress

PATIENCE = 20.0  # seconds that a process gets to bring its work into safety
PRIVATE = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE")  # of Blender's own Python
MISSING = 'needs rigcast: pip install "rigcast[training]", then name its program in the add-on\'s preferences'


def program(chosen: str) -> list[str]:
    """The words that begin every command line.

    Parameters
    ----------
    chosen : str
        A program ``rigcast``, a Python that has the package, or empty: the one on the PATH.

    Raises
    ------
    JobError
        If there is none.
    """
    path = bpy.path.abspath(chosen) if chosen else "rigcast"
    found = shutil.which(path)
    if found is None:
        raise JobError(f"{chosen} is no program; learning {MISSING}" if chosen else f"learning {MISSING}")
    return [found, "-m", "rigcast"] if Path(found).name.lower().startswith("python") else [found]


def environment() -> dict[str, str]:
    """This process's environment without what belongs to Blender's Python."""
    return {key: value for key, value in os.environ.items() if key not in PRIVATE}


def this_blender() -> list[str]:
    """The options that make the trainer open .blend files with this Blender, which is sure to read them.

    As a module of Python Blender has no program of its own: it is that Python.
    """
    return ["--blender", bpy.app.binary_path or sys.executable]


def run(
    begin: Sequence[str], words: Sequence[str], folder: Path, name: str
) -> Generator[Progress, None, dict[str, Any]]:
    """Run a command of ``rigcast`` to its end; closing the generator ends it.

    Parameters
    ----------
    begin : list of str
        See :func:`program`.
    words : list of str
        Command and arguments.
    folder : Path
        Where it runs, and where ``NAME.out`` and ``NAME.log`` are written.
    name : str

    Returns
    -------
    dict
        The result of the command.

    Raises
    ------
    JobError
        With the command's own sentence.
    """
    shown, told = folder / f"{name}.out", folder / f"{name}.log"
    with _process([*begin, *map(str, words), "--piped", "--json"], folder, shown, told) as process:
        progress = Progress("starting", None, waits=True)
        place = 0
        while process.poll() is None:
            yield progress
            records, place = _records(told, place)
            if records:
                progress = _progress(records[-1])
    result = _result(shown)
    if process.returncode != 0:
        raise JobError(_error(result, told, process.returncode))
    return result


@contextlib.contextmanager
def _process(words: Sequence[str], folder: Path, shown: Path, told: Path) -> Iterator[subprocess.Popen]:
    with open(shown, "wb") as out, open(told, "wb") as log:
        process = subprocess.Popen(
            words, cwd=folder, env=environment(), stdin=subprocess.PIPE, stdout=out, stderr=log, **_hidden()
        )
    try:
        yield process
    finally:
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _hidden() -> dict[str, Any]:
    """No console window on Windows."""
    flag = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return {"creationflags": flag} if flag else {}


def _records(path: Path, place: int) -> tuple[list[dict[str, Any]], int]:
    """The records of progress after a place in a file, and the place after the last whole line."""
    with open(path, "rb") as file:
        file.seek(place)
        text = file.read()
    whole = text[: text.rfind(b"\n") + 1]
    records = []
    for line in whole.splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict) and "stage" in record:
                records.append(record)
    return records, place + len(whole)


def _progress(record: dict[str, Any]) -> Progress:
    total, done, stage = record["total"], record["done"], record["stage"]
    fraction: float | None = min(done / total, 1.0) if total else None
    count = f" {done:.0f} of {total:.0f}" if total and total != 1.0 else ""
    notes = "\n".join(part for part in record.get("message", "").split(", ")[:4])
    return Progress(f"{stage}{count}\n{notes}", fraction, waits=True)


def _result(path: Path) -> dict[str, Any]:
    """The object on stdout; empty without one."""
    with contextlib.suppress(ValueError, IndexError):
        found = json.loads(path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1])
        if isinstance(found, dict):
            return found
    return {}


def _error(result: dict[str, Any], told: Path, code: int) -> str:
    if "error" in result:
        return str(result["error"])
    lines = [line for line in told.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if not line.startswith("{")), "it said nothing")
    return f"rigcast ended with exit code {code}: {last}"
