"""A process that times kernels of one build, sample by sample, and its handle in the calling process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.kernels.register import Setup, load

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 0.1  # seconds that a sample takes at least, unless one call takes longer


class WorkerError(RuntimeError):
    """A worker ended, or runs another build than it should."""


class Worker:
    """A process that imports one build of the package.

    Parameters
    ----------
    folder : Path
        Contains the package ``rigcast`` with its extension.
    setup : Setup

    Raises
    ------
    WorkerError
        If the process imports another build.
    """

    def __init__(self, folder: Path, setup: Setup) -> None:
        first = [] if folder == own_folder() else [str(folder)]
        paths = [*first, str(ROOT), *filter(None, sys.path)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        if setup.threads == 1:
            environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.kernels.worker", str(setup.threads), str(setup.scale)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
            start_new_session=True,  # Ctrl-C reaches this process alone, which ends the worker
        )
        self.version = ""

    def check(self) -> None:
        """Wait until the package is imported, and see that it is the one of the folder."""
        found = self.receive()
        if Path(found["package"]).parent != self.folder:
            raise WorkerError(f"{self.folder} was to be timed, but Python imports {found['package']}")
        self.version = found["version"]

    def send(self, request: str) -> None:
        """Send one request: the name of a kernel to prepare, or an empty line for a sample."""
        assert self.process.stdin is not None
        print(request, file=self.process.stdin, flush=True)

    def receive(self) -> dict[str, Any]:
        """Wait for the answer to the last request."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise WorkerError(f"the worker of {self.folder} ended with status {self.process.wait()}")
        return dict(json.loads(line))


def end(workers: Iterable[Worker]) -> None:
    """End the processes, whatever they do."""
    every = list(workers)
    for worker in every:
        worker.process.kill()
    for worker in every:
        worker.process.communicate()


def own_folder() -> Path:
    """The folder of the package that this process imports."""
    import rigcast

    return Path(rigcast.__file__).resolve().parents[1]


def calls_per_sample(run: Callable[[], object], clock: Callable[[], float]) -> int:
    """Warm up, and find how many calls make a sample."""
    run()
    calls = 1
    while True:
        begin = clock()
        for _ in range(calls):
            run()
        seconds = clock() - begin
        if seconds > 0.2 * SAMPLE:
            return max(1, round(SAMPLE * calls / seconds))
        calls *= 4


def sample(run: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    """Seconds per call. The first call, which is not timed, brings data back into the caches."""
    run()
    begin = clock()
    for _ in range(calls):
        run()
    return (clock() - begin) / calls


def main() -> None:
    """Answer requests until the calling process closes the pipe or ends."""
    import rigcast

    setup = Setup(int(sys.argv[1]), float(sys.argv[2]))
    clock = time.process_time if setup.threads == 1 else time.perf_counter
    answer: dict[str, object] = {
        "package": str(Path(rigcast.__file__).resolve().parent),
        "version": rigcast.__version__,
    }
    print(json.dumps(answer), flush=True)
    run: Callable[[], object] = list
    calls = 1
    for line in sys.stdin:
        try:
            if name := line.strip():
                run = load(name)(setup)
                calls = calls_per_sample(run, clock)
                answer = {}
            else:
                answer = {"seconds": sample(run, calls, clock)}
        except Exception as error:  # noqa: BLE001 an old build may lack whatever a kernel needs
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
