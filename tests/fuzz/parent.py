"""The process that opens damaged files, started again when it dies or does not answer."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from pathlib import Path
from types import TracebackType

PATIENCE = 20.0  # seconds per reader of a file
START = 60.0  # seconds of a new process


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
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            answers = selector.select(patience + (START if fresh else 0.0))
        if not answers:
            self._end()
            return {"process": f"no answer within {patience:g} s"}
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._end()
            return {"process": f"died with status {code}"}
        found: dict[str, str] = json.loads(line)
        return found

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
