"""A Dask scheduler with worker processes on this machine."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.process import same_process


@contextlib.contextmanager
def farm(workers: int, threads: int = 1, **options: Any) -> Iterator[Any]:
    """A client of a scheduler of its own."""
    import distributed

    with (
        same_process(),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            dashboard_address=":0",
            silence_logs=50,
            **options,
        ) as cluster,
        client_of(cluster) as client,
    ):
        yield client


def client_of(cluster: Any) -> Any:
    """A client that is no default of the process; a context manager."""
    import distributed

    return distributed.Client(cluster, set_as_default=False)


@contextlib.contextmanager
def separate_farm(folder: Path, workers: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and workers as commands start them: the path of the scheduler file, and the scheduler's process."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begin = [sys.executable, "-m"]
    lines = [["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]]
    lines += [["distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]] * workers
    started = [subprocess.Popen([*begin, *line, "--scheduler-file", str(file)], **quiet) for line in lines]
    try:
        while not file.exists():
            assert started[0].poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        yield str(file), started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()
