"""The process that opens damaged files, started again when it dies or does not answer."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

PATIENCE = 20.0  # seconds of a processor per reader of a file: a busy machine is no finding
START = 60.0  # seconds of a new process
IDLE = 10  # times the patience that may pass on the clock: a reader that waits for something uses no processor
LOOKS = 0.5  # seconds between two looks


class Worker:
    """Asks a process what each reader of a file did; a context that ends the process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def opened(self, path: Path, patience: float = PATIENCE) -> dict[str, str]:
        """What readers did that they must not, by reader; "process" for a crash or no answer."""
        fresh = self._process is None
        if self._process is None:
            words = [sys.executable, "-m", "tests.fuzz.worker"]
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        if not self._answers(patience, patience + (START if fresh else 0.0)):
            self._end()
            return {"process": f"no answer within {patience:g} s"}
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._end()
            return {"process": f"died with status {code}"}
        found: dict[str, str] = json.loads(line)
        return found

    def _answers(self, patience: float, seconds: float) -> bool:
        """True if the process answers within some seconds of a processor."""
        assert self._process is not None
        assert self._process.stdout is not None
        begin, used = time.monotonic(), _processor_seconds(self._process.pid)
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                left = min(seconds - (_processor_seconds(self._process.pid) - used),
                           IDLE * seconds - (time.monotonic() - begin))  # fmt: skip
                if selector.select(min(max(left, 0.0), LOOKS) if patience > 0 else 0.0):
                    return True
                if left <= 0 or patience <= 0:
                    return False

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _processor_seconds(process: int) -> float:
    """Seconds of processors that a process has used; those of the clock where nothing tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
