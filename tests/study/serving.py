"""A server in a process of its own, which is killed without warning and started again on the same port."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import rigcast as rc
from tests.support.process import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, str]:
    """Variables with which a process finds this package and its tests."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(rc.__file__).parents[1]), str(ROOT)])}


class MortalServer:
    """A server that dies ``kills`` times by SIGKILL, at random moments, while it is used.

    Parameters
    ----------
    folder : Path
        Of the study.
    kills : int
    longest : float
        Seconds of a life, at most, after the server can be reached.
    """

    def __init__(self, folder: Path, kills: int, longest: float = 0.3) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self.deaths = 0
        self._kills, self._longest = kills, longest
        self._random = random.Random(kills)
        command = [sys.executable, "-m", "tests.study.lives", str(folder), str(port)]
        self._lives = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True
        )
        self._pid = self._started()
        self._stop = threading.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._live_and_die)
        self._thread.start()

    def begin(self) -> None:
        """Begin to die."""
        self._begun.set()

    def _started(self) -> int:
        """The process of a new life, which can be reached."""
        assert self._lives.stdin is not None
        assert self._lives.stdout is not None
        self._lives.stdin.write("\n")
        self._lives.stdin.flush()
        pid, url = self._lives.stdout.readline().split()
        assert url == self.url
        return int(pid)

    def _live_and_die(self) -> None:
        self._begun.wait()
        while self.deaths < self._kills and not self._stop.wait(self._random.uniform(0.0, self._longest)):
            os.kill(self._pid, signal.SIGKILL)
            self.deaths += 1
            self._pid = self._started()

    def wait_for_deaths(self, count: float) -> None:
        """Block until the server has died so often, or will not die again."""
        while self.deaths < min(count, self._kills) and self._thread.is_alive():
            self._stop.wait(0.02)

    def __enter__(self) -> MortalServer:
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop.set()
        self._begun.set()
        self._thread.join()
        os.kill(self._pid, signal.SIGKILL)
        self._lives.communicate(timeout=PATIENCE)  # ends at the end of its stdin
