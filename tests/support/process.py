"""What a test leaves of the process."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

PATIENCE = 600.0  # seconds after which a test that waits has hung; nothing else may depend on it


@contextlib.contextmanager
def same_process() -> Iterator[None]:
    """Environment variables and what Ctrl-C does are as before, afterwards.

    Workers that Dask starts leave OMP_NUM_THREADS=1 in the environment: a process that is started later rounds sums of
    several threads otherwise than this one. dask_jobqueue takes Ctrl-C when it is imported.
    """
    variables, interrupt = dict(os.environ), signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(variables)
        signal.signal(signal.SIGINT, interrupt)
