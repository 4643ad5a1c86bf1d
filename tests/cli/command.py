"""Running a command: in this process, or in one of its own where the process itself is under test."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import rigcast
from rigcast.cli import _dispatch as dispatch
from tests.support.process import same_process

PACKAGE = Path(rigcast.__file__).resolve().parents[1]

# A solve of the shot that ``shot_files`` holds, again and again on one output.
SOLVE = ["solve", "--overwrite", "face.safetensors", "take.npy", "--fps", "30"]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "rigcast", *map(str, arguments)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1"}


@contextlib.contextmanager
def working_folder(folder: Path) -> Iterator[None]:
    """The current directory of this process, for a while."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def rigcast_command(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``rigcast ARGUMENTS`` in a folder, in this process; no run may end in a traceback.

    Returns what a process of its own would: exit code, stdout and stderr. The working directory, the environment and
    the handler of Ctrl-C are as before afterwards.
    """
    words = [str(argument) for argument in arguments]
    shown, told = io.StringIO(), io.StringIO()
    with same_process(), working_folder(folder), contextlib.redirect_stdout(shown), contextlib.redirect_stderr(told):
        os.environ["PYTHONPATH"] = str(PACKAGE)  # for processes that the command starts
        code = dispatch.main(words)
    return without_traceback(subprocess.CompletedProcess(words, code, shown.getvalue(), told.getvalue()))


def rigcast_process(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """The same by the program itself: for exit codes and streams as the shell sees them."""
    return without_traceback(
        subprocess.run(command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    )


BROKEN_OFF = """
import os, sys
from rigcast.cli import _console as console, _dispatch as dispatch


def stop(self, progress):
    if {when}:
        os.kill(os.getpid(), {how})


console.Lines.__call__ = stop
sys.exit(dispatch.main(sys.argv[1:]))
"""


def broken_off(
    *arguments: object, folder: Path, when: str, how: signal.Signals = signal.SIGINT
) -> subprocess.CompletedProcess[str]:
    """A process that gets a signal once its ``progress`` is as ``when`` says, however busy the machine is."""
    program = [sys.executable, "-c", BROKEN_OFF.format(when=when, how=int(how)), *map(str, arguments)]
    return without_traceback(
        subprocess.run(program, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    )


def without_traceback(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert "Traceback" not in done.stderr, done.stderr
    return done


def json_of(*arguments: object, folder: Path) -> dict:
    """The JSON object of a run that must succeed."""
    done = rigcast_command(*arguments, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
