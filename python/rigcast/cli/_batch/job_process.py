"""A job in a process of its own: started, watched and stopped by ``run_job``, which this module's main obeys."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rigcast._resume.locks import locked

PR_SET_PDEATHSIG = 1
POLL = 0.2  # seconds
PATIENCE = 60.0  # seconds that an interrupted job gets to bring its work into safety
LONGEST_RESULT = 1 << 24  # bytes of the JSON object that a job prints
LONGEST_ERROR = 2000  # letters
FAILED, INTERRUPTED = 1, 130


@dataclass(frozen=True)
class JobOutcome:
    """The end of a job: ``result`` if it is done, ``error`` if it failed, ``stopped`` if it was asked to stop."""

    seconds: float
    result: dict[str, Any] | None = None
    error: str = ""
    stopped: bool = False


def run_job(
    words: Sequence[str],
    folder: Path,
    stop: Callable[[], bool],
    heard: Callable[[str], None] = lambda _: None,
    lock: Path | None = None,
) -> JobOutcome:
    """Run ``rigcast WORDS --json`` in a folder.

    Parameters
    ----------
    words : sequence of str
        A command and its arguments. They reach the process as they are: no shell reads them.
    folder : Path
    stop : callable
        Asked several times per second; if it is true, the job is interrupted as by Ctrl-C and may save its work.
    heard : callable
        Gets each line of progress.
    lock : Path, optional
        A file that the process of the job locks. It waits up to :data:`PATIENCE` for a former process of the job, as of
        a worker that was killed, which may still be saving its work.
    """
    begin = time.monotonic()
    line = [sys.executable, "-m", __name__, str(os.getpid()), os.fspath(lock or ""), *words, "--json"]
    with tempfile.TemporaryFile() as shown:
        process = subprocess.Popen(
            line,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=shown,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C in the terminal is passed on once, by us
        )
        said: list[str] = []
        assert process.stderr is not None
        reader = threading.Thread(target=_listen, args=(process.stderr, said, heard), daemon=True)
        reader.start()
        stopped = _wait(process, stop)
        reader.join(PATIENCE)
        process.stderr.close()
        shown.seek(0)
        result = _object(shown.read(LONGEST_RESULT + 1))
    seconds = time.monotonic() - begin
    if process.returncode == 0 and result is not None:
        return JobOutcome(seconds, result)
    return JobOutcome(seconds, None, _error(process.returncode, result, said), stopped)


def _wait(process: subprocess.Popen[str], stop: Callable[[], bool]) -> bool:
    """Wait for the end of a process; returns whether it was stopped."""
    while process.poll() is None and not stop():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL)
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return True


def _listen(stream: IO[str], said: list[str], heard: Callable[[str], None]) -> None:
    for line in stream:
        if text := line.strip():
            said[:] = [*said[-4:], text]
            heard(text)


def _object(content: bytes) -> dict[str, Any] | None:
    if len(content) > LONGEST_RESULT:
        return None
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _error(code: int, result: dict[str, Any] | None, said: list[str]) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"its process was killed by {signal.Signals(-code).name}"
        return f"its process was killed by signal {-code}"
    text = (result or {}).get("error")
    if not isinstance(text, str):
        text = said[-1] if said else "it said nothing"
    return f"{text[:LONGEST_ERROR]} (exit code {code})"


def main(parent: int, lock: str, words: Sequence[str]) -> int:
    """Run a command line in this process, interrupted if the parent ends however it ends (Linux)."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            return INTERRUPTED
    from rigcast.cli import main as rigcast

    return only_process(Path(lock), lambda: rigcast(words)) if lock else rigcast(words)


def only_process(lock: Path, work: Callable[[], int]) -> int:
    """Call ``work``, which returns an exit code, when no other process holds the lock."""
    try:
        with locked(lock, "batch", "jobs", lock, PATIENCE):
            return work()
    except KeyboardInterrupt:  # while waiting: a command turns its own into an exit code
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except ValueError:  # of the lock, as well
        try:
            holder = lock.read_text("utf-8", "replace")
        except OSError:  # it has just ended
            holder = ""
        print(f"{holder or 'another process'} has begun this job and does not end", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
